"""Follow-up questions are read in their context: neither refused blindly nor waved through."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ragstone.core import BadRequest, Host, Question, TooLarge, Turn
from ragstone.core.retrieval.follow_up import follow_up
from ragstone.plugins.book_chat import Shelf
from tests.support.third_party_fakes import Here, write_pages

if TYPE_CHECKING:
    from pathlib import Path

CASTER = Turn("What is a caster?", "A caster is a wheel that swivels about a vertical axis. [1]")


@pytest.fixture
def host(real_host: Host, tmp_path: Path) -> Host:
    shelf = Shelf(real_host)
    pages = {
        "01-wheels.md": "# Wheels\n\n## Casters\n\nA caster is a wheel that swivels about a vertical axis. Casters are "
        "set behind the driven wheels because they give no traction. A caster costs about 4 euros.\n\n## Tyres\n\n"
        "Rubber tyres grip wet concrete better than nylon tyres. Nylon tyres last four times longer than rubber.\n",
        "02-arms.md": "# Arms\n\n## Grippers\n\nA parallel gripper closes two jaws along one line. The grip force of a "
        "small parallel gripper is about 40 newtons.\n",
    }
    shelf.add(shelf.plan(write_pages(tmp_path / "robots", pages)), title="Robots")
    return real_host


@pytest.mark.parametrize(
    "question",
    ["And why?", "Why?", "What does it cost?", "How much do they weigh?", "Tell me more", "And its price?", "Nylon?"],
)
def test_it_leans_on_what_was_asked_before(question: str) -> None:
    found = follow_up(question, [CASTER])
    assert found is not None
    assert found.in_context == f"{CASTER.question} {question}"
    assert follow_up(question, []) is None


def test_the_words_around_an_earlier_question_are_left_out() -> None:
    found = follow_up("And why?", [Turn("In your own words: what is a caster?")])
    assert found is not None
    assert found.in_context == "what is a caster? And why?"


@pytest.mark.parametrize(
    "question",
    [
        "How many jaws does a parallel gripper have?",
        "What is it that makes a gripper close its jaws along a line?".replace("its ", "both "),
        "Is there a difference between rubber and nylon tyres?",
        "Which tyres grip so that a robot stops on wet concrete?",
    ],
)
def test_it_stands_alone(question: str) -> None:
    assert follow_up(question, [CASTER]) is None


def test_it_goes_back_to_the_last_question_that_stands_alone_and_brings_its_own_words() -> None:
    turns = [Turn("What is a gripper?"), CASTER, Turn("And why?")]
    found = follow_up("And what does it cost?", turns)
    assert found is not None
    assert [turn.question for turn in found.earlier] == ["What is a caster?", "And why?"]
    assert found.own == ("cost",)


def test_why_is_answered_with_a_reason_that_was_not_given_yet(host: Host) -> None:
    answer = host.assistant("book_chat").ask(Question("And why?", history=[CASTER]))
    assert not answer.refused
    assert answer.text == "Casters are set behind the driven wheels because they give no traction. [1]"
    again = host.assistant("book_chat").ask(Question("And why?", history=[CASTER, Turn("And why?", answer.text)]))
    assert again.refused


def test_its_own_words_are_answered_from_the_context(host: Host) -> None:
    answer = host.assistant("book_chat").ask(Question("What does it cost?", history=[CASTER]))
    assert answer.text.startswith("A caster costs about 4 euros. [1]")


@pytest.mark.parametrize("question", ["And the weather in Paris?", "And who won the football cup?", "Why?"])
def test_what_the_context_does_not_answer_is_refused(host: Host, question: str) -> None:
    turn = Turn("What is a parallel gripper?", "A parallel gripper closes two jaws along one line. [1]")
    assert host.assistant("book_chat").ask(Question(question, history=[turn])).refused


def test_after_a_refused_question_why_is_refused_too(host: Host) -> None:
    assert host.assistant("book_chat").ask(Question("And why?", history=[Turn("Who wrote Hamlet?")])).refused


def test_what_only_looks_like_a_follow_up_is_answered_alone(host: Host) -> None:
    answer = host.assistant("book_chat").ask(
        Question("And how does this parallel gripper close its jaws?", history=[CASTER])
    )
    assert answer.text.startswith("A parallel gripper closes two jaws along one line.")


def test_a_conversation_on_the_command_line(host: Host, capsys: pytest.CaptureFixture[str]) -> None:
    here = Here(capsys)
    output = here("ask", "book_chat", "What does it cost?", "--after", "What is a caster?")
    assert output.out.startswith("A caster costs about 4 euros. [1]")
    found = here("inspect", "book_chat", "What does it cost?", "--after", CASTER.question, "--top-k", "1", "--json")
    seen = json.loads(found.out)
    assert seen["read_as"] == "What is a caster? What does it cost?"
    assert seen["gate"]["own_coverage"] == 1.0
    assert [(part["fused_rank"], part["rank"]) for part in seen["passages"]] == [(1, 1)]
    assert [part["cut"] for part in seen["cut"]] == ["beyond the first 1"] * len(seen["cut"])
    assert seen["cut"]
    table = here("inspect", "book_chat", "What does it cost?", "--after", CASTER.question)
    assert table.out.startswith("read as: What is a caster? What does it cost?\n")
    assert "of its own words cost: 1.0 covered" in table.out


def test_history_in_a_body() -> None:
    body = {"question": "Why?", "history": [{"question": "What?", "answer": "That."}, {"question": "Who?"}]}
    assert Question.from_json(body, filters=()).history == (Turn("What?", "That."), Turn("Who?"))


@pytest.mark.parametrize(
    ("history", "error"),
    [
        ("What?", BadRequest),
        ([["What?"]], BadRequest),
        ([{"answer": "That."}], BadRequest),
        ([{"question": 1}], BadRequest),
        ([{"question": "What?", "role": "system"}], BadRequest),
        ([{"question": "What?"}] * 21, TooLarge),
    ],
)
def test_history_that_does_not_fit(history: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        Question.from_json({"question": "Why?", "history": history}, filters=())


@pytest.mark.parametrize("turn", [Turn(""), Turn("x" * 4001), Turn("What?", "x" * 20_001), Turn("a\x00")])
def test_earlier_turns_are_checked(fast_host: Host, turn: Turn) -> None:
    with pytest.raises(BadRequest):
        fast_host.assistant("book_chat").ask(Question("Why?", history=[turn]))
