"""Search without an answer: the passages that a question would be answered from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..text.instructions import instruction_note

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..retrieval.follow_up import Turn
    from .assistant import Assistant

_PLACE = ("book_title", "title", "page_title", "chapter", "section", "heading", "place")


@dataclass(frozen=True)
class FoundPassage:
    """A passage that was found."""

    #: Its place among those that were found, from 1.
    n: int
    chunk_id: str
    #: By which they are ordered; it says nothing across questions.
    score: float | None
    text: str
    #: Address of the passage within the server, or of its published page.
    url: str
    #: What the assistant tells of its passages, in its own order.
    fields: Mapping[str, Any] = field(default_factory=dict)
    #: What a reader must know of it: that it holds instructions, which are text like all else.
    note: str = ""

    @property
    def place(self) -> str:
        """Where it stands, for people: ``Robot parts › Wheels › Casters``."""
        told = [str(self.fields[name]) for name in _PLACE if self.fields.get(name)]
        return " › ".join(dict.fromkeys(told)) or self.chunk_id

    @property
    def label(self) -> str:
        """Its place, with the note behind it."""
        return f"{self.place} ({self.note})" if self.note else self.place

    def to_dict(self) -> dict[str, Any]:
        """The passage as JSON: ``n``, ``chunk_id``, the assistant's fields, ``url``, ``score``, ``text``, ``note``."""
        own = {"n": self.n, "chunk_id": self.chunk_id, **self.fields}
        own |= {"url": self.url, "score": self.score, "text": self.text}
        return {**own, "note": self.note} if self.note else own


@dataclass(frozen=True)
class Findings:
    """What was found, best first, and whether it is enough to answer from."""

    passages: tuple[FoundPassage, ...]
    enough: bool

    def to_dict(self) -> dict[str, Any]:
        """As every door's JSON gives it."""
        return {"passages": [passage.to_dict() for passage in self.passages], "enough": self.enough}


def find_passages(
    assistant: Assistant,
    question: str,
    *,
    top_k: int | None = None,
    narrow: Mapping[str, str] | None = None,
    history: Sequence[Turn] = (),
) -> Findings:
    """The passages that ``assistant.ask`` would answer from. Arguments and errors as there."""
    found, enough = assistant.retrieve_for(question, top_k=top_k, narrow=narrow, history=history)
    profile = assistant.profile
    passages = tuple(
        FoundPassage(
            n=n,
            chunk_id=each.node.node_id,
            score=None if each.score is None else round(each.score, 4),
            text=each.node.get_content(),
            url=profile.url(each.node),
            fields={name: each.node.metadata.get(name) for name in profile.fields},
            note=instruction_note(each.node),
        )
        for n, each in enumerate(found.nodes, start=1)
    )
    return Findings(passages, enough)
