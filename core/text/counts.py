"""Numbers with their nouns, and lists of titles, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Titles that are listed.
_MOST = 15


def counted(**numbers: int) -> str:
    """The numbers with their nouns, by singular: ``counted(file=1, page=2000)`` is "1 file, 2,000 pages"."""
    return ", ".join(f"{number:,} {noun}{'s' * (number != 1)}" for noun, number in numbers.items())


def listed(titles: Iterable[str]) -> str:
    """The first titles, and how many more there are: "Wheels; Legs; and 3 more"."""
    named = list(titles)
    more = [f"and {len(named) - _MOST} more"] if len(named) > _MOST else []
    return "; ".join([*named[:_MOST], *more])
