"""The guide for authors: every hook is in it, its examples run, and no block escapes the tests."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest

from ragstone.core import Host, Settings
from ragstone.core.hooks import spec
from ragstone.core.testing import TestModels
from tests.core.hooks import test_hooks
from tests.support.guides import blocks, matches
from tests.support.markdown import check_names, python_blocks, sections

GUIDE = Path(__file__).parents[2] / "plugins" / "HOOKS.md"
TEXT = GUIDE.read_text("utf-8")
TUTORIAL = GUIDE.with_name("README.md").read_text("utf-8")
LIFECYCLE = GUIDE.with_name("LIFECYCLE.md").read_text("utf-8")
SPECS = {name: spec for name, spec in vars(spec).items() if name.startswith("ragstone_")}

SECTIONS = sections(TEXT)


def _section_of(hook: str) -> str:
    return next(text for heading, text in SECTIONS.items() if heading.startswith(f"{hook}("))


def test_there_are_as_many_headings_as_hooks() -> None:
    headings = [heading for heading in SECTIONS if heading.startswith("ragstone_")]
    assert [heading.partition("(")[0] for heading in headings] == list(SPECS), "the guide's order is the file's"


@pytest.mark.parametrize("hook", SPECS)
def test_a_hook_has_its_heading_signature_and_sentence(hook: str) -> None:
    signature = inspect.signature(SPECS[hook])
    assert f"{hook}({', '.join(signature.parameters)})" in SECTIONS
    written = str(signature).replace("'", "")
    assert f"\n`{hook}{written}`\n" in _section_of(hook)
    sentence = " ".join((inspect.getdoc(SPECS[hook]) or "").replace("``", "`").split())
    assert sentence.startswith("Fires ")
    assert sentence in " ".join(_section_of(hook).split())


@pytest.mark.parametrize("hook", SPECS)
def test_a_hook_has_a_test(hook: str) -> None:
    assert callable(getattr(test_hooks, f"test_{hook}", None)), f"tests/core/hooks/test_hooks.py has no test_{hook}"


def _fire(host: Host, hook: str) -> list[tuple[str, Any]]:
    """Call the hook as the host does."""
    arguments: dict[str, Any] = {
        "host": host,
        "corpus": host.corpus("notes", kind="note"),
        "top_k": 3,
        "filters": None,
        "settings": host.settings.llm if hook == "ragstone_llm" else host.settings.encoder,
        "cli": click.Group("ragstone"),
        "thorough": False,
    }
    wanted = inspect.signature(SPECS[hook]).parameters
    return list(host.plugins.call(hook, **{name: arguments[name] for name in wanted}))


@pytest.mark.parametrize("hook", SPECS)
def test_a_hook_has_an_example_that_runs(hook: str, tmp_path: Path) -> None:
    fences = python_blocks(_section_of(hook))
    assert len(fences) == 1
    example = ModuleType("example")
    exec(compile(fences[0], f"{GUIDE}: {hook}", "exec"), vars(example))
    assert callable(vars(example).get(hook)), "the example does not show its hook"
    named: dict[str, Any] = {"data_dir": tmp_path / "data", "encoder": {"model": "mock"}, "llm": {"provider": "mock"}}
    with Host(Settings(**named), plugins={"example": example, "test_models": TestModels()}) as host:
        host.start()
        shown = [name for name in SPECS if name in vars(example)]
        answers = {name: dict(_fire(host, name)) for name in shown}
        state = next(state for state in host.plugins if state.name == "example")
        assert (state.state, state.reason) == ("loaded", None)
        returned = inspect.signature(SPECS[hook]).return_annotation
        assert ("example" in answers[hook]) == (returned != "None")
        _ = host.hooks.readers, host.hooks.assistants, host.checks()
    assert next(state for state in host.plugins if state.name == "example").state == "loaded"


def test_every_block_is_run_by_a_test() -> None:
    """Those of the hooks above; the others in order by ``test_guide_followed.py``."""
    for text in (TEXT, TUTORIAL):
        assert text.count("\n```") == 2 * len(blocks(text)), "a block without a kind, or that does not end"
    assert {block.text for block in blocks(TEXT)} == {
        fence for hook in SPECS for fence in python_blocks(_section_of(hook))
    }
    assert all(block.can_be_followed for block in blocks(TUTORIAL))


def test_every_hook_has_its_time() -> None:
    named = re.findall(r"`(ragstone_\w+)`", sections(LIFECYCLE)["When hooks are called"])
    assert sorted(named) == sorted(SPECS)


@pytest.mark.parametrize("fence", python_blocks(TEXT + TUTORIAL + LIFECYCLE))
def test_an_example_uses_what_it_imports_and_only_public_names(fence: str) -> None:
    check_names(fence)


@pytest.mark.parametrize(
    ("expected", "message", "same"),
    [("a  b\nc", "a b c\n", True), ("a … c", "a b b c", True), ("a.c", "abc", False), ("a", "a b", False)],
)
def test_how_words_are_compared(expected: str, message: str, same: bool) -> None:
    assert matches(expected, message) == same
