"""NFR-2: the same question has the same answer, with the extractive default and with a language model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ragstone.core import Host, LLMError, Question
from ragstone.core.testing import ScriptedLLM, open_host
from ragstone.plugins.book_chat.shelf import Shelf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    Opened = Callable[..., AbstractContextManager[Host]]

QUESTION = "What is a caster?"
SAID = "A caster is a wheel that swivels about a vertical axis [1]."
OTHERWISE = "Casters bear load but give no traction [1]."


@pytest.fixture
def llm() -> ScriptedLLM:
    return ScriptedLLM()


@pytest.fixture
def opened(tmp_path: Path, small_book: Path, llm: ScriptedLLM) -> Opened:
    from contextlib import contextmanager

    @contextmanager
    def opened(**settings: Any) -> Iterator[Host]:
        with open_host(tmp_path, llm=llm, **{"remember": True, **settings}) as host:
            shelf = Shelf(host)
            shelf.add(shelf.plan(small_book), title="Robot parts")
            yield host

    return opened


def _ask(host: Host, question: str = QUESTION, **more: Any) -> dict[str, Any]:
    told = host.assistant("book_chat").ask(Question(question, **more)).to_dict()
    del told["timings_ms"]
    return told


def test_nfr_2_twenty_times_the_same_without_a_model(tmp_path: Path, small_book: Path) -> None:
    with open_host(tmp_path) as host:
        shelf = Shelf(host)
        shelf.add(shelf.plan(small_book), title="Robot parts")
        first = _ask(host)
        assert all(_ask(host) == first for _ in range(19))


def test_nfr_2_twenty_times_the_same_with_a_model_that_is_asked_once(opened: Opened, llm: ScriptedLLM) -> None:
    llm.enqueue(f"{SAID} Casters cost 900 euros [1].", "")
    with opened() as host:
        first = _ask(host)
        assert first["dropped"]
        assert all(_ask(host) == first for _ in range(19))
    asked = len(llm.prompts)
    with opened() as host:  # also after a restart
        assert _ask(host) == first
    assert len(llm.prompts) == asked


def test_it_can_be_turned_off(opened: Opened, llm: ScriptedLLM) -> None:
    llm.enqueue(SAID, OTHERWISE)
    with opened(remember=False) as host:
        assert _ask(host)["answer"] != _ask(host)["answer"]


def test_other_passages_another_prompt_another_question_are_asked_anew(
    opened: Opened, llm: ScriptedLLM, small_book: Path
) -> None:
    llm.enqueue(*[SAID] * 4)
    with opened() as host:
        _ask(host)
        _ask(host, top_k=1)
        _ask(host, "What is a caster wheel?")
    with opened(prompts={"book_chat/answer": "{context_str} ? {query_str}"}) as host:
        _ask(host)
    assert len(llm.prompts) == 4


def test_an_answer_that_did_not_come_to_its_end_is_not_remembered(opened: Opened, llm: ScriptedLLM) -> None:
    with opened() as host:
        with pytest.raises(LLMError):
            llm.enqueue(RuntimeError("gone"))
            _ask(host)
        llm.enqueue(SAID)
        assert _ask(host)["answer"].startswith("A caster is a wheel")


@pytest.mark.parametrize("damage", [b"", b"{", b'{"sentences": 1}', b"\xff\xfe"])
def test_a_damaged_memory_is_asked_anew(opened: Opened, llm: ScriptedLLM, tmp_path: Path, damage: bytes) -> None:
    llm.enqueue(SAID, SAID)
    with opened() as host:
        first = _ask(host)
        (kept,) = (tmp_path / "data" / "answers").glob("*.json")
        kept.write_bytes(damage)
        assert _ask(host) == first
        assert _ask(host) == first
    assert len(llm.prompts) == 2


def test_a_folder_that_cannot_be_written_costs_no_answer(opened: Opened, llm: ScriptedLLM, tmp_path: Path) -> None:
    llm.enqueue(SAID)
    with opened() as host:
        (tmp_path / "data" / "answers").write_text("a file where a folder should be", "utf-8")
        assert _ask(host)["answer"].startswith("A caster is a wheel")
