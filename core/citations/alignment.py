"""A sentence aligned with the source sentences that it could come from: every item of both has its counterpart.

The sentence must consume whole source sentences, in order. What may differ is in ``transformations``; nothing else may:
neither an added word nor one that is missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from .quantities import agrees
from .sources import units_beside
from .transformations import MOVABLE, active, apposed, droppable, lead_ins, moved

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .items import Item
    from .sources import AnalyzedText, Segment, Source

#: At most so many source sentences are joined in one sentence.
_MOST_JOINED = 3
#: Joined sentences follow each other with one of these. "because", "so" and "if" would say more than both.
_JOINTS = frozenset({"and", "but", "while", "whereas"})
_STOPS = frozenset(";.:!")
_PRONOUNS = frozenset({"it", "they", "he", "she", "him", "her", "them", "his", "its", "their", "this", "these"})
#: Items of a source sentence among which what a pronoun behind it means is looked for.
_SUBJECT_AT_MOST = 8
_AUXILIARIES = frozenset({"is", "was", "have", "had", "do", "did", "can", "could", "will", "would", "may", "must"})
#: Share of a sentence's distinct items that one of up to three source sentences must hold to be looked at.
_LEAST_SHARED = 0.15
#: Bounds of the work for one sentence, so that no passage or model can make it long.
_MOST_CANDIDATES, _MOST_VERSIONS, _LONGEST_SEGMENT, _MOST_WORK = 40, 12, 1_500, 2_000_000


@dataclass(frozen=True)
class Aligned:
    """The source sentences that support a sentence, or the first place where it departs from the closest one."""

    segments: tuple[Segment, ...]
    fault: str | None = None


@dataclass(frozen=True)
class _Candidate:
    """A source sentence, and what its pronouns may mean."""

    segment: Segment
    referents: list[list[Item]]

    @property
    def items(self) -> list[Item]:
        return self.segment.content.items


class Alignment:
    """One sentence against the passages that it cites."""

    def __init__(self, claim: Sequence[Item], sources: Sequence[Source]) -> None:
        self._claim = claim
        held = {item.key for item in claim if not item.optional}
        shared = {
            segment: len(held & {item.key for item in segment.content.items})
            for source in sources
            for segment in source.segments
            if segment.end - segment.start <= _LONGEST_SEGMENT
        }
        most = sorted(shared.values(), reverse=True)[:_MOST_CANDIDATES]
        least = max(_LEAST_SHARED * len(held), most[-1] if most else 0)
        self._candidates = [
            _Candidate(segment, list(_referents(segment.before, source.headings)))
            for source in sources
            for segment in source.segments
            if shared.get(segment, -1) >= least
        ][:_MOST_CANDIDATES]
        self._work = 0
        self._ends: dict[tuple[int, int], list[int]] = {}
        self._dead_ends: set[tuple[int, int, int]] = set()

    def find(self) -> Aligned:
        """The first alignment: of one source sentence, changed as the rules allow, or of several whole ones."""
        furthest, fault = -1, "its words are not in the passage"
        for candidate in self._candidates:
            for claim, source in self._versions(candidate):
                walk = self._walk(claim, source, candidate)
                if walk is None:
                    return Aligned((), "it is too long to be compared with the passage")
                if len(claim) in walk.ends(0, droppable(source)):
                    return Aligned((candidate.segment,))
                if claim is self._claim and walk.furthest > furthest:
                    furthest, fault = walk.furthest, walk.difference()
        joined = self._joined(0, [])
        return Aligned(joined) if joined else Aligned((), fault)

    def _versions(self, candidate: _Candidate) -> Iterator[tuple[Sequence[Item], Sequence[Item]]]:
        """The sentence and its source, then either of them with its parts in another order."""
        yield self._claim, candidate.items
        for change in (moved, active, apposed):
            for source in islice(change(candidate.items), _MOST_VERSIONS):
                yield self._claim, source
        for change in (moved, active):
            for claim in islice(change(self._claim), _MOST_VERSIONS):
                yield claim, candidate.items

    def _joined(self, begin: int, chain: list[int]) -> tuple[Segment, ...] | None:
        """Whole source sentences that make up the rest of the sentence, each behind the one before it."""
        place = (begin, chain[-1] if chain else -1, len(chain))
        if place in self._dead_ends:
            return None
        for number, candidate in enumerate(self._candidates):
            if chain and not _may_follow(self._candidates[chain[-1]], candidate):
                continue
            for end in self._ends_of(begin, number):
                linked = [*chain, number]
                if end == len(self._claim):
                    return tuple(self._candidates[one].segment for one in linked)
                following = self._joint(end)
                if following is not None and len(linked) < _MOST_JOINED:
                    found = self._joined(following, linked)
                    if found is not None:
                        return found
        self._dead_ends.add(place)
        return None

    def _ends_of(self, begin: int, number: int) -> list[int]:
        """Where the whole candidate may end in the sentence when it begins at ``begin``, the furthest first."""
        if (begin, number) not in self._ends:
            items = self._candidates[number].items
            walk = self._walk(self._claim, items, self._candidates[number])
            found = walk.ends(begin, list(lead_ins(items))) if walk is not None else set()
            self._ends[begin, number] = sorted((end for end in found if end > begin), reverse=True)
        return self._ends[begin, number]

    def _walk(self, claim: Sequence[Item], source: Sequence[Item], candidate: _Candidate) -> _Walk | None:
        """``None`` when the sentence has had its share of work."""
        self._work += len(claim) * len(source)
        return _Walk(claim, source, candidate) if self._work <= _MOST_WORK else None

    def _joint(self, at: int) -> int | None:
        """Where the next source sentence may begin."""
        while at < len(self._claim) and self._claim[at].kind == "mark":
            at += 1
        if at < len(self._claim) and self._claim[at].key in _JOINTS:
            return at + 1
        return at if self._claim[at - 1].key in _STOPS else None


def _may_follow(before: _Candidate, after: _Candidate) -> bool:
    """In one passage in its order; what begins with a pronoun directly behind what it means."""
    one, other = before.segment, after.segment
    same = one.passage == other.passage
    if same and other.start <= one.start:
        return False
    opening = next((item.key for item in after.items if item.kind != "mark"), "")
    return opening not in _PRONOUNS or other.before is one


def _referents(before: Segment | None, headings: Sequence[AnalyzedText]) -> Iterator[list[Item]]:
    """What a pronoun at the beginning of a source sentence may mean: the subject before it, or the heading."""
    for line in headings:
        yield [item for item in line.items if not item.optional]
    if before is None:
        return
    items = [item for item in before.content.items if item.kind == "word" or item.key == ","]
    if items and items[0].key in MOVABLE:
        items = items[next((index + 1 for index, item in enumerate(items) if item.key == ","), 0) :]
    words = [item for item in items[: _SUBJECT_AT_MOST + 2] if not item.optional or item.key == ","]
    named = list(takewhile(lambda item: item.shape[0].isupper(), words))
    if named:
        yield named
        yield named[-1:]  # "Curie" of "Marie Curie"
    subject = list(takewhile(lambda item: item.key not in _AUXILIARIES and not _looks_like_verb(item), words[1:]))
    if len(subject) < len(words) - 1:
        yield [*words[:1], *subject]


def _looks_like_verb(item: Item) -> bool:
    word = item.shape
    return word.islower() and (word.endswith("ed") or (word.endswith("s") and not word.endswith("ss")))


def _subject_pronouns(source: Sequence[Item]) -> frozenset[int]:
    """Places of a pronoun that begins the sentence, or its main clause behind a first part with a comma."""
    begins = [0, *(index + 1 for index, item in enumerate(source) if item.key == ",")][:2]
    return frozenset(at for at in begins if at < len(source) and source[at].key in _PRONOUNS)


class _Walk:
    """All ways through a sentence and one source sentence beside each other, item by item."""

    def __init__(self, claim: Sequence[Item], source: Sequence[Item], candidate: _Candidate) -> None:
        self._claim, self._source, self._candidate = claim, source, candidate
        self._units = units_beside(candidate.segment) if any(item.quantity for item in claim) else frozenset()
        self._subjects = _subject_pronouns(source)
        self.furthest = -1
        self._place = (0, 0)

    def ends(self, begin: int, parts: Sequence[tuple[int, int]]) -> set[int]:
        """Where in the sentence, read from ``begin``, the whole source may have ended; ``parts`` may be left out of it.

        Work and memory grow with the product of both lengths.
        """
        claim, source = self._claim, self._source
        jumps: dict[int, list[int]] = {}
        for start, end in parts:
            jumps.setdefault(start, []).append(end)
        reached: list[set[int]] = [set() for _ in range(len(source) + 1)]
        reached[0].add(begin)
        for at in range(len(source) + 1):
            here = reached[at]
            for position in range(begin, len(claim) + 1):
                if position not in here:
                    continue
                if position > self.furthest:
                    self.furthest, self._place = position, (position, at)
                if position < len(claim) and claim[position].optional:
                    here.add(position + 1)
                if at == len(source):
                    continue
                if source[at].optional:
                    reached[at + 1].add(position)
                for end in jumps.get(at, ()):
                    reached[end].add(position)
                if position < len(claim):
                    if self._equal(claim[position], source[at]):
                        reached[at + 1].add(position + 1)
                    if at in self._subjects:
                        reached[at + 1].update(self._resolved(position))
        return reached[len(source)]

    def difference(self) -> str:
        """What stands in the furthest place that was reached, in words."""
        position, at = self._place
        mine = self._claim[position] if position < len(self._claim) else None
        theirs = self._source[at] if at < len(self._source) else None
        if mine is None:
            return f'it leaves out "{theirs.shape}"' if theirs else "its words are not in the passage"
        if mine.quantity is not None:
            held = [item.quantity for item in self._source if item.quantity is not None]
            if all(quantity.value != mine.quantity.value for quantity in held):
                return f"the number {mine.shape} is not in the passage"
            if not any(agrees(mine.quantity, quantity, self._units) for quantity in held):
                return f"{mine.shape} has another unit in the passage"
        if theirs is None or (position + 1 < len(self._claim) and self._equal(self._claim[position + 1], theirs)):
            return f'it adds "{mine.shape}"'
        if at + 1 < len(self._source) and self._equal(mine, self._source[at + 1]):
            return f'it leaves out "{theirs.shape}"'
        return f'it says "{mine.shape}" where the passage says "{theirs.shape}"'

    def _equal(self, mine: Item, theirs: Item) -> bool:
        if mine.quantity is not None and theirs.quantity is not None:
            whole = bool(mine.quantity.unit) or not theirs.quantity.unit
            return whole and agrees(mine.quantity, theirs.quantity, self._units)
        if mine.key != theirs.key or mine.kind != theirs.kind:
            return False
        # "May", "Will" and "US" are names where "may", "will" and "us" are none.
        return mine.opens or theirs.opens or mine.shape.islower() or not theirs.shape.islower()

    def _resolved(self, position: int) -> Iterator[int]:
        """Where the sentence goes on behind a name or noun that stands for the source's pronoun."""
        while position < len(self._claim) and self._claim[position].optional:
            position += 1
        for referent in self._candidate.referents:
            end = position + len(referent)
            if referent and [item.key for item in self._claim[position:end]] == [item.key for item in referent]:
                yield end
