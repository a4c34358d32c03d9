"""The citation check: every sentence of an answer must be supported by the passages that it cites.

``sentence_stream`` cuts an answer into sentences while it streams; ``check`` decides on each one, by ``alignment`` with
the segments of its ``sources`` under the ``transformations`` that keep what a sentence says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .check import MARKER, find_fault
from .contradiction import Contradiction, contradictions
from .sentence_stream import ITEM_MARK, Splitter, split_answer
from .sources import Segment, Source

if TYPE_CHECKING:
    from collections.abc import Sequence

_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.{1,300}?)(?<=\S)\1")


@dataclass(frozen=True)
class Support:
    """A source sentence, word for word, and the number of its passage (from 1)."""

    passage: int
    text: str


@dataclass(frozen=True)
class CheckedSentence:
    """A sentence without its markers, and why it may not stand."""

    text: str
    #: The passages (from 1) that it cites and that support it; with a fault those that it cites.
    cited: tuple[int, ...]
    fault: str | None
    #: For each cited passage its own words that support it.
    quotes: tuple[str, ...] = ()
    #: With a fault: the source sentences that may take its place, in order.
    instead: tuple[Support, ...] = ()


class Passages:
    """The passages that an answer may cite, each read once, when it is first cited."""

    def __init__(self, texts: Sequence[str], headings: Sequence[str] | None = None) -> None:
        """``headings``: what the model is shown above each text."""
        above = headings if headings is not None else [""] * len(texts)
        self._sources = [Source(number, *both) for number, both in enumerate(zip(texts, above, strict=True))]

    def check(self, sentence: str, cited: tuple[int, ...] | None = None) -> CheckedSentence:
        """Whether the passages that the sentence cites support it; markers outside their range are not counted.

        ``cited``: what it cites, for one that has no markers of its own.
        """
        text, marked = read_markers(sentence)
        numbers = tuple(number for number in (cited or marked) if 1 <= number <= len(self._sources))
        if not numbers:
            return CheckedSentence(text, (), "it cites no passage")
        mark = ITEM_MARK.match(text)
        found = find_fault(text[mark.end() :] if mark else text, [self._sources[number - 1] for number in numbers])
        supports = tuple(Support(each.passage + 1, self._text_of(each)) for each in found.segments)
        if found.fault is not None:
            return CheckedSentence(text, numbers, found.fault, instead=supports)
        quotes: dict[int, str] = {}
        for support in supports:
            quotes.setdefault(support.passage, support.text)
        return CheckedSentence(text, tuple(quotes), None, tuple(quotes.values()))

    def _text_of(self, segment: Segment) -> str:
        return self._sources[segment.passage].text[segment.start : segment.end]


def read_markers(sentence: str) -> tuple[str, tuple[int, ...]]:
    """The sentence without its markers and without emphasis, and the numbers in them, each once."""
    numbers = dict.fromkeys(
        int(part) for match in MARKER.finditer(sentence) for part in re.split(r"[,;]", match.group(1))
    )
    return _EMPHASIS.sub(r"\2", MARKER.sub("", sentence)).strip(), tuple(numbers)


def is_item(sentence: str) -> bool:
    """Whether it is an item of a list."""
    return ITEM_MARK.match(sentence) is not None


def check_sentence(sentence: str, passages: Sequence[str]) -> CheckedSentence:
    """As ``Passages.check``, for one sentence."""
    return Passages(passages).check(sentence)


def unsupported(sentence: str, source: str) -> str | None:
    """Why the source does not support the sentence; ``None`` when it does."""
    return find_fault(sentence, [Source(0, source)]).fault


__all__ = [
    "ITEM_MARK",
    "CheckedSentence",
    "Contradiction",
    "Passages",
    "Splitter",
    "Support",
    "check_sentence",
    "contradictions",
    "is_item",
    "read_markers",
    "split_answer",
    "unsupported",
]
