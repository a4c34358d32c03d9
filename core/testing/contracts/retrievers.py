"""The contract of retrievers: the host can score, show and cite their chunks."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, TextNode

from ...answering.question import LONGEST_QUESTION
from ...retrieval.models import Retrieval
from ...retrieval.search import ScoredRetriever
from .assertions import attempt, check, run_in_thread

#: Inputs other than well-formed questions.
_ODD = (
    "?",
    "the of and",
    "\"unbalanced AND (words OR -minus NEAR/3 col:on* ' ; DROP TABLE",
    "ζ 泡立て器 فرّاشة 🤖 \u202edrawkcab\u202c",
    "<script>alert(1)</script> [1] {context_str} %s \\",
    "wheel " * (LONGEST_QUESTION // 6),
    "x" * LONGEST_QUESTION,
)
#: How far from 1 the length of a unit vector may be.
_TOLERANCE = 1e-3


class RetrieverContract:
    """Fixtures of the subclass: ``retriever``, and ``question``, for which it finds chunks."""

    def test_it_is_a_retriever(self, retriever: object) -> None:
        """It is an instance of LlamaIndex's ``BaseRetriever``: the host accepts no other class."""
        check(isinstance(retriever, BaseRetriever), f"it is a {type(retriever).__name__}, not a BaseRetriever")

    def test_it_finds_chunks_with_words(self, retriever: BaseRetriever, question: str) -> None:
        """It returns at least one node with a score, none of them without text."""
        found = _retrieve(retriever, question)
        check(found, f"it finds nothing for {question!r}")
        for each in found:
            check(each.node.get_content().strip(), f"the passage {each.node.node_id!r} has no words")

    def test_the_best_come_first(self, retriever: BaseRetriever, question: str) -> None:
        """Scores, where there are any, are finite and do not increase."""
        scores = [each.score for each in _retrieve(retriever, question) if each.score is not None]
        check(all(math.isfinite(score) for score in scores), f"a score is no number: {scores}")
        check(all(high >= low for high, low in pairwise(scores)), f"the scores do not fall: {scores}")

    def test_the_same_question_gives_the_same_chunks(self, retriever: BaseRetriever, question: str) -> None:
        """While nothing changes, the same question gets the same chunks in the same order."""
        first, again = (_ids(_retrieve(retriever, question)) for _ in range(2))
        check(first == again, f"asked again it offers {again}, not {first}")

    def test_odd_questions_raise_nothing(self, retriever: BaseRetriever) -> None:
        """Any input of up to 4,000 characters gives chunks or none, and no error."""
        for odd in _ODD:
            _retrieve(retriever, odd)

    def test_it_works_in_another_thread(self, retriever: BaseRetriever, question: str) -> None:
        """It retrieves in a thread that did not create it, as in a server."""
        here = _ids(_retrieve(retriever, question))
        there = run_in_thread(lambda: _ids(_retrieve(retriever, question)))
        check(here == there, f"in another thread it offers {there}, not {here}")


class ScoredRetrieverContract(RetrieverContract):
    """For a ``ScoredRetriever``, whose scores the host uses."""

    def test_it_is_a_scored_retriever(self, retriever: object) -> None:
        """It is an instance of ``ScoredRetriever``."""
        check(isinstance(retriever, ScoredRetriever), f"it is a {type(retriever).__name__}, not a ScoredRetriever")

    def test_it_searches_for_what_was_asked(self, retriever: ScoredRetriever, question: str) -> None:
        """``search`` and ``retrieve`` return the same chunks, and ``search`` the question with them."""
        searched = _search(retriever, question)
        check(searched.question == question, f"it says that it was asked {searched.question!r}, not {question!r}")
        ids, retrieved = _ids(list(searched.nodes)), _ids(_retrieve(retriever, question))
        check(ids == retrieved, f"search offers {ids}, retrieve {retrieved}")

    def test_it_offers_no_chunk_twice(self, retriever: ScoredRetriever, question: str) -> None:
        """``search`` returns each chunk once; in ``retrieve`` LlamaIndex removes duplicates."""
        ids = _ids(list(_search(retriever, question).nodes))
        twice = next((each for each in ids if ids.count(each) > 1), None)
        check(twice is None, f"the passage {twice!r} is there twice")

    def test_every_chunk_has_its_scores(self, retriever: ScoredRetriever, question: str) -> None:
        """Every chunk has ``Scores`` with finite numbers, which the evidence gate needs."""
        searched = _search(retriever, question)
        for each in searched.nodes:
            scores = searched.scores.get(each.node.node_id)
            check(scores is not None, f"the passage {each.node.node_id!r} has no scores")
            fields = vars(scores).values() if scores is not None else ()
            numbers = [value for value in fields if isinstance(value, float)]
            check(all(math.isfinite(value) for value in numbers), f"scores that are no numbers: {scores}")

    def test_what_it_weighs_by_are_numbers(self, retriever: ScoredRetriever, question: str) -> None:
        """The threshold and the idf values are finite and not negative; the question's vector has the length 1."""
        searched = _search(retriever, question)
        weights = {"threshold": searched.threshold, **searched.idf}
        for name, value in weights.items():
            check(math.isfinite(value) and value >= 0, f"{name} has the weight {value}")
        if searched.vector is not None:
            length = float(np.linalg.norm(searched.vector))
            check(abs(length - 1) < _TOLERANCE, f"the question's vector has the length {length}, not 1")


def _retrieve(retriever: BaseRetriever, question: str) -> list[NodeWithScore]:
    found = attempt(lambda: retriever.retrieve(question), f"retrieve({question[:40]!r})")
    for each in found:
        fits = isinstance(each, NodeWithScore) and isinstance(each.node, TextNode)
        check(fits, f"it gives a {type(each).__name__}, not a NodeWithScore with a TextNode")
    return list(found)


def _search(retriever: ScoredRetriever, question: str) -> Retrieval:
    searched = attempt(lambda: retriever.search(question), f"search({question[:40]!r})")
    check(isinstance(searched, Retrieval), f"search gives a {type(searched).__name__}, not a Retrieval")
    return searched


def _ids(found: list[NodeWithScore]) -> list[str]:
    return [each.node.node_id for each in found]
