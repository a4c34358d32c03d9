"""Writes an answer piece by piece: from retrieved chunks, from an overview, or to a greeting."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Protocol

from llama_index.core.base.response.schema import Response
from llama_index.core.instrumentation.events.synthesis import SynthesizeEndEvent, SynthesizeStartEvent
from llama_index.core.schema import NodeWithScore
from llama_index.core.vector_stores.types import MetadataFilters

from ..corpus import Corpus
from ..retrieval.evidence_gate import Verdict
from ..retrieval.models import Retrieval
from ..retrieval.parts import RetrievalInParts
from ..tracing import step
from .answer import Answer, Delta, Draft
from .closest import closest_words
from .composition import Composition
from .overview import Overview
from .profile import Profile
from .question import LONGEST_QUESTION, Question
from .synthesis import Extractive, Synthesizer

NOTHING_FOUND = "nothing in the text answers this"
WITHHELD = "what the text says may not be repeated without a warning that it does not give"
NO_QUESTION = "a greeting, no question"
NOTHING_MORE = "nothing in the text goes on with what was answered"
NO_SENTENCE = "no sentence of the text answers this"
NOTHING_SUPPORTED = "no sentence of the answer is supported by the text"
NO_MORE = Answer("The text says nothing more about this.", refused=True, reason=NOTHING_MORE)


class AnswerPipeline(Protocol):
    """What an assistant retrieves and answers with."""

    def retrieve(
        self, corpus: Corpus, question: str, *, top_k: int, filters: MetadataFilters | None = None
    ) -> Retrieval:
        """Retrieve the chunks that the corpus offers to a question."""

    def synthesizer(self, prompt: str) -> Synthesizer:
        """Make an answer's sentences with the prompt of that name."""

    def note_failure(self, plugin: str, reason: str) -> None:
        """Note in the plugin's state what failed."""


class AnswerWriter:
    """Writes answers of one profile: each method yields pieces of the text and returns the answer."""

    def __init__(self, profile: Profile, pipeline: AnswerPipeline) -> None:
        self._profile = profile
        self._pipeline = pipeline

    def write(self, question: Question, retrieval: Retrieval, verdict: Verdict) -> Generator[Delta, None, Answer]:
        """The answer from the chunks, or a refusal."""
        started = time.perf_counter()

        def timed(answer: Answer) -> Answer:
            spent = (time.perf_counter() - started) * 1000
            return replace(answer, chunks=retrieval.nodes, timings=replace(retrieval.timings, answer=spent))

        if verdict == "refused":
            return timed(self._refused(question.filters, NOTHING_FOUND))
        draft = Draft()
        composed = Composition([chunk.node for chunk in retrieval.nodes], self._profile, retrieval.stored_terms)
        # A language model is not asked for what the chunks do not say.
        synthesizer = Extractive() if verdict == "closest" else self._pipeline.synthesizer(self._profile.prompt)
        if not isinstance(synthesizer, Extractive):  # as it was written: "in simple words"
            behind = retrieval.follow_up
            retrieval = replace(retrieval, question=behind.in_full[-LONGEST_QUESTION:] if behind else question.text)
        if verdict == "closest":
            composed.introduction = closest_words(retrieval)
        # A language model may say otherwise.
        elif isinstance(retrieval, RetrievalInParts) and retrieval.unanswered and isinstance(synthesizer, Extractive):
            composed.introduction = f"Not answered here: “{' '.join(retrieval.unanswered)}” The rest:"
        yield from self._composed(synthesizer, retrieval, draft, composed)
        if composed.is_empty:
            refused = self._refused(question.filters, NOTHING_SUPPORTED)
            if retrieval.follow_up is not None and not retrieval.follow_up.own:
                refused = NO_MORE
            if composed.refusal is not None:
                refused = Answer(composed.refusal, refused=True, reason=WITHHELD)
            return timed(replace(refused, dropped=tuple(draft.dropped)))
        return timed(
            Answer(
                composed.text,
                citations=tuple(composed.citations),
                closest=verdict == "closest",
                reason=NO_SENTENCE if verdict == "closest" else None,
                warnings=tuple(composed.warnings),
                dropped=tuple(draft.dropped),
            )
        )

    def summarize(self, overview: Overview, filters: Mapping[str, str]) -> Generator[Delta, None, Answer]:
        """The introduction and the sentences of an overview; a refusal where it has neither."""
        composed = Composition(overview.nodes, self._profile, {})
        composed.introduction = overview.introduction
        pieces = composed.add(list(overview.sentences()), Draft()) or [overview.introduction]
        if not any(pieces):
            return NO_MORE if overview.known else self._refused(filters, NOTHING_FOUND)
        yield from map(Delta, pieces)
        return Answer(
            composed.text,
            citations=tuple(composed.citations),
            warnings=tuple(composed.warnings),
            chunks=tuple(NodeWithScore(node=node) for node in overview.nodes),
        )

    def greet(self, reply: str) -> Generator[Delta, None, Answer]:
        yield Delta(reply)
        return Answer(reply, reason=NO_QUESTION)

    def _composed(
        self, synthesizer: Synthesizer, retrieval: Retrieval, draft: Draft, composed: Composition
    ) -> Generator[Delta, None, None]:
        question = retrieval.question
        with (
            step(f"{type(synthesizer).__name__}.sentences", question=question) as written,
            closing(synthesizer.sentences(retrieval, draft)) as sentences,
        ):
            written.emit(lambda: SynthesizeStartEvent(query=question))
            # Quotes are all known at once, so that their warnings come before the first of them.
            batches = [list(sentences)] if isinstance(synthesizer, Extractive) else ([each] for each in sentences)
            for batch in batches:
                for piece in composed.add(batch, draft):
                    yield Delta(piece)
            written.emit(lambda: SynthesizeEndEvent(query=question, response=Response(composed.text)))

    def _refused(self, filters: Mapping[str, str], reason: str) -> Answer:
        return Answer(self._profile.refusal(filters), refused=True, reason=reason)
