"""Listings: lines in a monospaced type as program text."""

from __future__ import annotations

import itertools
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .model import Line, Word


def code_text(lines: Sequence[Line]) -> str:
    """Code with its lines, indentation and blank lines, from the positions of its glyphs."""
    wide = [(w.x1 - w.x0) / len(w.text) for line in lines for w in line.words if w.mono and len(w.text) > 1]
    step = median(wide) if wide else 6.0
    step = max(step, 1.0)
    shown = [code_words(line) for line in lines]
    left = min(words[0].x0 for words in shown)
    pitch = [b.bottom - a.bottom for a, b in itertools.pairwise(lines) if b.bottom - a.bottom > 1]
    usual = min(pitch) if pitch else 12.0
    out: list[str] = []
    for at, words in enumerate(shown):
        if at and lines[at].bottom - lines[at - 1].bottom > 1.6 * usual:
            out.append("")
        row = ""
        for word in words:
            place = round((word.x0 - left) / step)
            row += " " * min(max(place - len(row), 1 if row else 0), 120) + word.text
        out.append(row)
    return "\n".join(out)


def code_words(line: Line) -> list[Word]:
    """The line's words without the number that a listing prints before it."""
    first, rest = line.words[0], line.words[1:]
    if rest and first.text.isdecimal() and (not first.mono or first.size < 0.85 * rest[0].size):
        return rest
    return line.words
