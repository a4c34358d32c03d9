"""What a retriever must keep to, so that the host can weigh, show and cite what it offers."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, TextNode

from ...answering.question import LONGEST_QUESTION
from ...retrieval.models import Retrieval
from ...retrieval.search import ScoredRetriever
from .saying import hold, in_another_thread, must_work

#: What people and programs ask besides questions.
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
_ABOUT = 1e-3


class RetrieverContract:
    """Give the fixtures ``retriever`` and ``question``: one for which it finds something."""

    def test_it_is_a_retriever(self, retriever: object) -> None:
        """It is LlamaIndex's own kind of retriever: the host takes no other."""
        hold(isinstance(retriever, BaseRetriever), f"it is a {type(retriever).__name__}, not a BaseRetriever")

    def test_it_finds_passages_with_words(self, retriever: BaseRetriever, question: str) -> None:
        """It gives nodes with scores, at least one, each with words."""
        found = _found(retriever, question)
        hold(found, f"it finds nothing for {question!r}")
        for each in found:
            hold(each.node.get_content().strip(), f"the passage {each.node.node_id!r} has no words")

    def test_the_best_come_first(self, retriever: BaseRetriever, question: str) -> None:
        """Scores, where there are any, are numbers, and none is above the one before it."""
        scores = [each.score for each in _found(retriever, question) if each.score is not None]
        hold(all(math.isfinite(score) for score in scores), f"a score is no number: {scores}")
        hold(all(high >= low for high, low in pairwise(scores)), f"the scores do not fall: {scores}")

    def test_the_same_question_gives_the_same_passages(self, retriever: BaseRetriever, question: str) -> None:
        """Asked again, while nothing changes, it offers the same in the same order."""
        first, again = (_ids(_found(retriever, question)) for _ in range(2))
        hold(first == again, f"asked again it offers {again}, not {first}")

    def test_odd_questions_raise_nothing(self, retriever: BaseRetriever) -> None:
        """Whatever is asked, in up to 4,000 characters, gives passages or none, and no error."""
        for odd in _ODD:
            _found(retriever, odd)

    def test_it_works_in_another_thread(self, retriever: BaseRetriever, question: str) -> None:
        """Every request of a server is another thread's."""
        here = _ids(_found(retriever, question))
        there = in_another_thread(lambda: _ids(_found(retriever, question)))
        hold(here == there, f"in another thread it offers {there}, not {here}")


class ScoredRetrieverContract(RetrieverContract):
    """For a ``ScoredRetriever``, whose own scores the host believes."""

    def test_it_is_a_scored_retriever(self, retriever: object) -> None:
        """It tells why it offers what it offers."""
        hold(isinstance(retriever, ScoredRetriever), f"it is a {type(retriever).__name__}, not a ScoredRetriever")

    def test_it_searches_for_what_was_asked(self, retriever: ScoredRetriever, question: str) -> None:
        """``search`` and ``retrieve`` offer the same, and ``search`` says for which question."""
        searched = _searched(retriever, question)
        hold(searched.question == question, f"it says that it was asked {searched.question!r}, not {question!r}")
        ids, retrieved = _ids(list(searched.nodes)), _ids(_found(retriever, question))
        hold(ids == retrieved, f"search offers {ids}, retrieve {retrieved}")

    def test_it_offers_no_passage_twice(self, retriever: ScoredRetriever, question: str) -> None:
        """Each passage is there once: LlamaIndex sees to that in ``retrieve``, nobody in ``search``."""
        ids = _ids(list(_searched(retriever, question).nodes))
        twice = next((each for each in ids if ids.count(each) > 1), None)
        hold(twice is None, f"the passage {twice!r} is there twice")

    def test_every_passage_has_its_scores(self, retriever: ScoredRetriever, question: str) -> None:
        """What it offers has its ``Scores``, and they are numbers: the evidence is weighed by them."""
        searched = _searched(retriever, question)
        for each in searched.nodes:
            scores = searched.scores.get(each.node.node_id)
            hold(scores is not None, f"the passage {each.node.node_id!r} has no scores")
            told = vars(scores).values() if scores is not None else ()
            numbers = [value for value in told if isinstance(value, float)]
            hold(all(math.isfinite(value) for value in numbers), f"scores that are no numbers: {scores}")

    def test_what_it_weighs_by_are_numbers(self, retriever: ScoredRetriever, question: str) -> None:
        """The threshold and the words' idf are numbers and not negative; the question's vector has the length 1."""
        searched = _searched(retriever, question)
        weights = {"threshold": searched.threshold, **searched.idf}
        for name, value in weights.items():
            hold(math.isfinite(value) and value >= 0, f"{name} has the weight {value}")
        if searched.vector is not None:
            length = float(np.linalg.norm(searched.vector))
            hold(abs(length - 1) < _ABOUT, f"the question's vector has the length {length}, not 1")


def _found(retriever: BaseRetriever, question: str) -> list[NodeWithScore]:
    found = must_work(lambda: retriever.retrieve(question), f"retrieve({question[:40]!r})")
    for each in found:
        fits = isinstance(each, NodeWithScore) and isinstance(each.node, TextNode)
        hold(fits, f"it gives a {type(each).__name__}, not a NodeWithScore with a TextNode")
    return list(found)


def _searched(retriever: ScoredRetriever, question: str) -> Retrieval:
    searched = must_work(lambda: retriever.search(question), f"search({question[:40]!r})")
    hold(isinstance(searched, Retrieval), f"search gives a {type(searched).__name__}, not a Retrieval")
    return searched


def _ids(found: list[NodeWithScore]) -> list[str]:
    return [each.node.node_id for each in found]
