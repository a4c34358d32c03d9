"""Offline encyclopedia: semantic shards of Wikipedia within a robot's memory, and a planner's way to ask them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .planner.planner import Planner
    from .planner.situation import Situation

__all__ = ["Planner", "Situation"]


def __getattr__(name: str) -> Any:
    """The public names, loaded when they are asked for: whoever looks for a command waits for none of it."""
    if name == "Planner":
        from .planner.planner import Planner

        return Planner
    if name == "Situation":
        from .planner.situation import Situation

        return Situation
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
