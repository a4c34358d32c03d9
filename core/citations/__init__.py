"""The citation check: every sentence of an answer must be borne by the passages that it cites.

``splitting`` cuts an answer into sentences while it streams, ``checking`` decides on each one, from what ``words``,
``quantities``, ``names``, ``polarity`` and ``links`` read in it and in the segments of its ``sources``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .checking import find_fault
from .sources import Source
from .splitting import ITEM_MARK, Splitter, split_answer

if TYPE_CHECKING:
    from collections.abc import Sequence

_MARKER = re.compile(r"(?<!\s)\s*\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\]")
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.{1,300}?)(?<=\S)\1")


@dataclass(frozen=True)
class CheckedSentence:
    """A sentence without its markers, and why it may not stand."""

    text: str
    #: The passages (from 1) that it cites and that bear it; with a fault those that it cites.
    cited: tuple[int, ...]
    fault: str | None
    #: For each cited passage its own words that bear it.
    quotes: tuple[str, ...] = ()
    #: Whether it could stand if it were written otherwise.
    mendable: bool = True


class Passages:
    """The passages that an answer may cite, each read once, when it is first cited."""

    def __init__(self, texts: Sequence[str], headings: Sequence[str] | None = None) -> None:
        """``headings``: what the model is shown above each text."""
        above = headings if headings is not None else [""] * len(texts)
        self._sources = [Source(number, *both) for number, both in enumerate(zip(texts, above, strict=True))]

    def check(self, sentence: str, cited: tuple[int, ...] | None = None) -> CheckedSentence:
        """Whether the sentence is borne by the passages that it cites; markers outside their range are not counted.

        ``cited``: what it cites, for one that has no markers of its own.
        """
        text, marked = read_markers(sentence)
        numbers = tuple(number for number in (cited or marked) if 1 <= number <= len(self._sources))
        if not numbers:
            return CheckedSentence(text, (), "it cites no passage")
        mark = ITEM_MARK.match(text)
        bare = text[mark.end() :] if mark else text
        found = find_fault(bare, [self._sources[number - 1] for number in numbers])
        if found.fault is not None:
            return CheckedSentence(text, numbers, found.fault, mendable=found.mendable)
        return CheckedSentence(text, tuple(number + 1 for number in found.borne_by), None, found.quotes)


def read_markers(sentence: str) -> tuple[str, tuple[int, ...]]:
    """The sentence without its markers and without emphasis, and the numbers in them, each once."""
    numbers = dict.fromkeys(
        int(part) for match in _MARKER.finditer(sentence) for part in re.split(r"[,;]", match.group(1))
    )
    return _EMPHASIS.sub(r"\2", _MARKER.sub("", sentence)).strip(), tuple(numbers)


def is_item(sentence: str) -> bool:
    """Whether it is an item of a list."""
    return ITEM_MARK.match(sentence) is not None


def check_sentence(sentence: str, passages: Sequence[str]) -> CheckedSentence:
    """As ``Passages.check``, for one sentence."""
    return Passages(passages).check(sentence)


def unsupported(sentence: str, source: str) -> str | None:
    """Why the source does not bear the sentence; ``None`` when it does."""
    return find_fault(sentence, [Source(0, source)]).fault


__all__ = [
    "CheckedSentence",
    "Passages",
    "Splitter",
    "check_sentence",
    "is_item",
    "read_markers",
    "split_answer",
    "unsupported",
]
