"""Measures the evidence gate before a language model and the citation check after it, compared with the encoder."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from ragstone.core.citations import CitableChunks, Splitter
from ragstone.core.retrieval import Retrieval, weigh_evidence
from ragstone.core.text import sentence_spans
from ragstone.core.text.chunk_terms import headings_of

from .figures import spread
from .ragstone_measurements import opened

#: Sentences of an answer, which cite the best chunks in turn, and the characters of which it is streamed.
_SENTENCES = 5
_CITED = 3
_CHUNKS = 5
_PIECE = 5


def check(work: str) -> dict[str, Any]:
    """For each question: encoding it, weighing its chunks, and checking an answer of five sentences to it."""
    questions = json.loads(Path(work, "questions.json").read_text("utf-8"))
    parts: dict[str, list[float]] = {"encode": [], "gate": [], "check": [], "gate_and_check": []}
    stood = sentences = 0
    with opened(work) as host:
        assistant = host.assistant("book_chat")
        for question in [*questions[:10], *questions]:  # the first ones warm up
            retrieval = host.pipeline.retrieve(assistant.corpus, question, top_k=_CHUNKS)
            started = time.perf_counter()
            weigh_evidence(retrieval)
            weighed = time.perf_counter()
            parts["gate"].append((weighed - started) * 1000)
            parts["encode"].append(retrieval.timings.encode)
            answer = _answer(retrieval)
            started = time.perf_counter()
            faults = _checked(retrieval, answer)
            parts["check"].append((time.perf_counter() - started) * 1000)
            parts["gate_and_check"].append(parts["gate"][-1] + parts["check"][-1])
            stood, sentences = stood + faults.count(None), sentences + len(faults)
    ms = {name: spread(values[10:]) for name, values in parts.items()}
    return {
        "questions": len(questions),
        "ms": ms,
        "stood": round(stood / max(1, sentences), 4),
        "ratio_p50": round(ms["gate_and_check"]["p50"] / ms["encode"]["p50"], 3),
    }


def _answer(retrieval: Retrieval) -> str:
    """Sentences of the best chunks, as a model that follows its prompt writes them."""
    written: list[str] = []
    for number, chunk in enumerate(retrieval.nodes[:_CITED], start=1):
        text = chunk.node.get_content()
        found = [text[start:end] for start, end in sentence_spans(text)]
        written += [f"{one} [{number}]" for one in found if 40 < len(one) < 300 and "\n" not in one][:2]
    return " ".join(written[:_SENTENCES])


def _checked(retrieval: Retrieval, answer: str) -> list[str | None]:
    """As the answer comes in: cut into sentences, each one checked. Every chunk is analyzed anew."""
    nodes = [chunk.node for chunk in retrieval.nodes]
    texts, headings = [node.get_content() for node in nodes], [headings_of(node) for node in nodes]
    chunks = CitableChunks(texts, headings, terms=[retrieval.terms(number) for number in range(len(nodes))])
    splitter = Splitter()
    faults: list[str | None] = []
    for start in range(0, len(answer), _PIECE):
        faults += [chunks.check(sentence).fault for sentence in splitter.feed(answer[start : start + _PIECE])]
    return faults + [chunks.check(sentence).fault for sentence in splitter.rest()]
