"""Sentences of chunks: the cosines of those whose vectors were stored, or were not, and the time that many take."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from llama_index.core.schema import NodeWithScore, TextNode

from ragstone.core.retrieval import Retrieval
from ragstone.core.retrieval.sentences import sentences_of, with_sentence_cosines
from tests.support.patience import grows_linearly


class Counting:
    """An encoder that counts what it is asked for."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed_texts(self, texts: list[str]) -> Any:
        self.texts += texts
        return np.ones((len(texts), 2), np.float32)


@pytest.mark.parametrize(("stored", "embedded"), [(2, 0), (1, 2), (0, 2)])
def test_sentences_of_an_older_cut_are_embedded_anew(stored: int, embedded: int) -> None:
    """An older Ragstone cut some texts into other sentences: its vectors would be those of the sentence before."""
    node = TextNode(id_="n", text="A winch winds up a rope. A pawl holds its drum.")
    cosines = {"n": np.full(stored, 0.5)} if stored else {}
    found = Retrieval(
        "What winds?", (NodeWithScore(node=node, score=1.0),), vector=np.ones(2, np.float32), sentence_cosines=cosines
    )
    encoder = Counting()
    assert len(with_sentence_cosines(found, cast("Any", encoder)).sentence_cosines["n"]) == 2
    assert len(encoder.texts) == embedded


def test_a_sentence_without_a_word_of_the_title_is_embedded_behind_it() -> None:
    node = TextNode(
        id_="n",
        text="A winch winds up a rope. Its drum is made of steel.",
        metadata={"title": "Winch", "heading": "Parts"},
        metadata_template="{value}",
    )
    encoder = Counting()
    found = Retrieval(
        "What is a winch's drum of?", (NodeWithScore(node=node, score=1.0),), vector=np.ones(2, np.float32)
    )
    with_sentence_cosines(found, cast("Any", encoder))
    assert sorted(encoder.texts) == ["A winch winds up a rope.", "Winch: Its drum is made of steel."]


def test_a_long_text_with_many_headings_takes_time_by_its_length() -> None:
    """As a reader's selection, or a chunk of a plugin's retriever, of which nothing is stored."""

    def scored(sections: int) -> None:
        text = "".join(f"# Winch {number}\n\nA winch pulls {number}.\n\n" for number in range(sections))
        node = TextNode(id_="n", text=text)
        found = sentences_of(Retrieval("What pulls?", (NodeWithScore(node=node, score=1.0),), idf={"pull": 2.0}))
        assert len(found) == sections

    assert grows_linearly(scored, 300)
