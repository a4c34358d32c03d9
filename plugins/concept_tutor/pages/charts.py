"""Geometry of the charts of progress: bars of days, a curve over days, and a strip of days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from ..learning.progress import Progress

#: In units of the drawing, in which letters are 11 high; below the axis are the days.
WIDTH, HEIGHT = 320, 140
_LEFT, _RIGHT, _TOP, _BOTTOM = 26, 8, 12, 22
_BASE = HEIGHT - _BOTTOM
_GAP = 3
_LABELS_APART = 7
_SQUARE, _ROWS = 18, 7


@dataclass(frozen=True)
class Mark:
    """A bar, a point or a square: its place and size, what it stands for, and a label below it where there is one."""

    x: float
    y: float
    width: float
    height: float
    day: str
    value: int
    label: str = ""


@dataclass(frozen=True)
class Chart:
    """``lines``: heights with their numbers; ``path``: of a curve, as SVG's ``d``, with the surface below it."""

    marks: tuple[Mark, ...]
    lines: tuple[tuple[float, int], ...] = ()
    path: str = ""
    surface: str = ""
    width: int = WIDTH
    height: int = HEIGHT


def bars(days: Sequence[tuple[date, int]]) -> Chart:
    """A bar for each day."""
    top = _round_up(max(value for _, value in days))
    wide = (WIDTH - _LEFT - _RIGHT) / len(days)
    marks = []
    for number, (day, value) in enumerate(days):
        height = _scale(value, top)
        label = "today" if number == 0 else f"{day:%-d %b}" if number % _LABELS_APART == 0 else ""
        x = _LEFT + number * wide + _GAP / 2
        marks.append(Mark(_r(x), _r(_BASE - height), _r(wide - _GAP), _r(height), f"{day:%-d %B}", value, label))
    return Chart(tuple(marks), _lines(top))


def curve(days: Sequence[tuple[date, int]]) -> Chart:
    """A curve of per cent over the days."""
    first, span = days[0][0], max(1, (days[-1][0] - days[0][0]).days)
    marks = []
    for number, (day, value) in enumerate(days):
        x = _LEFT + (WIDTH - _LEFT - _RIGHT) * ((day - first).days / span if len(days) > 1 else 1)
        label = "today" if number == len(days) - 1 else f"{day:%-d %b}" if number == 0 else ""
        marks.append(Mark(_r(x), _r(_BASE - _scale(value, 100)), 0, 0, f"{day:%-d %B}", value, label))
    path = "M" + "L".join(f"{one.x} {one.y}" for one in marks)
    surface = f"{path}L{marks[-1].x} {_BASE}L{marks[0].x} {_BASE}Z"
    return Chart(tuple(marks), _lines(100), path, surface)


def strip(days: Sequence[tuple[date, int]]) -> Chart:
    """A square for each day, a column for each week; how many answers is its depth, 0 to 3."""
    marks, column = [], 0
    for number, (day, value) in enumerate(days):
        column += number > 0 and day.weekday() == 0
        depth = 0 if not value else 1 if value < 5 else 2 if value < 15 else 3
        size = _SQUARE - _GAP
        marks.append(Mark(column * _SQUARE, day.weekday() * _SQUARE, size, size, f"{day:%-d %B}", value, str(depth)))
    return Chart(tuple(marks), width=(column + 1) * _SQUARE - _GAP, height=_ROWS * _SQUARE - _GAP)


def charts(progress: Progress) -> dict[str, Chart]:
    """All charts of a learner's progress; those of which there is nothing to see are missing."""
    found = {"strip": strip(progress.answers)}
    if any(value for _, value in progress.due):
        found["due"] = bars(progress.due)
    if progress.mastery:
        found["mastery"] = curve(progress.mastery)
    return found


def _scale(value: int, top: int) -> float:
    return (HEIGHT - _TOP - _BOTTOM) * value / top


def _lines(top: int) -> tuple[tuple[float, int], ...]:
    return tuple((_r(_BASE - _scale(value, top)), value) for value in (0, top // 2, top))


def _round_up(value: int) -> int:
    """An even number that is not smaller, and round."""
    step = 2 if value <= 10 else 10 if value <= 100 else 50
    return max(2, -(-value // step) * step)


def _r(value: float) -> float:
    return round(value, 1)
