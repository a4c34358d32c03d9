"""Search without an answer: the chunks that a question would be answered from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from llama_index.core.schema import NodeWithScore

from ..retrieval.sentences import sentences_of
from ..text.instructions import instruction_note
from .assistant import Assistant
from .citation_format import Place
from .question import Question


@dataclass(frozen=True)
class FoundChunk:
    """A chunk that was found."""

    #: Its place among those that were found, from 1.
    n: int
    chunk_id: str
    #: The chunks are ordered by it. Not comparable between questions.
    score: float | None
    text: str
    #: Address of the chunk within the server, or of its published page.
    url: str
    #: The assistant's own fields, in its order.
    fields: Mapping[str, Any] = field(default_factory=dict)
    #: The sentence of the text that matches best; empty where it has none.
    excerpt: str = ""
    #: As ``Citation.note``.
    note: str = ""
    place: Place = field(default_factory=Place)

    @property
    def label(self) -> str:
        """Its place for people, with the note behind it: ``Robot parts › Wheels › Casters``."""
        place = " › ".join(self.place.path) or self.chunk_id
        return f"{place} ({self.note})" if self.note else place

    def to_dict(self) -> dict[str, Any]:
        """The chunk as JSON: ``n``, ``chunk_id``, the assistant's fields, ``url``, ``score``, ``text``, ``note``."""
        own = {"n": self.n, "chunk_id": self.chunk_id, **self.fields}
        own |= {"url": self.url, "score": self.score, "text": self.text}
        return {**own, "note": self.note} if self.note else own


@dataclass(frozen=True)
class Findings:
    """What was found, best first, and whether it is enough to answer from."""

    chunks: tuple[FoundChunk, ...]
    enough: bool

    def to_dict(self) -> dict[str, Any]:
        """The findings as JSON: ``passages`` and ``enough``."""
        return {"passages": [chunk.to_dict() for chunk in self.chunks], "enough": self.enough}


def find_chunks(assistant: Assistant, question: Question | str) -> Findings:
    """The chunks that ``assistant.ask`` would answer from. Errors as there."""
    found, verdict = assistant.retrieve_for(question)
    form = assistant.profile.citations
    best: dict[int, str] = {}
    for sentence in sentences_of(found):
        best.setdefault(sentence.chunk, sentence.text)

    def chunk(n: int, each: NodeWithScore) -> FoundChunk:
        fields = {name: each.node.metadata.get(name) for name in form.fields}
        return FoundChunk(
            n=n,
            chunk_id=each.node.node_id,
            score=None if each.score is None else round(each.score, 4),
            text=each.node.get_content(),
            url=form.url(each.node),
            fields=fields,
            excerpt=best.get(n - 1, ""),
            note=instruction_note(each.node, found.stored_terms.get(each.node.node_id)),
            place=form.place(fields | dict(form.shown(each.node))),
        )

    return Findings(tuple(chunk(n, each) for n, each in enumerate(found.nodes, start=1)), verdict == "answered")
