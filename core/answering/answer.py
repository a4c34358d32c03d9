"""An assistant's answer: text, citations, chunks, timings; and its draft, of checked sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from llama_index.core.schema import NodeWithScore

from ..retrieval.models import Timings
from .citation_format import Place

_MOST_DROPPED = 50
#: Characters of a dropped sentence that are shown.
_LONGEST_DROPPED = 300


@dataclass(frozen=True)
class Citation:
    """A marker ``[n]`` of an answer, resolved to one offered chunk and a place that a person can open."""

    n: int
    chunk_id: str
    #: The words of the chunk that support the answer.
    quote: str
    #: Address of the chunk within this server, or of its published page; from the catalog, never from a model.
    url: str
    #: The assistant's own fields (book title, chapter, section, …), in its order.
    fields: Mapping[str, Any] = field(default_factory=dict)
    #: What a reader must know of the chunk: ``INSTRUCTIONS_NOTE`` where it holds instructions, else empty.
    note: str = ""
    #: Where the chunk is, for people: made of ``fields``, so it is not in the JSON.
    place: Place = field(default_factory=Place)

    def to_dict(self) -> dict[str, Any]:
        """The citation as JSON: ``n``, ``chunk_id``, the assistant's own fields, ``url``, ``quote``, any ``note``."""
        own = {"n": self.n, "chunk_id": self.chunk_id, **self.fields, "url": self.url, "quote": self.quote}
        return {**own, "note": self.note} if self.note else own


@dataclass(frozen=True)
class Answer:
    """One question's answer. A refused one has the refusal as its text, a reason, and no citations."""

    text: str
    citations: tuple[Citation, ...] = ()
    refused: bool = False
    #: Whether no chunk seems to answer the question: the text then says so and quotes what comes closest.
    closest: bool = False
    #: Why it is refused, or only comes closest.
    reason: str | None = None
    #: Words of the sources, verbatim, at the top of the text: the rest is dangerous without them.
    warnings: tuple[str, ...] = ()
    #: The chunks that the answer could draw on, best first.
    chunks: tuple[NodeWithScore, ...] = ()
    #: Sentences of a language model that failed the citation check, each with the reason.
    dropped: tuple[str, ...] = ()
    timings: Timings = field(default_factory=Timings)

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON."""
        return {
            "answer": self.text,
            "refused": self.refused,
            "closest": self.closest,
            "reason": self.reason,
            "warnings": list(self.warnings),
            "citations": [citation.to_dict() for citation in self.citations],
            "dropped": list(self.dropped),
            "timings_ms": self.timings.to_dict(),
        }


@dataclass(frozen=True)
class Delta:
    """A piece of an answer's text, given out while the answer is being made."""

    text: str


@dataclass(frozen=True)
class Sentence:
    """A supported sentence: its text without markers, and the numbers of its chunks (from 0)."""

    text: str
    chunks: tuple[int, ...]
    #: For each of the chunks its own words that support it.
    quotes: tuple[str, ...]
    #: Whether a new paragraph begins with it.
    opens_paragraph: bool = False


@dataclass
class Draft:
    """What a synthesizer reports beside its sentences."""

    #: Sentences that were left out, each with the reason.
    dropped: list[str] = field(default_factory=list)

    def drop(self, text: str, reason: str) -> None:
        """Note a sentence, or as much of it as may be shown; of very many only the first."""
        if len(self.dropped) < _MOST_DROPPED:
            cut = f"{text[:_LONGEST_DROPPED]}…" if len(text) > _LONGEST_DROPPED else text
            self.dropped.append(f"{cut} ({reason})")
