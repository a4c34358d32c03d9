"""Text cut into units that fit, and units packed into chunks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..text import sentence_spans

Span = tuple[int, int]
#: Cuts ``text[start:end]`` into spans, which may leave out space between them.
Cutter = Callable[[str, int, int], Iterable[Span]]

_SPACE = re.compile(r"\s+")
#: Ends of sentences in scripts whose marks ``sentence_spans`` leaves alone.
_OTHER_END = re.compile(r"(?<=[؟۔。！？।])[\"”»)]*\s*")


@dataclass(frozen=True)
class Unit:
    """``text[start:end]``, which is never cut; its ``size`` as the caller counts, and the ``cost`` of a cut before."""

    start: int
    end: int
    size: int
    cost: float = 0.0


def cut_at(pattern: re.Pattern[str]) -> Cutter:
    """A cutter at the matches of ``pattern``; its space goes to neither side."""

    def cut(text: str, start: int, end: int) -> Iterator[Span]:
        first = start
        for found in pattern.finditer(text, start, end):
            stop = found.start() + len(found[0].rstrip())
            if stop > first:
                yield first, stop
                first = found.end()
        if first < end:
            yield first, end

    return cut


def sentences(text: str, start: int, end: int) -> Iterator[Span]:
    """A cutter at the ends of sentences, also of scripts that do not set a space there."""
    for begin, stop in sentence_spans(text, start, end):
        at = begin
        for found in _OTHER_END.finditer(text, begin, stop):
            if begin < found.start() and found.end() < stop:
                yield at, found.end()
                at = found.end()
        yield at, stop


def halves(text: str, start: int, end: int) -> list[Span]:
    """A cutter at the space that is nearest to the middle, or in the middle; the last resort."""
    middle, quarter = (start + end) // 2, (end - start) // 4
    gaps = (found.span() for found in _SPACE.finditer(text, middle - quarter, middle + quarter))
    left, right = min(gaps, key=lambda gap: abs(gap[0] - middle), default=(middle, middle))
    return [(start, left), (right, end)] if start < left and right < end else [(start, middle), (middle, end)]


def split(
    text: str, span: Span, cutters: Sequence[Cutter], count: Callable[[str], int], most: int
) -> Iterator[tuple[int, int, int]]:
    """The start, end and size of parts of ``text`` whose ``count`` is at most ``most``.

    The first cutter always cuts; each next one cuts what is still too large, the last one again and again: it must
    make several parts of what has two characters.
    """
    for start, end in cutters[0](text, *span):
        if not text[start:end].strip():
            continue
        size = count(text[start:end])
        if size <= most or end - start == 1:
            yield start, end, size
        else:
            yield from split(text, (start, end), cutters[1:] or cutters, count, most)


def pack(units: Iterable[Unit], most: int, cost: Callable[[int], float], tiny: int = 0) -> list[list[Unit]]:
    """Neighbouring units in chunks of at most ``most``, or of one unit, at the cuts of the least total cost.

    ``cost``: of a chunk, by its size. Neighbours that both are below ``tiny`` are one unit: a million lines of a word
    must not cost a million times what a sentence does.
    """
    made: list[Unit] = []
    for unit in units:
        if made and max(made[-1].size, unit.size) < tiny:
            made[-1] = replace(made[-1], end=unit.end, size=made[-1].size + unit.size)
        else:
            made.append(unit)
    best: list[tuple[float, int]] = [(0.0, 0)]  # of the first units: the cost, and where their last chunk begins
    for stop in range(1, len(made) + 1):
        size, least = 0, (float("inf"), 0)
        for start in range(stop - 1, -1, -1):
            size += made[start].size
            if size > most and start < stop - 1:
                break
            total = best[start][0] + cost(size) + (made[start].cost if start else 0)
            if total < least[0]:
                least = total, start
        best.append(least)
    chunks: list[list[Unit]] = []
    stop = len(made)
    while stop:
        start = best[stop][1]
        chunks.append(made[start:stop])
        stop = start
    return chunks[::-1]
