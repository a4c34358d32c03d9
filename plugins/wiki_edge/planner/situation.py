"""The planner's input and output: text, numbers and their sources.

None of these types holds a function, a handle or a command, so no path leads from a chunk to a motor: the robot's own
program reads and decides. A test checks every type.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import NoneType
from typing import Any, Literal, Protocol

from ragstone.core import BadRequest, TooLarge
from ragstone.core.answering import check_type

from .order_flags import flags

#: An answer's origin: the language model on the robot, its shards, the remote agent.
Origin = Literal["slm", "rag", "remote"]
#: A fact of the encyclopedia, or a recall of the robot's own memory.
Kind = Literal["wiki", "episodic"]

#: Characters of a goal.
_LONGEST_GOAL = 4_000


@dataclass(frozen=True)
class Situation:
    """A robot's situation. Only the goal is needed."""

    goal: str
    #: What it sees, the most important first.
    detections: Sequence[str | Mapping[str, Any]] = ()
    pose: str | Mapping[str, Any] | None = None
    context: str = ""
    #: The safety layer's summary; every prompt has it whole.
    safety: str = ""
    #: Only facts of this domain and language.
    domain: str | None = None
    language: str | None = None


@dataclass(frozen=True)
class Chunk:
    """A fact of the encyclopedia or a recall of the robot's own memory: a quotation, whatever it says."""

    id: str
    kind: Kind
    text: str
    #: The search's score; and the cosine of goal and chunk, where it is known.
    score: float
    cosine: float | None = None
    title: str = ""
    heading: str = ""
    url: str = ""
    license: str = ""
    shard: str = ""
    #: What in it reads like an order; see ``order_flags``.
    flags: tuple[str, ...] = ()

    @property
    def similarity(self) -> float:
        """The cosine where it is known: the scores of different searches cannot be compared."""
        return self.score if self.cosine is None else self.cosine

    @property
    def source(self) -> str:
        """Its title and heading, or its id, in one line."""
        return " › ".join(part for part in (self.title, self.heading) if part) or self.id


@dataclass(frozen=True)
class PlannerContext:
    """The prompt's slots in the specification's order, and the prompt made of them."""

    detections: tuple[str, ...]
    pose: str
    facts: tuple[Chunk, ...]
    recalls: tuple[Chunk, ...]
    goal: str
    context: str
    safety: str
    prompt: str
    #: Ids of chunks that did not fit into the budget of tokens, the lowest score first.
    left_out: tuple[str, ...] = ()
    #: Why facts or recalls are missing.
    notes: tuple[str, ...] = ()

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """Facts, then recalls, as they are numbered in the prompt."""
        return self.facts + self.recalls


@dataclass(frozen=True)
class Source:
    """A chunk that an answer cites as ``[n]``, with its own words where it is quoted."""

    n: int
    id: str
    kind: Kind
    title: str
    url: str
    license: str
    quote: str = ""


@dataclass(frozen=True)
class Attempt:
    """One origin that was tried: its confidence, or why it failed, and what it cost."""

    origin: Origin
    ok: bool
    reason: str = ""
    confidence: float | None = None
    #: Millionths of a cent.
    cost: int = 0


@dataclass(frozen=True)
class PlannerAnswer:
    """What is known about a goal, or that nothing is known. Text, never a command."""

    text: str
    #: ``None``: nothing is known, and the text says so.
    origin: Origin | None
    confidence: float = 0.0
    sources: tuple[Source, ...] = ()
    #: What in the text reads like an order; see ``order_flags``.
    flags: tuple[str, ...] = ()
    #: Millionths of a cent that the remote agent has cost, or may have.
    cost: int = 0
    tried: tuple[Attempt, ...] = ()
    context: PlannerContext | None = field(default=None, repr=False)

    @property
    def known(self) -> bool:
        """Whether there is an answer."""
        return self.origin is not None


def checked_goal(situation: Situation) -> str:
    """The goal, without spaces around it. Raises ``BadRequest``, ``TooLarge``."""
    check_type(situation, "situation", Situation, "a Situation")
    check_type(situation.detections, "detections", (list, tuple), "a list of strings and mappings")
    for each in situation.detections:
        check_type(each, "each of detections", (str, Mapping), "a string or a mapping")
    check_type(situation.pose, "pose", (str, Mapping, NoneType), "a string, a mapping or None")
    for name in ("goal", "context", "safety"):
        check_type(getattr(situation, name), name, str, "a string")
    for name in ("domain", "language"):
        check_type(getattr(situation, name), name, (str, NoneType), "a string or None")
    if not situation.goal.strip():
        raise BadRequest("the goal is empty")
    if len(situation.goal) > _LONGEST_GOAL:
        raise TooLarge(f"the goal has {len(situation.goal):,} characters; {_LONGEST_GOAL:,} are allowed")
    return situation.goal.strip()


#: The specification's ``{score, metadata}``; also ``cosine`` where the score is something else, and ``shard``, its id.
Hit = Mapping[str, Any]


class Library(Protocol):
    """Searches the shards of a deployment, as ``ShardSearcher`` does. Its ``idf`` and ``refused`` may be missing."""

    def search(
        self, question: str, *, k: int, kind: str, domain: str | None = None, language: str | None = None
    ) -> Sequence[Hit]:
        """The ``k`` best chunks of shards of that kind, domain and language, best first. Raises ``RagstoneError``."""


def chunks_of(hits: Iterable[Hit], kind: Kind) -> list[Chunk]:
    """The hits as chunks, in their order."""
    found = []
    for hit in hits:
        metadata, score = hit["metadata"], hit["score"]
        named = {name: str(metadata.get(name) or "") for name in ("title", "heading", "url", "license")}
        text, cosine, shard = metadata["text"], hit.get("cosine", score), hit.get("shard", "")
        flagged = flags("\n".join((named["title"], named["heading"], text)))
        found.append(Chunk(metadata["id"], kind, text, score, cosine, **named, shard=shard, flags=flagged))
    return found
