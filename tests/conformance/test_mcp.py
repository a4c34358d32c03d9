"""The protocol's own suite and inspector against ``/mcp``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.patience import HANG
from tests.support.suites import node, npm_package

EXPECTED = Path(__file__).with_name("mcp_expected_failures.yml")
QUESTION = "What is a caster?"


def test_every_scenario_passes_that_is_not_listed_with_its_reason(url: str, tmp_path: Path) -> None:
    program = npm_package("@modelcontextprotocol/conformance") / "dist" / "index.js"
    command = ("server", "--url", f"{url}mcp", "--suite", "all", "--expected-failures", EXPECTED, "-o", tmp_path)
    done = node(program, *command, timeout=4 * HANG)
    summary = done.stdout.partition("=== SUMMARY ===")[2]
    assert "server-initialize" in summary, done.stderr[-2000:]
    print(summary)
    assert done.returncode == 0, summary


def inspector(url: str, *arguments: str) -> Any:
    program = npm_package("@modelcontextprotocol/inspector")
    entry = json.loads((program / "package.json").read_text("utf-8"))["bin"]
    path = entry if isinstance(entry, str) else entry["mcp-inspector"]
    done = node(program / path, "--cli", f"{url}mcp", "--transport", "http", *arguments, timeout=2 * HANG)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def test_the_inspector_asks_an_assistant(url: str) -> None:
    asked = ("--tool-name", "ask_book_chat", "--tool-arg", f"question={QUESTION}")
    result = inspector(url, "--method", "tools/call", *asked)
    assert result["content"][0]["text"].startswith("A caster is a wheel that swivels about a vertical axis. [1]")
    uri = result["structuredContent"]["citations"][0]["uri"]
    read = inspector(url, "--method", "resources/read", "--uri", uri)
    assert "A caster is a wheel" in read["contents"][0]["text"]


def test_the_inspector_sees_the_prompts_of_assistants_and_of_plugins(url: str) -> None:
    names = [prompt["name"] for prompt in inspector(url, "--method", "prompts/list")["prompts"]]
    assert names[0] == "book_chat"
    assert "test_simple_prompt" in names
    assert not {"not_for_people", "book_chat/answer"} & set(names)

    asked = ("--prompt-name", "book_chat", "--prompt-args", f"question={QUESTION}")
    messages = inspector(url, "--method", "prompts/get", *asked)["messages"]
    texts = [message["content"]["text"] for message in messages]
    assert "Every sentence ends with the number of the passage" in texts[0]
    assert "A caster is a wheel that swivels about a vertical axis." in texts[1]
    assert texts[1].endswith(f"The reader asks: {QUESTION}")


@pytest.mark.parametrize("method", ["tools/list", "resources/list", "resources/templates/list"])
def test_the_inspector_lists(url: str, method: str) -> None:
    assert inspector(url, "--method", method)
