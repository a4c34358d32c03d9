"""Aligns a sentence item by item with source sentences.

The sentence must consist of whole source sentences, in order. They may be altered only by ``transformations``: any
other added or missing word is a fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from .candidates import PRONOUNS, Candidate, may_follow
from .items import Item
from .quantities import matches
from .sources import AnalyzedText, Segment, Source, units_of
from .transformations import lead_ins, make_active, move_front_part, removable_parts

#: Source sentences that one sentence may join.
_MOST_JOINED = 3
#: Words that may join source sentences. "because", "so" and "if" would add a meaning.
_CONJUNCTIONS = frozenset({"and", "but", "while", "whereas"})
_STOPS = frozenset(";.:!")
#: Share of a sentence's distinct words that a source sentence must have to be a candidate.
_LEAST_SHARED = 0.15
#: Limits on the work for one sentence, whatever the chunks and the sentence are.
_MOST_CANDIDATES, _MOST_VARIANTS, _LONGEST_SEGMENT, _MOST_WORK = 40, 12, 1_500, 2_000_000


class Alignment:
    """Aligns one sentence with the chunks that it cites."""

    def __init__(self, sentence: AnalyzedText, sources: Sequence[Source]) -> None:
        self._sentence = sentence.items
        shared = [
            (len(sentence.keys & segment.content.keys), segment, source)
            for source in sources
            for segment in source.segments
            if segment.end - segment.start <= _LONGEST_SEGMENT
        ]
        # Those that share most come first: the items of the others are mostly not needed.
        shared.sort(key=lambda each: -each[0])
        self._candidates = [
            Candidate(segment, source.headings)
            for count, segment, source in shared[:_MOST_CANDIDATES]
            if count >= _LEAST_SHARED * len(sentence.keys)
        ]
        self._work = 0
        self._ends: dict[tuple[int, int], list[int]] = {}
        self._dead_ends: set[tuple[int, int, int]] = set()

    def find(self) -> tuple[tuple[Segment, ...], str | None]:
        """The source sentences of the first alignment found, one that is altered or several whole ones; else none, and
        the first difference from the closest one."""
        furthest, fault = -1, "its words are not in the passage"
        for candidate in self._candidates:
            for sentence, source in self._variants(candidate):
                comparison = self._compare(sentence, source, candidate)
                if comparison is None:
                    return (), "it is too long to be compared with the passage"
                if len(sentence) in comparison.ends(0, removable_parts(source)):
                    return (candidate.segment,), None
                if sentence is self._sentence and comparison.furthest > furthest:
                    furthest, fault = comparison.furthest, comparison.difference()
        segments = self._join(0, [])
        return (segments, None) if segments else ((), fault)

    def _variants(self, candidate: Candidate) -> Iterator[tuple[Sequence[Item], Sequence[Item]]]:
        """The sentence and the source sentence, then pairs in which one of them is altered."""
        yield self._sentence, candidate.items
        for change in (move_front_part, make_active):
            yield from ((self._sentence, source) for source in islice(change(candidate.items), _MOST_VARIANTS))
            yield from ((sentence, candidate.items) for sentence in islice(change(self._sentence), _MOST_VARIANTS))

    def _join(self, begin: int, chain: list[int]) -> tuple[Segment, ...] | None:
        """The whole source sentences that make up the sentence from ``begin`` on, after those in ``chain``."""
        place = (begin, chain[-1] if chain else -1, len(chain))
        if place in self._dead_ends:
            return None
        for number, candidate in enumerate(self._candidates):
            if chain and not may_follow(self._candidates[chain[-1]], candidate):
                continue
            for end in self._ends_of(begin, number):
                linked = [*chain, number]
                if end == len(self._sentence):
                    return tuple(self._candidates[one].segment for one in linked)
                following = self._next_begin(end)
                if following is not None and len(linked) < _MOST_JOINED:
                    found = self._join(following, linked)
                    if found is not None:
                        return found
        self._dead_ends.add(place)
        return None

    def _ends_of(self, begin: int, number: int) -> list[int]:
        """Positions at which the whole candidate may end when it begins at ``begin``, the last one first."""
        if (begin, number) not in self._ends:
            items = self._candidates[number].items
            comparison = self._compare(self._sentence, items, self._candidates[number])
            found = comparison.ends(begin, list(lead_ins(items))) if comparison is not None else set()
            self._ends[begin, number] = sorted((end for end in found if end > begin), reverse=True)
        return self._ends[begin, number]

    def _compare(self, sentence: Sequence[Item], source: Sequence[Item], candidate: Candidate) -> _Comparison | None:
        """``None`` when the limit on the work for the sentence is reached."""
        self._work += len(sentence) * len(source)
        return _Comparison(sentence, source, candidate) if self._work <= _MOST_WORK else None

    def _next_begin(self, at: int) -> int | None:
        """The position at which the next source sentence may begin; ``None`` where none may."""
        while at < len(self._sentence) and self._sentence[at].kind == "mark":
            at += 1
        if at < len(self._sentence) and self._sentence[at].key in _CONJUNCTIONS:
            return at + 1
        return at if self._sentence[at - 1].key in _STOPS else None


class _Comparison:
    """Compares a sentence with one source sentence item by item, by dynamic programming over both positions."""

    def __init__(self, sentence: Sequence[Item], source: Sequence[Item], candidate: Candidate) -> None:
        self._sentence, self._source, self._candidate = sentence, source, candidate
        self._units = units_of(candidate.segment) if any(item.quantity for item in sentence) else frozenset()
        # A pronoun that begins the sentence, or its main clause after a first part with a comma.
        begins = [0, *(index + 1 for index, item in enumerate(source) if item.key == ",")][:2]
        self._subjects = {at for at in begins if at < len(source) and source[at].key in PRONOUNS}
        self.furthest = -1
        self._place = (0, 0)

    def ends(self, begin: int, parts: Sequence[tuple[int, int]]) -> set[int]:
        """Positions at which the whole source may end when it begins at ``begin``; its ``parts`` may be removed.

        Time and memory grow with the product of both lengths.
        """
        sentence, source = self._sentence, self._source
        jumps: dict[int, list[int]] = {}
        for start, end in parts:
            jumps.setdefault(start, []).append(end)
        reached: list[set[int]] = [set() for _ in range(len(source) + 1)]
        reached[0].add(begin)
        for at in range(len(source) + 1):
            here = reached[at]
            for position in range(begin, len(sentence) + 1):
                if position not in here:
                    continue
                if position > self.furthest:
                    self.furthest, self._place = position, (position, at)
                if position < len(sentence) and sentence[position].optional:
                    here.add(position + 1)
                if at == len(source):
                    continue
                if source[at].optional:
                    reached[at + 1].add(position)
                for end in jumps.get(at, ()):
                    reached[end].add(position)
                if position < len(sentence):
                    if self._equal(sentence[position], source[at]):
                        reached[at + 1].add(position + 1)
                    if at in self._subjects:
                        reached[at + 1].update(self._resolve_pronoun(position))
        return reached[len(source)]

    def difference(self) -> str:
        """The difference at the furthest position, as a message."""
        position, at = self._place
        mine = self._sentence[position] if position < len(self._sentence) else None
        theirs = self._source[at] if at < len(self._source) else None
        if mine is None:
            return f'it leaves out "{theirs.surface}"' if theirs else "its words are not in the passage"
        if mine.quantity is not None:
            quantities = [item.quantity for item in self._source if item.quantity is not None]
            if all(quantity.value != mine.quantity.value for quantity in quantities):
                return f"the number {mine.surface} is not in the passage"
            if not any(matches(mine.quantity, quantity, self._units) for quantity in quantities):
                return f"{mine.surface} has another unit in the passage"
        if theirs is None or (position + 1 < len(self._sentence) and self._equal(self._sentence[position + 1], theirs)):
            return f'it adds "{mine.surface}"'
        if at + 1 < len(self._source) and self._equal(mine, self._source[at + 1]):
            return f'it leaves out "{theirs.surface}"'
        return f'it says "{mine.surface}" where the passage says "{theirs.surface}"'

    def _equal(self, mine: Item, theirs: Item) -> bool:
        if mine.quantity is not None and theirs.quantity is not None:
            whole = bool(mine.quantity.unit) or not theirs.quantity.unit
            return whole and matches(mine.quantity, theirs.quantity, self._units)
        if mine.key != theirs.key or mine.kind != theirs.kind:
            return False
        # "May", "Will" and "US" are names where "may", "will" and "us" are none.
        return mine.begins_sentence or theirs.begins_sentence or mine.surface.islower() or not theirs.surface.islower()

    def _resolve_pronoun(self, position: int) -> Iterator[int]:
        """Positions after a name or noun of the sentence that is a referent of the source's pronoun."""
        while position < len(self._sentence) and self._sentence[position].optional:
            position += 1
        for referent in self._candidate.referents:
            end = position + len(referent)
            if referent and [item.key for item in self._sentence[position:end]] == [item.key for item in referent]:
                yield end
