"""Offline encyclopedia: semantic shards of Wikipedia within a robot's memory, and a planner's way to ask them."""

from typing import TYPE_CHECKING

from ragstone.core.runtime import lazy_names

if TYPE_CHECKING:
    from .planner.planner import Planner
    from .planner.situation import Situation

__all__ = ["Planner", "Situation"]

__getattr__, __dir__ = lazy_names(__name__, {"planner.planner": "Planner", "planner.situation": "Situation"})
