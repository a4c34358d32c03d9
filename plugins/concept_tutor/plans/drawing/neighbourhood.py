"""A concept with its nearest prerequisites and dependents, for plans that are too large to be drawn as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..graph import needs_and_leads

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..records import Edge


@dataclass(frozen=True)
class Neighbourhood:
    """``keys`` to be drawn, in the plan's order; how many more are needed by the concept, or lead on from it."""

    focus: str
    keys: tuple[str, ...]
    more_before: int
    more_after: int


def neighbourhood(keys: Sequence[str], edges: Sequence[Edge], focus: str, *, most: int = 30) -> Neighbourhood:
    """The concept, what it needs and what it leads to, the nearest first, about ``most`` in all."""
    before, after = (_by_distance(focus, leading) for leading in needs_and_leads(edges))
    half = (most - 1) // 2
    room_before = max(half, most - 1 - len(after))
    shown_before = before[:room_before]
    shown_after = after[: most - 1 - len(shown_before)]
    shown = {focus, *shown_before, *shown_after}
    return Neighbourhood(
        focus,
        tuple(key for key in keys if key in shown),
        len(before) - len(shown_before),
        len(after) - len(shown_after),
    )


def _by_distance(start: str, leading: Mapping[str, Sequence[str]]) -> list[str]:
    seen, front = {start: None}, [start]
    while front:
        front = [
            key for key in dict.fromkeys(each for one in front for each in leading.get(one, ())) if key not in seen
        ]
        seen.update(dict.fromkeys(front))
    return list(seen)[1:]
