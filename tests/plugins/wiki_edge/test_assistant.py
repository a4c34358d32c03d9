"""The encyclopedia's assistant: what a question may be limited to, and questions about the whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragstone.core import Host, NotFound, Question
from ragstone.core.testing import open_host
from tests.plugins.wiki_edge.search.tools import TOOLS, write


@pytest.mark.parametrize("name", ["domain", "language"])
@pytest.mark.parametrize("value", ["", " ", "x" * 201], ids=["nothing", "a space", "much"])
def test_a_narrowing_that_no_shard_can_have(name: str, value: str, fast_host: Host) -> None:
    with pytest.raises(NotFound, match=rf"^there is no {name} '.{{0,40}}' \(ragstone wiki info lists them\)$"):
        fast_host.assistant("wiki_edge").ask(Question("What is a whisk?", filters={name: value}))


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[Host]:
    with open_host(tmp_path, options={"wiki_edge": {"wiki": str(tmp_path / "wiki")}}) as host:
        write(host, tmp_path / "wiki", source={"name": "tools.xml.bz2", "date": "2016-05-01T07:08:29Z"})
        write(host, tmp_path / "wiki", "garten", {"Spaten\x1b[31m": "Ein Spaten gräbt."}, language="de")
        yield host


@pytest.mark.parametrize(
    "question",
    [
        "How many articles do you have?",
        "What is in this encyclopedia?",
        "Which topics do you cover?",
        "How old is this information?",
        "What are your sources?",
    ],
)
def test_what_the_encyclopedia_has_and_from_when(filled: Host, question: str) -> None:
    answer = filled.assistant("wiki_edge").ask(question)
    shards = "The encyclopedia has 6 passages: tools (5 passages, of 2016-05-01); garten (1 passage)."
    assert answer.text == f"{shards} Some of its articles: {'; '.join(TOOLS)}; Spaten [31m."
    german = filled.assistant("wiki_edge").ask(Question(question, filters={"language": "de"}))
    assert german.text == "The encyclopedia has 1 passage: garten (1 passage). Some of its articles: Spaten [31m."


def test_examples_are_of_its_articles_and_are_answered(filled: Host) -> None:
    wiki = filled.assistant("wiki_edge")
    assert wiki.examples[0] == "What is “Whisk”?"
    assert wiki.ask(wiki.examples[0]).text.startswith("A whisk is a kitchen tool")


def test_an_article_is_asked_for_by_its_topic(filled: Host) -> None:
    answer = filled.assistant("wiki_edge").ask("Do you have an article about ladders?")
    assert answer.text == f"{TOOLS['Ladder']} [1]"


def test_an_empty_encyclopedia_has_no_examples(fast_host: Host) -> None:
    assert fast_host.assistant("wiki_edge").examples == ()
    assert fast_host.assistant("wiki_edge").ask("How many articles do you have?").refused
