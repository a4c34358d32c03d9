"""The retriever of the plans' chunks: by the concepts that a question is about, and by the learner's answers."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import chain

from llama_index.core.callbacks import CallbackManager
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

from ragstone.core import Host
from ragstone.core.retrieval import HybridRetriever, Retrieval, ScoredRetriever, weigh_evidence
from ragstone.core.text import sentence_spans

from .learning.lessons import Lessons
from .learning.records import BLANK, ME, Attempt, Question
from .plans import corpus_of
from .plans.concept_names import ConceptNames, concepts_named
from .plans.records import Concept
from .plans.store import PlanStore

#: Of the chunks that are offered, how many may be of other concepts than those that the question names.
_OTHERS = 0.4
#: A chunk of another concept counts so much less.
_LESS = 0.9
#: Sentences around the span that supports a question's key.
_AROUND = 1
#: Asks about the answer that was given last ("why was my answer wrong?").
_LAST_ANSWER = re.compile(
    r"\bmy (?:last |latest |previous )?(?:answers?|repl(?:y|ies)|attempts?|mistakes?|errors?)\b"
    r"|\bwhat did i (?:get|do) wrong\b|\bwhy (?:was|is|were) (?:i|that|this|it) (?:wrong|not right|incorrect|false)\b"
    r"|\bwhat (?:was|is|would have been) the (?:right|correct) answer\b|\bthe last question\b",
    re.IGNORECASE,
)
#: Asks what to learn ("what should I practise?").
_WEAKEST = re.compile(
    r"\bwhat (?:should|must|do|can|shall) i (?:learn|study|practi[sc]e|review|revise|repeat|do|read)\b"
    r"|\bwh(?:at|ere) am i (?:weak|bad|worst)\w*|\bmy weak\w*|\bwhat(?:'s| is) next\b|\bweakest\b"
    r"|\bwhat do i (?:not know|know (?:least|worst))\b",
    re.IGNORECASE,
)


class TutorRetriever(ScoredRetriever):
    """Offers the chunks of the concepts that a question is about.

    Those are found by name, else by meaning; what the plan's chunks answer without either is offered too; else it is
    the weakest concepts' chunks, and the gate decides. A question about the learner's last answer is offered the
    span that supports that question's key. A filter by ``plan`` leaves one plan's material, one by ``learner`` says
    whose answers are meant.
    """

    def __init__(self, host: Host, top_k: int, filters: MetadataFilters | None) -> None:
        super().__init__(callback_manager=CallbackManager([]))
        asked = [part for part in filters.filters if isinstance(part, MetadataFilter)] if filters is not None else []
        filtered = {part.key: str(part.value) for part in asked}
        self._host = host
        self._top_k = top_k
        self._plan = filtered.get("plan")
        self._learner = filtered.get("learner", ME)

    def search(self, question: str) -> Retrieval:
        """The chunks with their scores. Raises ``NotFound``, ``EncoderError``, ``StorageError``."""
        store = self._host.once(PlanStore)
        slugs = [self._plan] if self._plan is not None else [size.plan.slug for size in store.plans()]
        if _LAST_ANSWER.search(question) and (last := self._last()) is not None:
            return self._about(question, *last)
        if _WEAKEST.search(question) and (found := self._of_weakest(slugs, question)) is not None:
            # which concept is asked about is not for the gate to doubt: the learner left it to the tutor
            return replace(found, threshold=0.0)
        general = self._among(question, slugs)
        concepts = [concept for slug in slugs for concept in store.concepts(slug)]
        about = concepts_named(question, concepts)
        if not about and general.vector is not None:
            about = self._host.once(ConceptNames).meant(general.vector, concepts)
        if about:
            focused = self._among(question, slugs, list(chain(*self._chunks(about))))
            return self._with(general, focused)
        if weigh_evidence(general).score >= general.threshold:
            return general
        weakest = self._of_weakest(slugs, question)
        return general if weakest is None else self._with(general, weakest)

    def _among(self, question: str, slugs: Sequence[str], chunks: Collection[str] | None = None) -> Retrieval:
        part = MetadataFilter(key="plan", value=list(slugs), operator=FilterOperator.IN)
        if chunks is not None:
            part = MetadataFilter(key="chunk", value=sorted(chunks), operator=FilterOperator.IN)
        corpus = corpus_of(self._host)
        return HybridRetriever(corpus, top_k=self._top_k, filters=MetadataFilters(filters=[part])).search(question)

    def _chunks(self, concepts: Collection[Concept]) -> list[list[str]]:
        store = self._host.once(PlanStore)
        chunks = {slug: store.chunk_ids(slug) for slug in {one.plan for one in concepts}}
        return [chunks[one.plan][one.key] for one in concepts]

    def _with(self, general: Retrieval, focused: Retrieval) -> Retrieval:
        """The concepts' own chunks first, then the best of the others."""
        most = max(1, round(self._top_k * (1 - _OTHERS)))
        own = focused.nodes[:most] if len(general.nodes) > 1 else focused.nodes
        there = {each.node.node_id for each in own}
        others = [each for each in general.nodes if each.node.node_id not in there]
        others = others[: self._top_k - len(own)]
        rest = focused.nodes[len(own) : self._top_k - len(others)]
        chosen = [*own, *rest, *(NodeWithScore(node=each.node, score=(each.score or 0.0) * _LESS) for each in others)]
        return replace(
            general,
            nodes=tuple(chosen),
            scores={**general.scores, **focused.scores},
            stored_terms={**general.stored_terms, **focused.stored_terms},
        )

    def _of_weakest(self, slugs: Sequence[str], question: str) -> Retrieval | None:
        lessons, store = self._host.once(Lessons), self._host.once(PlanStore)
        weakest = [
            store.concept(slug, one.concept) for slug in slugs for one in lessons.weakest(slug, learner=self._learner)
        ]
        with_sources = [each for each in zip(weakest, self._chunks(weakest), strict=True) if each[1]]
        if not with_sources:
            return None
        if _WEAKEST.search(question):
            concept, chunks = with_sources[0]
            return self._among(f"What is {concept.name}?", slugs, chunks)
        return self._among(question, slugs, [each for _, chunks in with_sources for each in chunks])

    def _last(self) -> tuple[Attempt, Question] | None:
        lessons = self._host.once(Lessons)
        last = lessons.last(self._plan, learner=self._learner, most=1)
        return (last[0], lessons.question(last[0].question_id)) if last else None

    def _about(self, question: str, attempt: Attempt, last: Question) -> Retrieval:
        text, key = last.text, last.key
        # the question with its key in it resembles the span that supports it
        words = text.replace(BLANK, key) if BLANK in text else f"{text} {key}"
        found = self._among(words, [last.plan], [last.support.chunk_id])
        if not found.nodes:
            return found
        node = NodeWithScore(node=_around(found.nodes[0].node, last.support.text), score=found.nodes[0].score)
        rewritten = (
            f"{question} (The learner was asked: {text} Their answer: {attempt.answer}. "
            f"It was graded {attempt.verdict}; the right answer: {key})"
        )
        # The gate has nothing to weigh: these are the words that support the graded question.
        return replace(
            found,
            question=" ".join(rewritten.split()),
            nodes=(node,),
            threshold=0.0,
            # Those that are stored are of the whole chunk.
            stored_terms={},
            sentence_cosines={},
        )


def _around(node: object, words: str) -> TextNode:
    """The chunk, cut to the sentences around these words of it."""
    assert isinstance(node, TextNode)  # noqa: S101 - for the type checker: the corpus holds no others
    text = node.get_content()
    start = text.find(words)
    if start < 0:
        return node
    end = start + len(words)
    spans = list(sentence_spans(text))
    touched = [number for number, (first, last) in enumerate(spans) if first < end and last > start]
    if not touched:
        return node
    first = spans[max(0, touched[0] - _AROUND)][0]
    last = spans[min(len(spans) - 1, touched[-1] + _AROUND)][1]
    cut = node.model_copy(deep=True)
    cut.set_content(text[first:last])
    return cut
