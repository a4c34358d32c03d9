"""The graph of prerequisites: its cycles, an order to learn in, and what is near a concept."""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

from .records import Edge


@dataclass(frozen=True)
class Cycle:
    """Concepts of which each is needed by the next, and the last by the first; without ``dropped`` it is no cycle."""

    keys: tuple[str, ...]
    dropped: Edge


def break_cycles(keys: Sequence[str], edges: Iterable[Edge]) -> tuple[tuple[Edge, ...], tuple[Cycle, ...]]:
    """The edges without those that close a cycle, and the cycles: of each, its lightest edge was dropped.

    The heaviest are taken first, so that an edge which closes a cycle is the lightest of it; of edges of one weight
    the latest goes. An edge from a concept to itself is a cycle of one.
    """
    given = list(edges)
    number = {key: at for at, key in enumerate(keys)}
    # A bit for each concept that one leads to, itself included: thousands of edges cost no walk each.
    reach = [1 << at for at in range(len(keys))]
    leaving = defaultdict[str, list[str]](list)
    dropped: dict[int, Cycle] = {}
    for at in sorted(range(len(given)), key=lambda at: (-given[at].weight, at)):
        edge = given[at]
        before, after = number[edge.prerequisite], number[edge.concept]
        if reach[after] >> before & 1:
            dropped[at] = Cycle(_path(edge.concept, edge.prerequisite, leaving), edge)
            continue
        leaving[edge.prerequisite].append(edge.concept)
        if not reach[before] >> after & 1:
            more = reach[after]
            reach = [known | more if known >> before & 1 else known for known in reach]
    kept = tuple(edge for at, edge in enumerate(given) if at not in dropped)
    return kept, tuple(dropped[at] for at in sorted(dropped))


def needs_and_leads(edges: Iterable[Edge]) -> tuple[Mapping[str, list[str]], Mapping[str, list[str]]]:
    """What each concept needs, and what it leads to, in the edges' order; an empty list for one without any."""
    needs, leads = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for edge in edges:
        needs[edge.concept].append(edge.prerequisite)
        leads[edge.prerequisite].append(edge.concept)
    return needs, leads


def study_order(keys: Sequence[str], edges: Iterable[Edge]) -> tuple[str, ...]:
    """Every concept after all that it needs; among those that can come next, as ``keys`` has them. No cycles."""
    place = {key: at for at, key in enumerate(keys)}
    needs, _leads = needs_and_leads(edges)
    sorter = TopologicalSorter({key: needs[key] for key in keys})
    sorter.prepare()  # raises CycleError, which is a ValueError
    ready, done = list[int](), list[str]()
    while sorter.is_active():
        for key in sorter.get_ready():
            heapq.heappush(ready, place[key])
        done.append(keys[heapq.heappop(ready)])
        sorter.done(done[-1])
    return tuple(done)


def transitive_reduction(keys: Sequence[str], edges: Sequence[Edge]) -> tuple[Edge, ...]:
    """The edges without those that a way through other concepts implies (transitive reduction); no circles."""
    place = {key: number for number, key in enumerate(study_order(keys, edges))}
    _needs, leads = needs_and_leads(edges)
    reached = dict.fromkeys(place, 0)
    kept = set()
    for key in reversed(place):
        # the nearest first: whatever they reach, the others need not be led to
        for after in sorted(set(leads[key]), key=place.__getitem__):
            if not reached[key] >> place[after] & 1:
                kept.add((key, after))
                reached[key] |= reached[after] | 1 << place[after]
    return tuple({pair: edge for edge in edges if (pair := (edge.prerequisite, edge.concept)) in kept}.values())


def _path(start: str, end: str, leading: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """A shortest way from one concept to another that it leads to."""
    before, way = _reached_from(start, leading), [end]
    while way[-1] != start:
        way.append(before[way[-1]])
    return tuple(reversed(way))


def _reached_from(start: str, leading: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Every concept that one leads to, itself included, the nearest first, each with the one before it on the way."""
    before, waiting = {start: ""}, deque([start])
    while waiting:
        key = waiting.popleft()
        for each in leading.get(key, ()):
            if each not in before:
                before[each] = key
                waiting.append(each)
    return before


def neighbourhood(
    keys: Sequence[str], edges: Sequence[Edge], focus: str, *, most: int = 30
) -> tuple[tuple[str, ...], int, int]:
    """The concept and the nearest of what it needs and leads to, about ``most`` in all, in the plan's order; how many
    more it needs, and how many more it leads to."""
    before, after = (list(_reached_from(focus, leading))[1:] for leading in needs_and_leads(edges))
    half = (most - 1) // 2
    room_before = max(half, most - 1 - len(after))
    shown_before = before[:room_before]
    shown_after = after[: most - 1 - len(shown_before)]
    shown = {focus, *shown_before, *shown_after}
    drawn = tuple(key for key in keys if key in shown)
    return drawn, len(before) - len(shown_before), len(after) - len(shown_after)
