"""What a study plan is made of. Frozen: a change goes through ``PlanStore``."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

#: The state of a concept's sources: not looked for yet; a process is looking; there are some; the wikis have none; the
#: search failed, with a reason. All but ``found`` can be tried again.
SourceState = Literal["waiting", "running", "found", "none", "failed"]


#: Before the title of a book where a chunk says what it is from.
BOOK = "book "


@dataclass(frozen=True)
class Plan:
    """A study plan. ``slug`` is its name in addresses and commands; ``origin``: where it came from, in words."""

    slug: str
    title: str
    description: str
    #: Of its concepts' names; empty if unknown.
    language: str
    origin: str
    #: In UTC.
    created: datetime


@dataclass(frozen=True)
class Concept:
    """One thing to learn. ``key`` is its name in addresses, unique within its plan; ``position`` its place there."""

    plan: str
    key: str
    name: str
    summary: str
    #: From 0, as the plan was written.
    position: int
    state: SourceState = "waiting"
    #: Why there are no sources, or not all that could be, in words for a reader; empty otherwise.
    reason: str = ""


@dataclass(frozen=True)
class Edge:
    """``prerequisite`` is to be learned before ``concept``; both are keys of concepts of one plan.

    ``weight``: above 0 to 1, how much it matters; of a circle the lightest edge goes.
    """

    prerequisite: str
    concept: str
    reason: str = ""
    weight: float = 1.0


@dataclass(frozen=True)
class NewChunk:
    """A chunk on its way to a concept. Its text is untrusted; its addresses come from the settings and the wiki."""

    #: Name of the wiki in the settings, such as ``wikipedia``; the plan's own word for it in a seeded plan.
    source: str
    page_title: str
    #: What a reader opens, with the section's anchor.
    page_url: str
    #: The headings above it, joined by " › "; empty for the lead.
    section: str
    revision: str
    licence: str
    #: When the wiki last confirmed it, in UTC.
    retrieved: datetime
    #: 0 to 1 or so; only for comparison within a concept.
    relevance: float
    content: str
    language: str = ""
    #: Made of the address and the text if it is empty: it stays when a newer revision has the same text there.
    chunk_id: str = ""
    #: Of its page, by the wiki; of a book's section, its chapter.
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SourceChunk(NewChunk):
    """A stored chunk of a concept. One that two concepts of a plan use has one ``chunk_id`` and a rank for each."""

    plan: str
    concept: str
    #: From 1, the most relevant first.
    rank: int


@dataclass(frozen=True)
class PlanSize:
    """A plan with what it holds, in numbers."""

    plan: Plan
    concepts: int
    edges: int
    chunks: int
    #: How many concepts are in each state; states that no concept is in are missing.
    states: dict[SourceState, int]


@dataclass(frozen=True)
class NewConcept:
    """A concept on its way into a plan; ``position`` is its place in the plan's ``concepts``."""

    key: str
    name: str
    summary: str = ""


@dataclass(frozen=True)
class NewPlan:
    """A plan on its way into the store: ``edges`` between its keys, without circles (see ``graph.break_cycles``)."""

    slug: str
    title: str
    concepts: tuple[NewConcept, ...]
    edges: tuple[Edge, ...] = ()
    description: str = ""
    language: str = ""
    origin: str = ""
    #: Slugs of the books that its chunks are from, where it was made of a corpus of books.
    books: tuple[str, ...] | None = None
