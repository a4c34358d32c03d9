"""Cosines of sentences whose vectors were stored with the chunk, or were not."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from llama_index.core.schema import NodeWithScore, TextNode

from ragstone.core.retrieval import Retrieval
from ragstone.core.retrieval.sentences import with_sentence_cosines


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
