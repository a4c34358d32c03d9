"""Plugins of others in an environment of their own, and asked through every door by real clients."""

from __future__ import annotations

import asyncio
import json
import os
import re
import select
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from ragstone.core.embedding import MiniLMEmbedding
from tests.support.environments import built, environment_with, need_an_index, offline
from tests.support.loops import finished
from tests.support.needs import needed
from tests.support.patience import HANG
from tests.third_party.packages import WORKSHOP, small_notebook

#: Assistant → what is asked, and the sentence that its answer begins with.
ASKED = {
    "book_chat": ("What is a caster?", "A caster is a wheel that swivels about a vertical axis."),
    "logbook": ("Why was the chuck replaced?", "The chuck was replaced because its jaws no longer closed evenly."),
}
PROGRAM = """
import sys
from ragstone.core import Host

with Host.open() as host:
    print(host.assistant(sys.argv[1]).ask(sys.argv[2]).text)
"""
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]
each = pytest.mark.parametrize("name", ASKED)


@dataclass(frozen=True)
class Outsider:
    """Somebody's environment, folder, and server."""

    programs: Path
    folder: Path
    variables: dict[str, str]

    def run(self, *arguments: str) -> str:
        """What one of the environment's programs says."""
        done = subprocess.run(
            [str(self.programs / arguments[0]), *arguments[1:]],
            cwd=self.folder,
            env=self.variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=HANG,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout


@pytest.fixture(scope="module")
def outsider(tmp_path_factory: pytest.TempPathFactory, model_cache: Path, minilm: MiniLMEmbedding) -> Outsider:
    """An environment with Ragstone, a package of others, and one that ``ragstone plugin new`` made."""
    folder = tmp_path_factory.mktemp("outsider")
    need_an_index(folder / "downloads")
    wheels = built(folder / "wheels")
    built(wheels, WORKSHOP)
    variables = {**os.environ, "RAGSTONE_CACHE_DIR": str(model_cache), "RAGSTONE_DATA_DIR": str(folder / "data")}
    wanted = ("ragstone[server,mcp]", "ragstone-workshop", "pytest")
    programs = environment_with(folder / "venv", wheels, *wanted, variables=variables)
    made = Outsider(programs, folder, offline(variables, wheels))
    made.run("ragstone", "plugin", "new", "logbook")
    made.run("pip", "wheel", "--no-deps", "-w", str(wheels), "./ragstone-logbook")
    made.run("pip", "install", "--no-deps", "ragstone-logbook")
    (folder / "chuck.logbook").write_text(f"Drill press\n\n{ASKED['logbook'][1]}\n", "utf-8")
    made.run("ragstone", "book", "add", str(small_notebook(folder / "parts.ipynb")))
    made.run("ragstone", "logbook", "add", "chuck.logbook")
    return made


@pytest.fixture(scope="module")
def server(outsider: Outsider) -> Iterator[str]:
    """Where its one server is."""
    with subprocess.Popen(
        [str(outsider.programs / "ragstone"), "serve", "--port", "0"],
        cwd=outsider.folder,
        env=outsider.variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    ) as process:
        try:
            assert process.stdout is not None
            assert select.select([process.stdout], [], [], HANG)[0], "the server says nothing"
            found = re.search(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())
            assert found
            yield found[0]
        finally:
            process.terminate()
            try:
                process.wait(HANG)
            finally:
                process.kill()


def test_the_plugins_show_up(outsider: Outsider) -> None:
    states = {state["name"]: state for state in json.loads(outsider.run("ragstone", "plugins", "--json"))}
    assert {states[name]["state"] for name in ("workshop", "logbook")} == {"loaded"}


def test_the_new_package_passes_its_own_tests_there(outsider: Outsider) -> None:
    assert " passed" in outsider.run("python", "-m", "pytest", "-q", "ragstone-logbook")


@each
def test_command_line(outsider: Outsider, name: str) -> None:
    question, sentence = ASKED[name]
    assert outsider.run("ragstone", "ask", name, question).startswith(f"{sentence} [1]")
    found = json.loads(outsider.run("ragstone", "search", name, question, "--json"))
    assert sentence in found["passages"][0]["text"]


@each
def test_python(outsider: Outsider, name: str) -> None:
    question, sentence = ASKED[name]
    assert outsider.run("python", "-c", PROGRAM, name, question).startswith(f"{sentence} [1]")


@each
def test_json_and_page(server: str, name: str) -> None:
    question, sentence = ASKED[name]
    with httpx.Client(base_url=server, timeout=HANG, trust_env=False) as browser:
        page = browser.get("/book_chat/" if name == "book_chat" else f"/assistants/{name}/", params={"q": question})
        assert page.status_code == 200
        assert sentence in page.text
        path = "/query" if name == "book_chat" else f"/assistants/{name}/query"
        answer = browser.post(path, json={"question": question}).json()
        assert answer["answer"].startswith(f"{sentence} [1]")
        opened = browser.get(answer["citations"][0]["url"].partition("#")[0])
        assert (opened.status_code, sentence in opened.text) == (200, True)
        result = browser.get("/health").json()
        assert "MemoryStore follows the catalog" in json.dumps(result)


@each
def test_the_client_of_openai(server: str, name: str) -> None:
    question, sentence = ASKED[name]
    openai = needed("openai")
    with openai.OpenAI(base_url=f"{server}v1", api_key="any", max_retries=0, timeout=HANG) as client:
        assert name in [model.id for model in client.models.list()]
        output = {"model": name, "messages": [{"role": "user", "content": question}]}
        assert client.chat.completions.create(**output).choices[0].message.content.startswith(f"{sentence} [1]")
        pieces = [
            chunk.choices[0].delta.content or ""
            for chunk in client.chat.completions.create(**output, stream=True)
            if chunk.choices
        ]
        assert "".join(pieces).startswith(f"{sentence} [1]")


@each
def test_the_client_of_mcp(server: str, name: str) -> None:
    question, sentence = ASKED[name]
    mcp = needed("mcp")

    async def talk() -> tuple[set[str], Any, Any]:
        async with mcp.Client(f"{server}mcp") as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            answer = await client.call_tool(f"ask_{name}", {"question": question})
            titles = await client.call_tool("logbook_titles", {})
            return tools, answer, titles

    tools, answer, titles = finished(asyncio.wait_for(talk(), HANG))
    assert {f"ask_{name}", f"search_{name}", "logbook_titles"} <= tools
    assert answer.content[0].text.startswith(f"{sentence} [1]")
    assert "Drill press" in titles.content[0].text
