"""Source sentences that a sentence may be made of, and the referents of their pronouns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from .items import Item
from .sources import AnalyzedText, Segment
from .transformations import MOVABLE

PRONOUNS = frozenset({"it", "they", "he", "she", "him", "her", "them", "his", "its", "their", "this", "these"})
#: Items at the beginning of a source sentence among which the referent of the next one's pronoun is looked for.
_LONGEST_SUBJECT = 8
_AUXILIARIES = frozenset({"is", "was", "have", "had", "do", "did", "can", "could", "will", "would", "may", "must"})


@dataclass(frozen=True)
class Candidate:
    """A source sentence with the headings above it."""

    segment: Segment
    headings: Sequence[AnalyzedText]

    @property
    def items(self) -> list[Item]:
        return self.segment.content.items

    @cached_property
    def referents(self) -> list[list[Item]]:
        """The possible referents of its pronouns."""
        return list(_referents_of(self.segment.previous, self.headings))


def may_follow(before: Candidate, after: Candidate) -> bool:
    """Whether the order is the chunk's; a sentence that begins with a pronoun must directly follow its referent's."""
    one, other = before.segment, after.segment
    if one.chunk == other.chunk and other.start <= one.start:
        return False
    opening = next((item.key for item in after.items if item.kind != "mark"), "")
    return opening not in PRONOUNS or other.previous is one


def _referents_of(before: Segment | None, headings: Sequence[AnalyzedText]) -> Iterator[list[Item]]:
    """Possible referents of a pronoun that begins a source sentence: the headings and the previous subject."""
    for line in headings:
        yield [item for item in line.items if not item.optional]
    if before is None:
        return
    items = [item for item in before.content.items if item.kind == "word" or item.key == ","]
    if items and items[0].key in MOVABLE:
        items = items[next((index + 1 for index, item in enumerate(items) if item.key == ","), 0) :]
    words = [item for item in items[: _LONGEST_SUBJECT + 2] if not item.optional or item.key == ","]
    named = list(takewhile(lambda item: item.surface[0].isupper(), words))
    if named:
        yield named
        yield named[-1:]  # "Curie" of "Marie Curie"
    subject = list(takewhile(lambda item: item.key not in _AUXILIARIES and not _looks_like_verb(item), words[1:]))
    if len(subject) < len(words) - 1:
        yield [*words[:1], *subject]


def _looks_like_verb(item: Item) -> bool:
    word = item.surface
    return word.islower() and (word.endswith("ed") or (word.endswith("s") and not word.endswith("ss")))
