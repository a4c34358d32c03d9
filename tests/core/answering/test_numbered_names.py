"""Which of several wars, rulers or events a number means."""

from __future__ import annotations

from pathlib import Path

import pytest
from llama_index.core.schema import NodeWithScore, TextNode

from ragstone.core.answering.extractive import choose
from ragstone.core.retrieval import Retrieval
from ragstone.core.testing import open_host
from ragstone.core.text import question_stems
from tests.support.third_party_fakes import add_book, write_pages


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (
            "Was Lund neutral in World War I?",
            "Lund was neutral in World War II. Lund was never neutral in World War I.",
            "Lund was never neutral in World War I.",
        ),
        (
            "Was Lund neutral in the First World War?",
            "Lund was neutral in World War II. Lund was never neutral in World War I.",
            "Lund was never neutral in World War I.",
        ),
        (
            "Who built the harbour in World War II?",
            "In World War I Bo Berg built the harbour. In the Second World War Ada Reed then built the harbour anew.",
            "In the Second World War Ada Reed then built the harbour anew.",
        ),
        (
            "Which crew won Regatta 12?",
            "Regatta 12 was rowed in Lund. As in Regatta 11, the crew of Bergen won. Then Oslo won Regatta 12.",
            "Then Oslo won Regatta 12.",
        ),
    ],
)
def test_of_several_wars_or_events_the_one_of_that_number_answers(question: str, text: str, answer: str) -> None:
    node, idf = TextNode(id_="n", text=text), dict.fromkeys(question_stems(question), 2.0)
    found = Retrieval(question, (NodeWithScore(node=node, score=1.0),), {}, idf)
    assert choose(found)[0].text.endswith(answer)


@pytest.mark.parametrize(
    ("question", "states"),
    [
        ("Why did Magnus the Ninth build a harbour?", ("answered", "answered")),
        ("Why did Magnus IX build a harbour?", ("answered", "answered")),
        ("Why did Magnus VIII build a harbour?", ("closest", "closest")),
        ("Why did Magnus the Eighth build a harbour?", ("closest", "closest")),
    ],
)
@pytest.mark.parametrize("number", [0, 1])
def test_a_rulers_number_is_found_however_it_is_written(
    tmp_path: Path, question: str, states: tuple[str, str], number: int
) -> None:
    written = ("Magnus IX", "Magnus the Ninth")[number]
    text = f"# History\n\nIn Lund {written} did build a harbour because the ice had broken the old one.\n"
    with open_host(tmp_path / "data") as host:
        add_book(host, write_pages(tmp_path / "book", {"history.md": text}), "Lund")
        answer = host.assistant("book_chat").ask(question)
    state = "refused" if answer.refused else "closest" if answer.closest else "answered"
    assert state == states[number]
