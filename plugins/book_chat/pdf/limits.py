"""Limits of one PDF."""

from __future__ import annotations

#: Pages that are read at most; more is a claim or a library.
MAX_PAGES = 10_000
#: The largest PDF that is opened, in bytes.
MAX_BYTES = 500_000_000

_PAGES_FOR_SECONDS = 300
_PAGES_FOR_MEMORY = 1_000
_MOST_SECONDS, _MOST_MEMORY = 34, 4


def seconds_for(pages: int, seconds: float) -> float:
    """``seconds`` are for 300 pages; a longer book has as much again for each 300 further ones."""
    return seconds * min(max(1.0, pages / _PAGES_FOR_SECONDS), _MOST_SECONDS)


def memory_for(pages: int, megabytes: int) -> int:
    """Bytes of address space: ``megabytes`` are for 1,000 pages; a longer book has up to four times as much."""
    return int(megabytes * 1_000_000 * min(max(1.0, pages / _PAGES_FOR_MEMORY), _MOST_MEMORY))


def characters_for(pages: int) -> int:
    """Characters of a book's text: a dense page has some 10,000."""
    return 1_000_000 + 100_000 * pages
