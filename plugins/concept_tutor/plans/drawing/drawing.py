"""The geometry of a drawing, in units in which letters are 14 high."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, sqrt
from textwrap import wrap

from ..graph import transitive_reduction
from ..records import Edge
from .layout import Point, assign_coordinates, assign_rows

#: Shares of an em, of a usual sans-serif; a little too wide is better than words over the box's edge.
_NARROW = frozenset("iljtfrI.,:;'’|!()[] -/")
_BROAD = frozenset("mwMWQO@%—…")
_ELLIPSIS = "…"
_LETTER = 14.0
_LINE = 18.0
_WIDTH = 164.0
_PADDING = 12.0
#: Below the name: how well it is known.
_FOOT = 26.0
_MOST_LINES = 3
_GAP = 22.0
_PASSING = 6.0
_BETWEEN = 58.0
_MARGIN = 14.0
#: Concepts beside each other at least, before a row is full.
_FEWEST_ABREAST = 5


def width_of(text: str) -> float:
    """About how wide the text is, in em."""
    return sum(map(_width, text))


def _width(sign: str) -> float:
    if sign in _NARROW:
        return 0.36
    if sign in _BROAD:
        return 0.92
    if unicodedata.combining(sign):
        return 0.0
    if unicodedata.east_asian_width(sign) in "WF":
        return 1.02
    return 0.69 if sign.isupper() else 0.57


def wrapped(name: str, widest: float, most: int) -> tuple[str, ...]:
    """The name in at most ``most`` lines of about ``widest`` em; what does not fit ends in an ellipsis.

    Its letters are taken to be as wide as they are on average; a box's padding has room for a line that is wider.
    """
    letters = max(2, int(widest * len(name) / max(1.0, width_of(name))))
    return tuple(wrap(name, letters, max_lines=most, placeholder=_ELLIPSIS))


@dataclass(frozen=True)
class Box:
    """A concept: its upper left corner, its size, its name in lines."""

    key: str
    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]

    @property
    def middle(self) -> float:
        """Where its words have their middle."""
        return round(self.x + self.width / 2, 1)

    def baseline(self, number: int) -> float:
        """The baseline of the line of that number, from 0."""
        return round(self.y + _PADDING + _LETTER - 1 + number * _LINE, 1)

    @property
    def foot(self) -> float:
        """Where the part below the name begins."""
        return round(self.y + self.height - _FOOT + 4, 1)


@dataclass(frozen=True)
class Curve:
    """From a prerequisite down to what needs it: ``path`` as SVG's ``d``."""

    prerequisite: str
    concept: str
    path: str


@dataclass(frozen=True)
class Drawing:
    """Boxes from top to bottom and from left to right, and the curves between them."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    curves: tuple[Curve, ...]


def draw(names: Mapping[str, str], edges: Sequence[Edge], *, abreast: int | None = None) -> Drawing:
    """Draw the concepts, whose ``names`` are given by key in the plan's order; raises ``ValueError`` for a circle.

    Edges that others imply, and those of concepts that are not drawn, are left out. ``abreast``: concepts beside each
    other at most; about as many as rows without it.
    """
    keys = tuple(names)
    edges = [edge for edge in edges if edge.prerequisite in names and edge.concept in names]
    longest = abreast or max(_FEWEST_ABREAST, ceil(sqrt(1.5 * len(keys))))
    rows = assign_rows(keys, transitive_reduction(keys, edges), longest)
    at = assign_coordinates(rows, {True: _WIDTH, False: _PASSING}, _GAP)
    widest = (_WIDTH - 2 * _PADDING) / _LETTER
    lines = {key: wrapped(name, widest, _MOST_LINES) or ("?",) for key, name in names.items()}
    tops, heights, now = [], [], _MARGIN
    for row in rows.rows:
        height = max((_height(lines[point.key]) for point in row if not point.passing), default=0.0)
        tops.append(now)
        heights.append(height)
        now += height + _BETWEEN
    boxes = tuple(
        Box(
            point.key,
            round(_MARGIN + at[point] - _WIDTH / 2, 1),
            round(top + (height - _height(lines[point.key])) / 2, 1),
            _WIDTH,
            _height(lines[point.key]),
            lines[point.key],
        )
        for row, top, height in zip(rows.rows, tops, heights, strict=True)
        for point in row
        if not point.passing
    )
    box_of = {box.key: box for box in boxes}
    row_at = {point: number for number, row in enumerate(rows.rows) for point in row}

    def path(way: Sequence[Point]) -> str:
        start, end = box_of[way[0].key], box_of[way[-1].key]
        stops = [(start.middle, start.y + start.height)]
        for point in way[1:-1]:
            x, number = _MARGIN + at[point], row_at[point]
            stops += [(x, tops[number]), (x, tops[number] + heights[number])]
        stops.append((end.middle, end.y - 7))  # the head of the arrow
        return _through(stops)

    curves = tuple(Curve(edge.prerequisite, edge.concept, path(way)) for edge, way in rows.ways)
    right = max((box.x + box.width for box in boxes), default=0.0)
    passing = max((at[point] + _MARGIN for point in at if point.passing), default=0.0)
    return Drawing(round(max(right, passing) + _MARGIN, 1), round(max(now - _BETWEEN, 0.0) + _MARGIN, 1), boxes, curves)


def _height(lines: Sequence[str]) -> float:
    return 2 * _PADDING + _LINE * len(lines) + _FOOT - 8


def _through(stops: Sequence[tuple[float, float]]) -> str:
    """Curves that leave and arrive upright, straight where they pass between boxes."""
    parts = [f"M{stops[0][0]:.1f} {stops[0][1]:.1f}"]
    for number, ((x0, y0), (x1, y1)) in enumerate(pairwise(stops)):
        if number % 2:
            parts.append(f"L{x1:.1f} {y1:.1f}")
        else:
            middle = (y0 + y1) / 2
            parts.append(f"C{x0:.1f} {middle:.1f} {x1:.1f} {middle:.1f} {x1:.1f} {y1:.1f}")
    return "".join(parts)
