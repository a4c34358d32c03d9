"""The contract of retrievers: the host's own passes, and for every clause there is one that breaks it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
import pytest
from llama_index.core.callbacks import CallbackManager
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from ragstone.core import Corpus
from ragstone.core.retrieval import HybridRetriever, Retrieval, ScoredRetriever
from ragstone.core.testing import (
    RetrieverContract,
    ScoredRetrieverContract,
    SmallCorpus,
    fill_small_corpus,
    open_host,
)
from tests.core.testing.breaking import OneThread, breaks, clauses

Change = Callable[[str, list[NodeWithScore]], list[Any]]
Changes = Mapping[str, Callable[[Retrieval], object]]

QUESTION = "What is a caster wheel?"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    with open_host(tmp_path_factory.mktemp("host"), plugins={"small_corpus": SmallCorpus()}) as host:
        yield fill_small_corpus(host)


@pytest.fixture
def question() -> str:
    return QUESTION


class TestTheHostsOwn(ScoredRetrieverContract):
    @pytest.fixture
    def retriever(self, corpus: Corpus) -> BaseRetriever:
        return HybridRetriever(corpus, top_k=3)


class Offers(BaseRetriever):
    """Three chunks, whatever is asked, changed."""

    def __init__(self, change: Change) -> None:
        super().__init__(callback_manager=CallbackManager([]))
        self._change = change

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        texts = ("A caster swivels.", "A tyre grips.", "A jaw closes.")
        found = [NodeWithScore(node=TextNode(id_=text, text=text), score=1 / at) for at, text in enumerate(texts, 1)]
        return self._change(query_bundle.query_str, found)


class TestAnyRetriever(RetrieverContract):
    @pytest.fixture
    def retriever(self) -> BaseRetriever:
        return Offers(lambda question, found: found)


def scored(*scores: float) -> Change:
    return lambda question, found: [
        NodeWithScore(node=each.node, score=score) for each, score in zip(found, scores, strict=True)
    ]


def other_each_time() -> Change:
    number = count()
    return lambda question, found: [found[next(number) % len(found)]]


def particular(question: str, found: list[NodeWithScore]) -> list[NodeWithScore]:
    if '"' in question:
        raise ValueError("unbalanced quotation mark")
    return found


def in_one_thread() -> Change:
    one = OneThread()

    def offered(question: str, found: list[NodeWithScore]) -> list[NodeWithScore]:
        one.check()
        return found

    return offered


BROKEN: list[tuple[str, object, str]] = [
    ("test_it_is_a_retriever", object(), "it is a object, not a BaseRetriever"),
    ("test_it_finds_chunks_with_words", Offers(lambda question, found: []), "it finds nothing for"),
    (
        "test_it_finds_chunks_with_words",
        Offers(lambda question, found: [NodeWithScore(node=TextNode(id_="blank", text=" "))]),
        "the passage 'blank' has no words",
    ),
    ("test_the_best_come_first", Offers(scored(0.1, 0.2, 0.3)), "the scores do not fall: [0.1, 0.2, 0.3]"),
    ("test_the_best_come_first", Offers(scored(0.3, float("nan"), 0.1)), "a score is no number"),
    ("test_the_same_question_gives_the_same_chunks", Offers(other_each_time()), "asked again it offers"),
    ("test_odd_questions_raise_nothing", Offers(particular), "raised ValueError: unbalanced quotation mark"),
    ("test_it_works_in_another_thread", Offers(in_one_thread()), "raised RuntimeError: made in another thread"),
]

#: What ``search`` gives wrongly.
BROKEN_SCORES: list[tuple[str, Changes, str]] = [
    ("test_it_searches_for_what_was_asked", {"question": lambda found: "What else?"}, "that it was asked 'What else?'"),
    ("test_it_searches_for_what_was_asked", {"nodes": lambda found: found.nodes[:1]}, ", retrieve ["),
    ("test_it_offers_no_chunk_twice", {"nodes": lambda found: found.nodes * 2}, "is there twice"),
    ("test_every_chunk_has_its_scores", {"scores": lambda found: {}}, "has no scores"),
    (
        "test_every_chunk_has_its_scores",
        {"scores": lambda found: {k: replace(v, fused=float("inf")) for k, v in found.scores.items()}},
        "scores that are no numbers",
    ),
    ("test_what_it_weighs_by_are_numbers", {"threshold": lambda found: float("nan")}, "threshold has the weight nan"),
    ("test_what_it_weighs_by_are_numbers", {"idf": lambda found: {"caster": -1.0}}, "caster has the weight -1.0"),
    (
        "test_what_it_weighs_by_are_numbers",
        {"vector": lambda found: np.ones(4, np.float32)},
        "the question's vector has the length 2.0, not 1",
    ),
]


class Searches(HybridRetriever):
    """The host's own, with something changed in what its ``search`` gives."""

    def __init__(self, corpus: Corpus, changes: Changes) -> None:
        super().__init__(corpus, top_k=3)
        self._changes = changes

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return list(super().search(query_bundle.query_str).nodes)

    def search(self, question: str) -> Retrieval:
        found = super().search(question)
        named: dict[str, Any] = {name: change(found) for name, change in self._changes.items()}
        return replace(found, **named)


@pytest.mark.parametrize(("clause", "retriever", "words"), BROKEN)
def test_a_clause_fails_for_a_retriever_that_breaks_it(clause: str, retriever: object, words: str) -> None:
    breaks(RetrieverContract, clause, words, retriever=retriever, question=QUESTION)


@pytest.mark.parametrize(("clause", "changes", "words"), BROKEN_SCORES)
def test_a_clause_fails_for_scores_that_break_it(clause: str, changes: Changes, words: str, corpus: Corpus) -> None:
    breaks(ScoredRetrieverContract, clause, words, retriever=Searches(corpus, changes), question=QUESTION)


def test_a_retriever_without_scores_is_no_scored_one() -> None:
    words = "it is a Offers, not a ScoredRetriever"
    plain = Offers(lambda question, found: found)
    breaks(ScoredRetrieverContract, "test_it_is_a_scored_retriever", words, retriever=plain)


def test_every_clause_is_broken_by_one() -> None:
    tried = {clause for clause, *_ in [*BROKEN, *BROKEN_SCORES]} | {"test_it_is_a_scored_retriever"}
    assert tried == clauses(ScoredRetrieverContract)
    assert issubclass(HybridRetriever, ScoredRetriever)
