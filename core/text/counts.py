"""Numbers with their nouns, titles and lists of them, for people."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .sanitizing import strip_hidden

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Titles that are listed.
_MOST = 15
#: Characters of a title.
_LONGEST = 200
#: What would be taken for a citation.
_MARKER = re.compile(r"\[(\d{1,4}(?:[\s,;]{1,3}\d{1,4}){0,20})\]")
_ORDERS = "(a title that gives orders)"


def counted(**numbers: int) -> str:
    """The numbers with their nouns, by singular: ``counted(file=1, page=2000)`` is "1 file, 2,000 pages"."""
    return ", ".join(f"{number:,} {noun}{'s' * (number != 1)}" for noun, number in numbers.items())


def listed(titles: Iterable[str]) -> str:
    """The first titles as ``shown_title``, and how many more there are: "Wheels; Legs; and 3 more"."""
    named = list(titles)
    more = [f"and {len(named) - _MOST} more"] if len(named) > _MOST else []
    return "; ".join([*map(shown_title, named[:_MOST]), *more])


def quoted_title(title: str) -> str:
    """The title as ``shown_title``, in quotation marks."""
    return f"“{shown_title(title)}”"


def shown_title(title: str) -> str:
    """A title of a source as an answer may have it: on one line, not endless, its "[1]" no citation; of one that orders
    an assistant only that it does."""
    from .instructions import is_addressed  # with word lists, which "book list" does not need

    plain = " ".join(strip_hidden(title).split())
    plain = f"{plain[:_LONGEST]}…" if len(plain) > _LONGEST else plain
    return _ORDERS if is_addressed(plain) else _MARKER.sub(r"(\1)", plain)
