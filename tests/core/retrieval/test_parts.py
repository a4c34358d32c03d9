"""Questions that ask for two or three things: which are, and how each part is answered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragstone.core import Assistant, Question
from ragstone.core.retrieval import Retrieval, weigh_evidence
from ragstone.core.retrieval.parts import parts_of
from ragstone.core.testing import ScriptedLLM, open_host
from tests.support.third_party_fakes import Here, add_book, write_pages

_PAGES = {
    "winches.md": "# Winches\n\nA winch is a drum that pulls a rope. Winches are greased with tallow each spring.\n",
    "cranes.md": "# Cranes\n\nA crane lifts loads with a hook. The harbour crane was built in 1887 by Ada Reed.\n",
    "ropes.md": "# Ropes\n\nRopes of hemp are replaced every two years, as they rot in wet weather.\n",
}


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Assistant]:
    with open_host(tmp_path) as host:
        add_book(host, write_pages(tmp_path / "book", _PAGES), "The harbour")
        yield host.assistant("book_chat")


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("What is a winch and how is it greased?", ("What is a winch?", "how is it greased?")),
        ("What is a winch? And how is it greased?", ("What is a winch?", "how is it greased?")),
        ("What is a winch and is it greased?", ("What is a winch?", "is it greased?")),
        ("What is this book about and who is it for?", ("What is this book about?", "who is it for?")),
        ("Who built the crane, and when?", ("Who built the crane?", "when?")),
        ("When and where was it built?", ("When was it built?", "where was it built?")),
        ("Explain what a winch is and who made it", ("Explain what a winch is?", "who made it?")),
        ("What is it? Who made it? Why does it rot?", ("What is it?", "Who made it?", "Why does it rot?")),
        ("What is the difference between who pays and what is paid?", ()),
        ("What happens to winches and cranes?", ()),
        ("What should I do when and how often?", ()),
        ("When was the crane built which lifts ships and which is red?", ()),
        ("Winches and what they do", ()),
        ("What is a winch?", ()),
        ("What? Why? When? Who?", ()),
    ],
)
def test_which_questions_ask_for_several_things(question: str, parts: tuple[str, ...]) -> None:
    assert parts_of(question) == parts


def test_each_part_is_answered_the_later_ones_as_follow_ups(book: Assistant) -> None:
    answer = book.ask("What is a winch and what is it greased with?")
    assert answer.text == ("A winch is a drum that pulls a rope. [1] Winches are greased with tallow each spring. [1]")
    of_two = book.ask("When was the harbour crane built? And how often are ropes of hemp replaced?")
    assert "built in 1887" in of_two.text
    assert "replaced every two years" in of_two.text
    assert len(of_two.citations) == 2


def test_a_part_that_the_text_does_not_answer_is_named(book: Assistant) -> None:
    answer = book.ask("What is a winch and who invented the telephone?")
    assert answer.text == (
        "Not answered here: “who invented the telephone?” The rest:\n\nA winch is a drum that pulls a rope. [1]"
    )
    assert (answer.refused, answer.closest) == (False, False)
    assert book.ask("Who invented the telephone and when did the war of Troy end?").refused


def test_a_language_model_gets_the_whole_question_and_the_chunks_of_all_parts(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    llm.enqueue("The harbour crane was built in 1887 by Ada Reed. [1]")
    question = "When was the harbour crane built? And how often are ropes of hemp replaced?"
    with open_host(tmp_path, llm=llm) as host:
        add_book(host, write_pages(tmp_path / "book", _PAGES), "The harbour")
        assert host.assistant("book_chat").ask(question).text == "The harbour crane was built in 1887 by Ada Reed. [1]"
    assert all(each in llm.prompts[-1] for each in (question, "built in 1887", "every two years"))


def test_no_more_chunks_are_offered_than_are_asked_for(book: Assistant) -> None:
    question = "When was the harbour crane built? And how often are ropes of hemp replaced?"
    for top_k in (1, 2, 3):
        found, verdict = book.retrieve_for(Question(question, top_k=top_k))
        assert verdict == "answered"
        assert len(found.nodes) == top_k
    assert len(book.ask(Question(question, top_k=1)).citations) == 1


def test_parts_are_not_divided_again(book: Assistant, monkeypatch: pytest.MonkeyPatch) -> None:
    weighed: list[str] = []

    def weigh(found: Retrieval) -> object:
        weighed.append(found.question)
        return weigh_evidence(found)

    monkeypatch.setattr("ragstone.core.answering.assistant.weigh_evidence", weigh)
    book.ask(f"{'When and where and ' * 3}when was the harbour crane built by Ada Reed?")
    assert 0 < len(weighed) < 10


def test_inspect_explains_each_part(book: Assistant, capsys: pytest.CaptureFixture[str]) -> None:
    here, question = Here(capsys), "What is a winch and what is it greased with?"
    seen = json.loads(here("inspect", book.name, question, "--json").out)
    read_as = ["What is a winch?", "What is a winch? what is it greased with?"]
    assert [part["read_as"] for part in seen["parts"]] == read_as
    assert [part["gate"]["verdict"] for part in seen["parts"]] == ["answered", "answered"]
    shown = here("inspect", book.name, question).out
    assert [shown.count(f"asked for: {each}\n") for each in read_as] == [1, 1]


def test_a_later_part_without_an_answer_is_named(book: Assistant) -> None:
    answer = book.ask("What is a winch and who invented it?")
    assert answer.text.startswith("Not answered here: “who invented it?” The rest:\n\nA winch is a drum")
