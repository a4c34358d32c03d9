"""What is told of gathering while it goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...plans.records import SourceState


@dataclass(frozen=True)
class Progress:
    """How far the sources of one concept are, and of its plan: ``done`` concepts of ``of`` have been seen to."""

    plan: str
    #: The concept's key and name.
    concept: str
    name: str
    state: SourceState
    reason: str
    #: Passages that it rests on.
    chunks: int
    done: int
    of: int
