"""The reading order of a page: columns from left to right between the items that span them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .lines import lines_of, segments_of
from .model import Line, Page, Table, Word

_DEEPEST = 2
_FEWEST_LINES = 5


@dataclass(slots=True)
class Column:
    """Lines and tables of one column, top to bottom, and its edges."""

    x0: float
    x1: float
    items: list[Line | Table]


def columns_of(page: Page) -> list[Column]:
    """The page's lines and tables in reading order."""
    return _read(page.words, page.tables, 0)


def _read(words: Sequence[Word], tables: Sequence[Table], depth: int) -> list[Column]:
    pieces: list[Line | Table] = [*segments_of(words), *tables]
    if not pieces:
        return []
    gutter = _gutter(pieces) if depth < _DEEPEST else None
    if gutter is None:
        items: list[Line | Table] = [*lines_of(words), *tables]
        items.sort(key=lambda item: item.bottom if isinstance(item, Line) else item.top)
        return [Column(min(i.x0 for i in items), max(i.x1 for i in items), items)]
    out: list[Column] = []
    across = [p for p in pieces if p.x0 < gutter < p.x1]
    beside = [p for p in pieces if not p.x0 < gutter < p.x1]
    for piece in sorted(across, key=lambda p: p.top):
        middle = (piece.top + piece.bottom) / 2
        band = [p for p in beside if (p.top + p.bottom) / 2 < middle]
        beside = [p for p in beside if (p.top + p.bottom) / 2 >= middle]
        out += _side_by_side(band, gutter, depth)
        if out and out[-1].items and out[-1].items[-1] in across:
            out[-1].items.append(piece)
            out[-1].x0, out[-1].x1 = min(out[-1].x0, piece.x0), max(out[-1].x1, piece.x1)
        else:
            out.append(Column(piece.x0, piece.x1, [piece]))
    return out + _side_by_side(beside, gutter, depth)


def _side_by_side(band: Sequence[Line | Table], gutter: float, depth: int) -> list[Column]:
    out: list[Column] = []
    for side in ([p for p in band if p.x1 <= gutter], [p for p in band if p.x1 > gutter]):
        words = [w for p in side if isinstance(p, Line) for w in p.words]
        out += _read(words, [p for p in side if isinstance(p, Table)], depth + 1)
    return out


def _gutter(pieces: Sequence[Line | Table]) -> float | None:
    """The x of an empty lane between two columns of running text, or None."""
    left, right = min(p.x0 for p in pieces), max(p.x1 for p in pieces)
    width = right - left
    at, found = left + 0.25 * width, list[tuple[int, float]]()
    while at < right - 0.25 * width:
        found.append((sum(1 for p in pieces if p.x0 < at < p.x1), at))
        at += 1.5
    if not found:
        return None
    fewest = min(count for count, _ in found)
    lanes = [at for count, at in found if count == fewest]
    gutter = min(lanes, key=lambda at: abs(at - (left + right) / 2))
    run = [at for at in lanes if abs(at - gutter) < 0.2 * width]
    gutter = (min(run) + max(run)) / 2 if max(run) - min(run) <= 1.6 * len(run) else gutter
    sides = [[p for p in pieces if p.x1 <= gutter], [p for p in pieces if p.x0 >= gutter]]
    if fewest * 3 > len(sides[0]) + len(sides[1]):
        return None
    for side, room in zip(sides, (gutter - left, right - gutter), strict=True):
        inked = sum(p.x1 - p.x0 for p in side)
        full = sum(p.x1 - p.x0 for p in side if p.x1 - p.x0 > 0.55 * room)
        # Running text fills its column; a list of page numbers or of values does not.
        if len(side) < _FEWEST_LINES or full < 0.5 * inked:
            return None
    return gutter
