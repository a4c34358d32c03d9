"""Joins lines that were broken because a line was full: in mail and in text files, not in verses or addresses."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .segmentation import Unit

#: Characters of the longest line of a paragraph that is broken into full lines.
_NARROWEST = 40


def join_lines(text: str, start: int, end: int, units: Sequence[Unit]) -> str:
    """``text[start:end]`` with a space for each line break within a sentence or an item that stands where the next word
    would not have fitted into the line. ``units``: of the text."""
    if text.find("\n", start, end) < 0:
        return text[start:end]
    joined, at = [], start
    for unit in units:
        if unit.kind not in {"sentence", "item"} or unit.end <= start or unit.start >= end:
            continue
        first = text.rfind("\n", 0, unit.start) + 1
        last = text.find("\n", unit.end)
        lines = text[first : len(text) if last < 0 else last].split("\n")
        widest, here = max(map(len, lines)), first
        for line, following in pairwise(lines):
            here += len(line)
            more = following.lstrip("> \t")
            words = more.split(None, 1)
            is_full = widest >= _NARROWEST and bool(words) and len(line) + 1 + len(words[0]) > widest
            if is_full and max(at, unit.start) <= here < min(end, unit.end):
                joined.append(text[at:here].rstrip())
                at = here + 1 + len(following) - len(more)
            here += 1
    return " ".join([*joined, text[at:end]])
