"""The progress of gathering, concept by concept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...plans.records import SourceState


@dataclass(frozen=True)
class Progress:
    """The state of one concept's sources; of the plan's ``of`` concepts ``done`` are finished."""

    plan: str
    #: The concept's key and name.
    concept: str
    name: str
    state: SourceState
    reason: str
    #: Passages that it uses.
    chunks: int
    done: int
    of: int
