"""Jobs of a ``SharedQueue``: what does them, how they are reported, and what ends them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from ...errors import RagstoneError

#: Seconds after the last sign of life of a worker when its jobs are given to others.
LEASE_SECONDS = 30.0
#: Times that a job is begun which fails or ends its worker each time.
MOST_ATTEMPTS = 5

State = Literal["waiting", "running", "done", "failed"]
#: By procrastinate's own names.
STATES: dict[str, State] = {"todo": "waiting", "doing": "running", "succeeded": "done", "failed": "failed"}


class LeaseLost(RagstoneError):
    """Another worker has the job: this one was taken for dead."""


class Stopped(RagstoneError):
    """The worker was asked to stop."""


class Unfit(RagstoneError):
    """This worker's machine cannot do the job, and other machines may: the job goes back, and the worker ends."""


class Report(Protocol):
    """Reports a job's progress, JSON, which is stored at most once a second."""

    def __call__(self, note: Mapping[str, Any], *, claim: str | None = None) -> None:
        """``claim``: a name that no other job of the queue may have. Raises ``BadRequest`` if one has it.

        Also raises when the job must end: ``LeaseLost``, ``Stopped``.
        """


#: Does a job; what it returns, JSON, is kept as its last note.
Work = Callable[[dict[str, Any], Report], Mapping[str, Any]]


@dataclass(frozen=True)
class QueuedJob:
    """A job that is running or has failed."""

    id: int
    job: dict[str, Any]
    state: State
    #: How often it was begun before.
    attempts: int
    #: Machine and process that has it, or had it last.
    worker: str
    #: What the job reported last.
    note: dict[str, Any]


@dataclass(frozen=True)
class QueueState:
    """How far a queue is."""

    waiting: int
    done: int
    #: All that are running, and how many have failed, with the latest of these.
    running: tuple[QueuedJob, ...]
    failed: int
    failures: tuple[QueuedJob, ...]
    #: Jobs that ended in the last ten minutes, in a minute; ``None`` if none did.
    per_minute: float | None

    @property
    def total(self) -> int:
        return self.waiting + len(self.running) + self.done + self.failed

    @property
    def minutes_left(self) -> float | None:
        """Minutes to the end at the rate of the last ten minutes."""
        left = self.waiting + len(self.running)
        return left / self.per_minute if left and self.per_minute else None
