"""What is to be learned before what: circles found and opened, an order to learn in, layers to draw."""

from __future__ import annotations

import heapq
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .records import Edge

#: Times that a drawing's layers are put in order, down and up: beyond this hardly a crossing goes.
_SWEEPS = 8


@dataclass(frozen=True)
class Circle:
    """Concepts of which each is to be learned before the next, and the last before the first; ``dropped`` opened it."""

    keys: tuple[str, ...]
    dropped: Edge


def without_circles(keys: Sequence[str], edges: Iterable[Edge]) -> tuple[tuple[Edge, ...], tuple[Circle, ...]]:
    """The edges without those that close a circle, and the circles: of each, its lightest edge was dropped.

    The heaviest are taken first, so that an edge which closes a circle is the lightest of it; of edges of one weight
    the latest goes. An edge from a concept to itself is a circle of one.
    """
    given = list(edges)
    number = {key: at for at, key in enumerate(keys)}
    # A bit for each concept that one leads to, itself included: thousands of edges cost no walk each.
    reach = [1 << at for at in range(len(keys))]
    leaving = defaultdict[str, list["Edge"]](list)
    dropped: dict[int, Circle] = {}
    for at in sorted(range(len(given)), key=lambda at: (-given[at].weight, at)):
        edge = given[at]
        before, after = number[edge.prerequisite], number[edge.concept]
        if reach[after] >> before & 1:
            dropped[at] = Circle(_path(edge.concept, edge.prerequisite, leaving), edge)
            continue
        leaving[edge.prerequisite].append(edge)
        if not reach[before] >> after & 1:
            more = reach[after]
            reach = [known | more if known >> before & 1 else known for known in reach]
    kept = tuple(edge for at, edge in enumerate(given) if at not in dropped)
    return kept, tuple(dropped[at] for at in sorted(dropped))


def order(keys: Sequence[str], edges: Iterable[Edge]) -> tuple[str, ...]:
    """Every concept after all that it needs; among those that can come next, as ``keys`` has them. No circles."""
    place = {key: at for at, key in enumerate(keys)}
    leads, missing = defaultdict[str, list[str]](list), dict.fromkeys(keys, 0)
    for edge in edges:
        leads[edge.prerequisite].append(edge.concept)
        missing[edge.concept] += 1
    ready = [place[key] for key, count in missing.items() if not count]  # ascending, and so a heap
    done: list[str] = []
    while ready:
        done.append(keys[heapq.heappop(ready)])
        for key in leads[done[-1]]:
            missing[key] -= 1
            if not missing[key]:
                heapq.heappush(ready, place[key])
    if len(done) < len(place):
        raise ValueError("the edges have a circle")
    return tuple(done)


def layers(keys: Sequence[str], edges: Sequence[Edge]) -> tuple[tuple[str, ...], ...]:
    """Concepts in layers for a drawing: each below all that it needs, the first layer needs nothing; no circles.

    Within a layer they stand so that few edges cross: by the mean place of their neighbours, in several sweeps down and
    up, of which the best is kept (Sugiyama, Tagawa and Toda 1981; barycenters).
    """
    above, below = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for edge in edges:
        above[edge.concept].append(edge.prerequisite)
        below[edge.prerequisite].append(edge.concept)
    depth: dict[str, int] = {}
    for key in order(keys, edges):
        depth[key] = max((depth[before] + 1 for before in above[key]), default=0)
    if not depth:
        return ()
    rows: list[list[str]] = [[] for _ in range(max(depth.values()) + 1)]
    for key in keys:
        rows[depth[key]].append(key)
    best, fewest = [list(row) for row in rows], crossings(rows, edges)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        down = sweep % 2 == 0
        for at in range(1, len(rows)) if down else range(len(rows) - 2, -1, -1):
            _sort(rows, at, above if down else below)
        now = crossings(rows, edges)
        if now < fewest:
            best, fewest = [list(row) for row in rows], now
    return tuple(tuple(row) for row in best)


def crossings(rows: Sequence[Sequence[str]], edges: Iterable[Edge]) -> int:
    """How many pairs of edges between neighbouring layers cross when each layer is drawn evenly."""
    at = {key: (number, place) for number, row in enumerate(rows) for place, key in enumerate(row)}
    between = defaultdict[int, list[tuple[int, int]]](list)
    for edge in edges:
        (upper, left), (lower, right) = at[edge.prerequisite], at[edge.concept]
        if lower == upper + 1:
            between[upper].append((left, right))
    return sum(_inversions([right for _, right in sorted(pairs)]) for pairs in between.values())


def _inversions(values: list[int]) -> int:
    """Pairs in the wrong order, by merging: n log n."""
    if len(values) < 2:
        return 0
    middle = len(values) // 2
    left, right = values[:middle], values[middle:]
    count = _inversions(left) + _inversions(right)
    left.sort()
    right.sort()
    at = 0
    for value in right:
        while at < len(left) and left[at] <= value:
            at += 1
        count += len(left) - at
    return count


def _sort(rows: list[list[str]], at: int, neighbours: Mapping[str, Sequence[str]]) -> None:
    """Put one layer in the order of the mean relative place of its neighbours; who has none stays where it is."""
    place = {key: (number + 0.5) / len(row) for row in rows for number, key in enumerate(row)}

    def wanted(key: str) -> float:
        near = neighbours.get(key, ())
        return sum(place[each] for each in near) / len(near) if near else place[key]

    rows[at].sort(key=wanted)


def _path(start: str, end: str, leaving: Mapping[str, Sequence[Edge]]) -> tuple[str, ...]:
    """A shortest way from one concept to another that it leads to."""
    came: dict[str, str] = {start: ""}
    front = [start]
    while end not in came:
        reached = [(edge.concept, key) for key in front for edge in leaving.get(key, ()) if edge.concept not in came]
        came |= dict(reversed(reached))
        front = list(dict.fromkeys(key for key, _ in reached))
    way = [end]
    while way[-1] != start:
        way.append(came[way[-1]])
    return tuple(reversed(way))
