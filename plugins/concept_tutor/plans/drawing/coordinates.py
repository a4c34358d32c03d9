"""The horizontal coordinates of the points of each row: near their neighbours, in order, with gaps between them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .layers import Point, Rows

_SWEEPS = 10
#: A long curve is to be straight rather than a box to be above the middle of what it leads to.
_STRAIGHT = 6.0


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
    for sweep in range(_SWEEPS):
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
