"""What is no question on a source: greetings, thanks, and questions to the assistant itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragstone.core import Assistant, Host, Question, Turn
from ragstone.core.answering.greetings import is_greeting, is_of_assistant
from ragstone.core.testing import open_host
from tests.support.third_party_fakes import SMALL_BOOK, add_book, write_pages

_ITSELF = (
    "This is “Book chat”, a program. A tutor that answers only from the books on its shelf, to chapter and section."
)


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with open_host(tmp_path) as host:
        add_book(host, write_pages(tmp_path / "book", SMALL_BOOK))
        yield host


@pytest.mark.parametrize("words", ["Hello", "hi there!", "Thanks", "no, thank you very much.", "ok, thanks"])
def test_a_greeting_gets_a_sentence_and_what_can_be_asked(host: Host, words: str) -> None:
    answer = host.assistant("book_chat").ask(Question(words, history=[Turn("What is a caster?", "A wheel. [1]")]))
    assert answer.text.startswith(("Hello.", "You are welcome."))
    assert (answer.refused, answer.reason) == (False, "a greeting, no question")
    assert not answer.citations


@pytest.mark.parametrize(
    ("words", "reply"),
    [
        ("help", f"{_ITSELF} You can ask, for example: “"),
        ("What can I ask you about?", f"{_ITSELF} You can ask, for example: “"),
        ("hi", "Hello. You can ask, for example: “"),
    ],
)
def test_examples_are_given_where_no_book_is_chosen(
    host: Host, monkeypatch: pytest.MonkeyPatch, words: str, reply: str
) -> None:
    monkeypatch.setattr(Assistant, "examples", ("Who is “Ada”?",))
    assert host.assistant("book_chat").ask(words).text == f"{reply}Who is ‘Ada’?”"
    chosen = Question(words, filters={"book": "robot-parts"})
    assert host.assistant("book_chat").ask(chosen).text.endswith("What would you like to know?")
    monkeypatch.setattr(Assistant, "examples", ("Who is “Ada”?", "What is this book about?"))
    assert host.assistant("book_chat").ask(chosen).text == f"{reply}What is this book about?”"


@pytest.mark.parametrize("words", ["Hello world programs?", "Who says thanks?", "What is ok?", "What helps me?"])
def test_a_question_is_no_greeting(words: str) -> None:
    assert not is_greeting(words)


@pytest.mark.parametrize(
    "words",
    [
        "Who are you?",
        "So what exactly are you?",
        "Are you an AI or a human?",
        "What’s your name?",
        "How do you know that?",
        "Can you help me, please?",
        "What can you do?",
        "What are your sources?",
        "Where do you get your answers?",
        "what is this site for",
    ],
)
def test_a_question_to_the_assistant_gets_its_description(host: Host, words: str) -> None:
    answer = host.assistant("book_chat").ask(Question(words, history=[Turn("Who builds robots?", "Engineers do.")]))
    assert answer.text.startswith(_ITSELF)
    assert (answer.refused, answer.closest, answer.citations) == (False, False, ())


def test_an_assistant_without_content_says_what_to_do(tmp_path: Path) -> None:
    with open_host(tmp_path) as host:
        answer = host.assistant("wiki_edge").ask("Who are you?")
    assert "No encyclopedia is installed yet." in answer.text


@pytest.mark.parametrize(
    "words",
    [
        "Who are you working with on the gripper?",
        "How do you know that the bearing is worn?",
        "What is this bearing for?",
        "How do you work with a lathe?",
        "What can you do against rust?",
        "Can you help me calibrate the arm?",
        "Are you an engineer?",
    ],
)
def test_a_question_on_something_else_is_none_to_the_assistant(words: str) -> None:
    assert not is_of_assistant(words)
