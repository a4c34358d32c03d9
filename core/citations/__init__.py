"""The citation check: every sentence of an answer must be supported by the chunks that it cites.

``sentence_stream`` splits a streamed answer into sentences. ``check`` decides on each one by its ``alignment`` with
segments of its ``sources``, which ``transformations`` may alter without a change of meaning.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ..text.chunk_terms import ChunkTerms
from .check import MARKER, check_sentence
from .contradiction import Contradiction, contradictions
from .sentence_stream import ITEM_MARK, Splitter, split_answer
from .sources import AnalyzedText, Source
from .words import as_recognised

_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.{1,300}?)(?<=\S)\1")


@dataclass(frozen=True)
class Support:
    """A source sentence, word for word, and the number of its chunk (from 1)."""

    chunk: int
    text: str


@dataclass(frozen=True)
class CheckedSentence:
    """A sentence without its markers, and the result of its check."""

    text: str
    #: The chunks (from 1) that it cites and that support it; with a fault all that it cites.
    cited: tuple[int, ...]
    #: Why it is not supported; ``None`` when it is.
    fault: str | None
    #: For each cited chunk the source sentence that supports it.
    quotes: tuple[str, ...] = ()
    #: With a fault: the closest source sentences, in the order of the chunks.
    replacements: tuple[Support, ...] = ()


class CitableChunks:
    """The chunks that an answer may cite, each analyzed once, on its first citation."""

    def __init__(
        self,
        texts: Sequence[str],
        headings: Sequence[str] | None = None,
        by_ocr: Collection[int] = (),
        terms: Sequence[ChunkTerms] | None = None,
    ) -> None:
        """``headings``: the lines that the model is shown above each text. ``by_ocr``: texts (from 0) read by OCR.
        ``terms``: of each text, where they are known."""
        above: Sequence[str] = [""] * len(texts) if headings is None else headings
        known: Sequence[ChunkTerms | None] = [None] * len(texts) if terms is None else terms
        each = zip(texts, above, known, strict=True)
        self._sources = [Source(number, *parts) for number, parts in enumerate(each)]
        self._by_ocr = by_ocr

    def check(self, sentence: str, cited: tuple[int, ...] | None = None) -> CheckedSentence:
        """Whether the chunks that the sentence cites support it; numbers of no chunk are ignored.

        ``cited``: numbers of chunks (from 1) for a sentence without markers.
        """
        text, marked = read_markers(sentence)
        numbers = tuple(number for number in (cited or marked) if 1 <= number <= len(self._sources))
        if not numbers:
            return CheckedSentence(text, (), "it cites no passage")
        mark = ITEM_MARK.match(text)
        bare = text[mark.end() :] if mark else text
        if recognised := [self._sources[number - 1].text for number in numbers if number - 1 in self._by_ocr]:
            bare = as_recognised(bare, recognised)
        segments, fault = check_sentence(bare, [self._sources[number - 1] for number in numbers])
        supports = tuple(
            Support(each.chunk + 1, self._sources[each.chunk].text[each.start : each.end]) for each in segments
        )
        if fault is not None:
            return CheckedSentence(text, numbers, fault, replacements=supports)
        quotes: dict[int, str] = {}
        for support in supports:
            quotes.setdefault(support.chunk, support.text)
        return CheckedSentence(text, tuple(quotes), None, tuple(quotes.values()))


def read_markers(sentence: str) -> tuple[str, tuple[int, ...]]:
    """The sentence without markers and emphasis, and the distinct numbers in its markers."""
    numbers = dict.fromkeys(
        int(part) for match in MARKER.finditer(sentence) for part in re.split(r"[,;]", match.group(1))
    )
    return _EMPHASIS.sub(r"\2", MARKER.sub("", sentence)).strip(), tuple(numbers)


def is_item(sentence: str) -> bool:
    """Whether the sentence is a list item."""
    return ITEM_MARK.match(sentence) is not None


def find_fault(sentence: str, source: str) -> str | None:
    """Why the source does not support the sentence; ``None`` when it does."""
    return check_sentence(sentence, [Source(0, source)])[1]


__all__ = [
    "ITEM_MARK",
    "AnalyzedText",
    "CheckedSentence",
    "CitableChunks",
    "Contradiction",
    "Splitter",
    "Support",
    "contradictions",
    "find_fault",
    "is_item",
    "read_markers",
    "split_answer",
]
