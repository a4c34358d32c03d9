"""One document and one question go through the functions that core/README.md names, in its order."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import ragstone.core
from ragstone.core.testing import ScriptedLLM, open_host
from ragstone.plugins.book_chat import Shelf
from tests.support.markdown import sections

#: A module of ``ragstone.core`` and a function of it.
Step = tuple[str, str]

_HEADING = "One question and one document, step by step"
_SECTION = sections((Path(ragstone.core.__file__).parent / "README.md").read_text("utf-8"))[_HEADING]
_FUNCTION = r"`([a-z0-9_/]+)\.py` `(\w+)`"
_CORE = "ragstone.core."
#: Their modules are steps, but for these helpers of a step.
_PACKAGES = ("answering.", "corpus", "ingestion.", "retrieval.")
_HELPERS = {
    *(f"answering.{name}" for name in ["citation_format", "greetings", "guard", "profile"]),
    *(f"answering.{name}" for name in ["overview_finder", "question_parts", "quote_extent", "table_rows"]),
    *(f"retrieval.{name}" for name in ["answerability", "calibration", "comparatives", "contents"]),
    *(f"retrieval.{name}" for name in ["models", "parts", "people", "quotes", "sentence_scores"]),
    *(f"retrieval.{name}" for name in ["requirements", "restatement", "search_cache"]),
}
#: Of these one module is the way in, and the README names it.
_CLOSED_PACKAGES = ("catalog.", "citations.", "embedding.")


def _step(module: str, function: str) -> Step:
    return module.replace("/", "."), function


_ROWS = re.findall(rf"^\| (\d+) \| {_FUNCTION} \|", _SECTION, re.MULTILINE)
_STEPS = [_step(module, function) for _number, module, function in _ROWS]
_FIRST_OF_QUESTION = _STEPS.index(("answering.assistant", "stream"))
_DOCUMENT, _QUESTION = _STEPS[:_FIRST_OF_QUESTION], _STEPS[_FIRST_OF_QUESTION:]


def _without_model() -> list[Step]:
    """The question's steps, as the README says that they are without a language model."""
    found = re.search(rf"{_FUNCTION}\s+takes the place of steps (\d+) to (\d+)", _SECTION)
    assert found
    first, last = int(found[3]) - 1 - _FIRST_OF_QUESTION, int(found[4]) - _FIRST_OF_QUESTION
    return [*_QUESTION[:first], _step(found[1], found[2]), *_QUESTION[last:]]


@dataclass
class Calls:
    """The functions of ``ragstone.core`` that were called, in the order of their first calls, in all threads."""

    first: dict[Step, None] = field(default_factory=dict)

    def note(self, frame: FrameType, event: str, _argument: Any) -> None:
        name, function = str(frame.f_globals.get("__name__")), frame.f_code.co_name
        if event == "call" and name.startswith(_CORE) and not function.startswith("<"):  # no import, no comprehension
            self.first.setdefault((name.removeprefix(_CORE), function))

    def of(self, steps: list[Step]) -> list[Step]:
        """Those of the steps that were called, in the order of their first calls."""
        return [step for step in self.first if step in steps]


@contextmanager
def _recorded() -> Iterator[Calls]:
    calls, before, before_in_threads = Calls(), sys.getprofile(), threading.getprofile()
    threading.setprofile(calls.note)
    sys.setprofile(calls.note)
    try:
        yield calls
    finally:
        sys.setprofile(before)
        threading.setprofile(before_in_threads)


@dataclass(frozen=True)
class Flows:
    """What was called for one document, for one question, and for one question without a language model."""

    document: Calls
    question: Calls
    without_model: Calls


@pytest.fixture
def flows(tmp_path: Path, small_book: Path) -> Flows:
    llm = ScriptedLLM()
    llm.enqueue("A caster is a wheel that swivels about a vertical axis [1].")
    with open_host(tmp_path / "with", llm=llm) as host:
        shelf = Shelf(host)
        layout = shelf.plan(small_book)
        _ = host.hooks.encoder  # a plugin's encoder is tried once
        with _recorded() as document:
            shelf.add(layout)
        with _recorded() as question:
            assert host.assistant("book_chat").ask("What is a caster?").to_dict()["citations"]
    with open_host(tmp_path / "without") as host:
        shelf = Shelf(host)
        shelf.add(shelf.plan(small_book))
        with _recorded() as without_model:
            assert host.assistant("book_chat").ask("What is a caster?").to_dict()["citations"]
    return Flows(document, question, without_model)


def test_every_step_is_taken_in_the_order_of_the_readme(flows: Flows) -> None:
    assert [int(number) for number, _module, _function in _ROWS] == list(range(1, len(_STEPS) + 1))
    assert flows.document.of(_DOCUMENT) == _DOCUMENT
    assert flows.question.of(_QUESTION) == _QUESTION
    assert flows.without_model.of([*_QUESTION, *_without_model()]) == _without_model()


def test_no_step_is_missing_in_the_readme(flows: Flows) -> None:
    named = {module for module, _function in [*_STEPS, *_without_model()]}
    met = {module for calls in vars(flows).values() for module, _function in calls.first}
    assert {module for module in met if module.startswith(_PACKAGES)} - named == _HELPERS
    for package in _CLOSED_PACKAGES:
        assert any(module.startswith(package) for module in named), f"no step is in {package}"
