"""The rows of a drawing and the places in them: concepts below their prerequisites, no row too long, few crossings."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from ..graph import needs_and_leads, study_order
from ..records import Edge

#: Times that the rows are put in order, down and up: beyond this hardly a crossing goes.
_SWEEPS = 12
#: Places at which curves pass between concepts: a plan of ten thousands of long curves is no longer read but blocks.
_MOST_PASSING = 8_000
#: Times that the points are placed anew, down and up.
_PLACEMENTS = 10
#: A long curve is to be straight rather than a box to be above the middle of what it leads to.
_STRAIGHT = 6.0


@dataclass(frozen=True)
class Point:
    """A place in a row: a concept, or where a long curve passes between concepts."""

    key: str
    #: 0 for the concept itself; a curve's passing places are numbered from 1.
    passing: int = 0
    #: Where the curve ends.
    to: str = ""


@dataclass(frozen=True)
class Rows:
    """Rows from top to bottom, each from left to right, and each edge as the points that it goes through."""

    rows: list[list[Point]]
    ways: list[tuple[Edge, tuple[Point, ...]]]

    @cached_property
    def near(self) -> Mapping[bool, Mapping[Point, Sequence[Point]]]:
        """The neighbours of each point: above it (``True``) and below it (``False``)."""
        above, below = defaultdict[Point, list[Point]](list), defaultdict[Point, list[Point]](list)
        for _, way in self.ways:
            for upper, lower in pairwise(way):
                above[lower].append(upper)
                below[upper].append(lower)
        return {True: above, False: below}


def assign_rows(keys: Sequence[str], edges: Sequence[Edge], longest: int) -> Rows:
    """The concepts in rows of at most ``longest``; raises ``ValueError`` for edges with a cycle.

    Rows by list scheduling (Coffman and Graham's bound without their labels): each concept is put into the first row
    with room below all that it needs. Within a row, by the mean place of the neighbours in the row before, in sweeps
    down and up (Sugiyama, Tagawa and Toda 1981).
    """
    row_of = _row_of(keys, edges, longest)
    rows: list[list[Point]] = [[] for _ in range(max(row_of.values(), default=-1) + 1)]
    for key in keys:
        rows[row_of[key]].append(Point(key))
    ways = []
    room = _MOST_PASSING
    for edge in sorted(edges, key=lambda one: row_of[one.concept] - row_of[one.prerequisite]):
        first, last = row_of[edge.prerequisite], row_of[edge.concept]
        room -= last - first - 1
        # when there is no room left for the longest, they go straight across
        between = [Point(edge.prerequisite, number, edge.concept) for number in range(1, last - first) if room >= 0]
        for number, point in enumerate(between, start=first + 1):
            rows[number].append(point)
        ways.append((edge, (Point(edge.prerequisite), *between, Point(edge.concept))))
    best = Rows(rows, ways)
    near, fewest = best.near, _crossings(rows, best.near[False])
    for sweep in range(_SWEEPS if fewest else 0):
        down = sweep % 2 == 0
        rows = [row.copy() for row in rows]
        for at in range(1, len(rows)) if down else range(len(rows) - 2, -1, -1):
            _sort(rows[at], rows[at - 1 if down else at + 1], near[down])
        now = _crossings(rows, near[False])
        if now < fewest:
            best, fewest = Rows(rows, ways), now
    return best


def _row_of(keys: Sequence[str], edges: Sequence[Edge], longest: int) -> dict[str, int]:
    needs, leads = needs_and_leads(edges)
    row_of: dict[str, int] = {}
    used = defaultdict[int, int](int)

    def put(key: str, row: int) -> None:
        while used[row] >= longest:
            row += 1
        row_of[key] = row
        used[row] += 1

    in_order = study_order(keys, edges)
    tied = [key for key in in_order if needs[key] or leads[key]]
    for key in tied:
        put(key, max((row_of[before] + 1 for before in needs[key]), default=0))
    for key in reversed(tied):
        # what has more dependents than prerequisites is put just above the first dependent: its curves are short
        lowest = min((row_of[after] for after in leads[key]), default=0) - 1
        free = [row for row in range(lowest, row_of[key], -1) if used[row] < longest]
        if len(leads[key]) >= len(needs[key]) and free:
            used[row_of[key]] -= 1
            put(key, free[0])
    first = max(row_of.values(), default=-1) + 1
    for key in in_order:
        if key not in row_of:
            put(key, first)
    filled = {row: number for number, row in enumerate(sorted(set(row_of.values())))}
    return {key: filled[row] for key, row in row_of.items()}


def _sort(row: list[Point], other: Sequence[Point], neighbours: Mapping[Point, Sequence[Point]]) -> None:
    """Put a row in the order of the mean place of its neighbours; who has none stays about where it is."""
    place = {point: number / max(1, len(other) - 1) for number, point in enumerate(other)}
    own = {point: number / max(1, len(row) - 1) for number, point in enumerate(row)}

    def wanted(point: Point) -> float:
        near = [place[each] for each in neighbours.get(point, ()) if each in place]
        return sum(near) / len(near) if near else own[point]

    row.sort(key=wanted)


def _crossings(rows: Sequence[Sequence[Point]], below: Mapping[Point, Sequence[Point]]) -> int:
    count = 0
    for upper, lower in pairwise(rows):
        place, passed = {point: number for number, point in enumerate(lower)}, list[int]()
        for point in upper:
            ends = [place[each] for each in below.get(point, ()) if each in place]
            count += sum(len(passed) - bisect_right(passed, end) for end in ends)
            for end in ends:
                insort(passed, end)
    return count


def assign_coordinates(rows: Rows, width_of: Mapping[bool, float], gap: float) -> dict[Point, float]:
    """The middle of each point, from 0; ``width_of[True]`` is a concept's width, ``[False]`` a passing curve's.

    Row by row, down and up: the points of a row are placed as near as possible to the means of
    their neighbours, by least squares with the order kept (isotonic regression, pool adjacent violators).
    """
    near = rows.near
    offsets = {number: _offsets(row, width_of, gap) for number, row in enumerate(rows.rows)}
    at: dict[Point, float] = {}
    for number, row in enumerate(rows.rows):
        middle = max(offsets[number], default=0.0) / 2
        at |= {point: offset - middle for point, offset in zip(row, offsets[number], strict=True)}
    for sweep in range(_PLACEMENTS):
        down = sweep % 2 == 0
        numbers = range(len(rows.rows)) if down else range(len(rows.rows) - 1, -1, -1)
        for number in numbers:
            row = rows.rows[number]
            wanted, weights = [], []
            for point in row:
                known = near[down].get(point) or near[not down].get(point) or ()
                beside = known or rows.rows[number - 1]  # without any it is below the middle of the others
                wanted.append(sum(at[each] for each in beside) / len(beside))
                passes = point.passing and any(each.passing for each in known)
                weights.append(_STRAIGHT if passes else 1.0 if known else 0.2)
            at |= dict(zip(row, _kept_apart(wanted, weights, offsets[number]), strict=True))
    leftmost = min((at[point] - width_of[not point.passing] / 2 for point in at), default=0.0)
    return {point: x - leftmost for point, x in at.items()}


def _offsets(row: Sequence[Point], width_of: Mapping[bool, float], gap: float) -> list[float]:
    """How far each point is at least from the first one."""
    offsets = [0.0]
    for before, point in pairwise(row):
        between = gap if not (before.passing and point.passing) else gap / 4
        offsets.append(offsets[-1] + (width_of[not before.passing] + width_of[not point.passing]) / 2 + between)
    return offsets[: len(row)]


def _kept_apart(wanted: Sequence[float], weights: Sequence[float], offsets: Sequence[float]) -> list[float]:
    """The places nearest to the wanted ones that keep the order and the distances."""
    pools: list[list[float]] = []  # mean, weight, how many
    for want, weight, offset in zip(wanted, weights, offsets, strict=True):
        pools.append([want - offset, weight, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            mean, heavy, count = pools.pop()
            last = pools[-1]
            last[0] = (last[0] * last[1] + mean * heavy) / (last[1] + heavy)
            last[1] += heavy
            last[2] += count
    free = [mean for mean, _, count in pools for _ in range(int(count))]
    return [x + offset for x, offset in zip(free, offsets, strict=True)]
