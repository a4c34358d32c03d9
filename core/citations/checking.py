"""The check of one sentence: whether the passages that it cites bear it. Measured, not asked of a model.

It knows words, not what they mean: it is strict about what can be counted (numbers, units, names, denials, opposites,
addresses) and about words from elsewhere, and blind where the same words say something else in another order. How
often it errs either way is measured by ``python -m tests.bench.citations``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .faults import fault_of, strays
from .sources import Segment, Source, Told
from .words import FILLERS

if TYPE_CHECKING:
    from collections.abc import Sequence

#: At most so many segments bear one sentence, and a further one must bring so many words of it.
_MOST_SEGMENTS = 3
_LEAST_WORDS = 2
#: Words around a name or number by which its place is found.
_NEAR = 4
#: Characters; what is longer is no sentence.
LONGEST_SENTENCE = 1_500


@dataclass(frozen=True)
class Finding:
    """What the check found of one sentence."""

    #: The passages that bear it, as given, in the order of what they bear.
    borne_by: tuple[int, ...]
    #: For each of them, its own words that bear it.
    quotes: tuple[str, ...]
    #: Why it may not stand; ``None`` when it may.
    fault: str | None
    #: Whether it could stand if it were written otherwise; what is from elsewhere or gives orders could not.
    mendable: bool = True


def find_fault(sentence: str, sources: Sequence[Source]) -> Finding:
    """Check a sentence without its markers against the passages that it cites."""
    if len(sentence) > LONGEST_SENTENCE:
        return _at_fault("it is too long for a sentence")
    claim = Told(sentence)
    asserted = claim.stems - FILLERS - _numerals(claim)
    if not asserted and not claim.quantities:
        return _at_fault("it says nothing that could be looked up")
    fault = strays(claim, sources)
    if fault is not None:
        return Finding((), (), fault, mendable=False)
    chosen = _bearing(claim, asserted, sources)
    if len(asserted) <= _LEAST_WORDS and not claim.quantities and not _is_much_of(asserted, chosen):
        return _at_fault("it says too little to be looked up")
    if not chosen:
        return _at_fault("its words are not in the passage")
    fault = fault_of(claim, asserted, chosen, sources)
    if fault is not None:
        return _at_fault(fault)
    borne_by = tuple(dict.fromkeys(segment.passage for segment in chosen))
    by_number = {source.number: source for source in sources}
    quotes = []
    for number in borne_by:
        first = next(segment for segment in chosen if segment.passage == number)
        quotes.append(by_number[number].text[first.start : first.end])
    return Finding(borne_by, tuple(quotes), None)


def _at_fault(fault: str) -> Finding:
    return Finding((), (), fault)


def _is_much_of(asserted: set[str] | frozenset[str], chosen: Sequence[Segment]) -> bool:
    """Whether one or two words are at least half of what the passage says in one place: an item of a list."""
    return any(2 * len(asserted & segment.told.stems) >= len(segment.told.stems) for segment in chosen)


def _numerals(told: Told) -> set[str]:
    """The stems that are part of a number or of its unit: they are compared as such."""
    spans = [(quantity.start, quantity.end) for quantity in told.quantities]
    return {token.stem for token in told.tokens if any(start <= token.start < end for start, end in spans)}


def _bearing(claim: Told, asserted: frozenset[str] | set[str], sources: Sequence[Source]) -> list[Segment]:
    """The segments that hold most of the sentence, the best one first, each bringing something of its own."""
    segments = [segment for source in sources for segment in source.segments]
    values = {quantity.value for quantity in claim.quantities}
    chosen: list[Segment] = []
    named = {token.stem for token in claim.names}
    # A name alone makes no segment bear a sentence: it could be the wrong one.
    open_ones = set(asserted) - named if len(asserted - named) >= _LEAST_WORDS else set(asserted)
    while segments and len(chosen) < _MOST_SEGMENTS and (open_ones or not chosen):
        most = max(len(open_ones & segment.told.stems) for segment in segments)
        equals = [segment for segment in segments if len(open_ones & segment.told.stems) == most]
        best = equals[0] if len(equals) == 1 else max(equals, key=lambda segment: _fits(segment, values))
        brings = len(open_ones & best.told.stems)
        if chosen and brings < _LEAST_WORDS:
            break
        if not chosen and not brings and not values & {quantity.value for quantity in best.told.quantities}:
            break
        chosen.append(best)
        segments.remove(best)
        open_ones -= best.told.stems
    return [*chosen, *_next_to(claim, chosen, sources)]


def _next_to(claim: Told, chosen: Sequence[Segment], sources: Sequence[Source]) -> list[Segment]:
    """A segment beside a chosen one that has a name or number which the chosen ones have not, and the words around it.

    So a short sentence that was joined to a long one is found; a name or number in a wrong place has other words
    around it.
    """
    held = (
        frozenset().union(*(segment.told.stems | segment.told.words for segment in chosen)) if chosen else frozenset()
    )
    values = {quantity.value for segment in chosen for quantity in segment.told.quantities}
    open_names = [(token.start, token.end) for token in claim.names if token.stem not in held]
    open_numbers = [(q.start, q.end) for q in claim.quantities if q.value not in values]
    wanted = [around(claim, start, end) for start, end in [*open_names, *open_numbers]]
    wanted += [denial for denial in claim.denials if not any(denial & d for s in chosen for d in s.told.denials)]
    if not wanted or len(chosen) >= _MOST_SEGMENTS:
        return []
    for source in sources:
        for index, segment in enumerate(source.segments):
            beside = source.segments[max(index - 1, 0) : index + 2]
            if any(segment is one for one in chosen) or not any(one is other for one in chosen for other in beside):
                continue
            own = segment.told.stems - held
            if any(len(near & segment.told.stems) >= _LEAST_WORDS and near & own for near in wanted):
                return [segment]
    return []


def _fits(segment: Segment, values: set[str]) -> tuple[int, int]:
    """Of segments with as many of its words: how many of its numbers, then how little else it says."""
    held = {quantity.value for quantity in segment.told.quantities} if values else set()
    return len(values & held), -len(segment.told.stems)


def around(told: Told, start: int, end: int) -> frozenset[str]:
    """The stems of the words before and behind a place."""
    before = [token.stem for token in told.tokens if token.stem and token.end <= start]
    after = [token.stem for token in told.tokens if token.stem and token.start >= end]
    return frozenset(before[-_NEAR:] + after[:_NEAR])
