"""What goes into the planner and what comes out of it: text, numbers and where each of them is from. Nothing that acts.

None of these types holds a function, a handle or a command: whoever moves a robot has to decide it himself, having
read, and no path leads from a passage to a motor. A test walks through all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: Who gave an answer: the language model on the robot, its shards, the agent elsewhere.
Origin = Literal["slm", "rag", "remote"]


@dataclass(frozen=True)
class Situation:
    """What a robot is at. Only the goal is needed."""

    goal: str
    #: What it sees, the most important first.
    detections: Sequence[str | Mapping[str, Any]] = ()
    pose: str | Mapping[str, Any] | None = None
    context: str = ""
    #: What its safety layer says; it reaches every prompt whole.
    safety: str = ""
    #: Only facts of this domain and language.
    domain: str | None = None
    language: str | None = None


@dataclass(frozen=True)
class Passage:
    """A fact of the encyclopedia or a recall of the robot's own memory: a quotation, whatever it says."""

    id: str
    kind: Literal["wiki", "episodic"]
    text: str
    #: As the search ranked it; and the cosine of goal and passage, where it is known.
    score: float
    cosine: float | None = None
    title: str = ""
    heading: str = ""
    url: str = ""
    license: str = ""
    #: Id of the shard.
    shard: str = ""
    #: What in it reads like an order to whoever reads it; see ``fencing``.
    flags: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """Where it stands, in one line."""
        return " › ".join(part for part in (self.title, self.heading) if part) or self.id


@dataclass(frozen=True)
class PlannerContext:
    """The prompt's slots in the specification's order, and the prompt made of them."""

    detections: tuple[str, ...]
    pose: str
    facts: tuple[Passage, ...]
    recalls: tuple[Passage, ...]
    goal: str
    context: str
    safety: str
    prompt: str
    #: Ids of passages that the budget of tokens had no room for, the lowest score first.
    left_out: tuple[str, ...] = ()
    #: Why facts or recalls are missing.
    notes: tuple[str, ...] = ()

    @property
    def passages(self) -> tuple[Passage, ...]:
        """Facts, then recalls, as they are numbered in the prompt."""
        return self.facts + self.recalls


@dataclass(frozen=True)
class Source:
    """A passage that an answer rests on: ``[n]``, and its own words where it is quoted."""

    n: int
    id: str
    kind: Literal["wiki", "episodic"]
    title: str
    url: str
    license: str
    quote: str = ""


@dataclass(frozen=True)
class Attempt:
    """One of the three that were tried: how sure it was, or why it failed, and what it cost."""

    origin: Origin
    ok: bool
    reason: str = ""
    confidence: float | None = None
    #: Millionths of a cent.
    cost: int = 0


@dataclass(frozen=True)
class PlannerAnswer:
    """What is known about a goal, or that nothing is. Text, never a command."""

    text: str
    #: ``None``: nobody knew, and the text says so.
    origin: Origin | None
    confidence: float = 0.0
    sources: tuple[Source, ...] = ()
    #: What in the text reads like an order; see ``fencing``.
    flags: tuple[str, ...] = ()
    #: Millionths of a cent that the remote agent has cost, or may have.
    cost: int = 0
    tried: tuple[Attempt, ...] = ()
    context: PlannerContext | None = field(default=None, repr=False)

    @property
    def known(self) -> bool:
        """Whether somebody knew."""
        return self.origin is not None
