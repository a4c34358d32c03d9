"""Joins sections that are too small to their neighbours, and cuts those that are too large."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from ragstone.core.ingestion import Unit, halves, pack, sentences, split
from ragstone.core.text import sentence_spans

from .sections import LINE, Section, classified_lines

#: What is longer than this is not counted: that it is too long is certain, and its tokens need memory.
_COUNTED = 20_000
#: No token is longer than this many characters on average in what people write. The encoder counts a hundred
#: characters without a space as one token.
_LONGEST_TOKEN = 16
#: Tokens below which neighbouring units are never cut apart.
_TINY = 8
_DAY = 86_400
_BLANK = re.compile(r"\n[ \t]*\n\s*")
_HEADINGS = re.compile(r"(?:#[^\n]*\n|\s)*")


@dataclass(frozen=True)
class Limits:
    """Tokens of the encoder."""

    #: Below, a section is joined to a neighbour; above ``high``, it is cut.
    low: int
    high: int
    #: No chunk has more.
    hard: int
    overlap: int = 0


class ChunkSizer:
    """Makes chunks of the sections of one text."""

    def __init__(self, text: str, limits: Limits, count_tokens: Callable[[str], int]) -> None:
        self._text = text
        self._limits = limits
        self._count = count_tokens

    def fitted(self, sections: list[Section]) -> list[Section]:
        """The sections as chunks: neighbours joined, long ones cut, each without blank ends."""
        cut = [part for section, size in self._joined(sections) for part in self._cut(section, size)]
        chunks = [chunk for section in cut if (chunk := self._stripped(section)) is not None]
        if self._limits.overlap:
            return chunks[:1] + [replace(now, start=self._overlap(before, now)) for before, now in pairwise(chunks)]
        return chunks

    def _size(self, text: str) -> int:
        if len(text) > _COUNTED:
            return max(len(text) // 4, self._limits.hard + 1)
        return max(self._count(text), len(text) // _LONGEST_TOKEN)

    def _joined(self, sections: list[Section]) -> list[tuple[Section, int]]:
        """Each section below ``low`` joined to the next one, the last to the one before, where they may be."""
        low = self._limits.low
        done: list[tuple[Section, int]] = []
        for section in sections:
            size = self._size(self._text[section.start : section.end])
            if done and done[-1][1] < low and self._are_joined(done[-1][0], section):
                done.append(_union(*done.pop(), section, size))
            else:
                done.append((section, size))
        if len(done) > 1 and done[-1][1] < low and self._are_joined(done[-2][0], done[-1][0]):
            last = done.pop()
            done.append(_union(*done.pop(), *last))
        return done

    def _are_joined(self, first: Section, second: Section) -> bool:
        """Whether both may be one chunk, which has one date: what is above the first day may be joined to it, and
        headings alone to the answer of the one that asks."""
        if first.is_answer or (second.is_answer and not _HEADINGS.fullmatch(self._text, first.start, first.end)):
            return False
        return first.date is None or (second.date is not None and first.date // _DAY == second.date // _DAY)

    def _cut(self, section: Section, size: int) -> Iterator[Section]:
        """The section in parts of about equal size, above ``high`` only for a block that is whole, or a small rest."""
        low, high = self._limits.low, self._limits.high
        if size <= high:
            yield section
            return
        units = list(self._units(section.start, section.end))
        whole = max(1, sum(unit.size for unit in units))
        goal = whole / math.ceil(whole / high)

        def cost(held: int) -> float:
            return (held / goal - 1) ** 2 + (held < low) + (held > high)

        for part in pack(units, self._limits.hard, cost, _TINY):
            start = part[0].start
            yield replace(section, start=start, end=part[-1].end, at=section.at if start == section.start else start)

    def _units(self, start: int, end: int) -> Iterator[Unit]:
        """Blocks, each whole as long as it may be; of longer ones the lines, their sentences, parts of these."""
        for block in self._blocks(start, end):
            size = self._size(self._text[slice(*block)])
            if size <= self._limits.hard:
                yield Unit(*block, size)
            else:
                parts = split(self._text, block, (_lines, sentences, halves), self._size, self._limits.high)
                yield from (Unit(*part) for part in parts)

    def _blocks(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Paragraphs; a heading is with what follows, and what ends with a colon with what it announces."""
        text = self._text[start:end]
        within = {begin for begin, _, part in classified_lines(text) if part == "within"}
        begin = 0
        for blank in _BLANK.finditer(text):
            block = text[begin : blank.start()].strip()
            is_heading = block.startswith("#") and "\n" not in block
            if text.rfind("\n", 0, blank.end()) + 1 not in within and not is_heading and not block.endswith(":"):
                yield start + begin, start + blank.end()
                begin = blank.end()
        if text[begin:].strip():
            yield start + begin, end

    def _stripped(self, section: Section) -> Section | None:
        words = self._text[section.start : section.end]
        start = section.start + len(words) - len(words.lstrip())
        # Its indentation belongs to a line.
        start = max(section.start, self._text.rfind("\n", section.start, start) + 1)
        end = section.start + len(words.rstrip())
        return replace(section, start=start, end=end, at=max(section.at, start)) if start < end else None

    def _overlap(self, before: Section, now: Section) -> int:
        """Where the chunk begins that repeats the end of the one before: whole lines or sentences, else nothing."""
        window = max(before.start, now.start - 8 * self._limits.overlap)
        starts = {first for first, _ in sentence_spans(self._text, window, now.start)}
        starts |= {first for first, _ in _lines(self._text, window, now.start)}
        if window > before.start:
            starts.discard(window)  # in the middle of a word
        room = min(self._limits.overlap, self._limits.hard - self._size(self._text[now.start : now.end]))
        for start in sorted(starts):
            if self._size(self._text[start : now.start]) <= room:
                return start
        return now.start


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    return (line.span() for line in LINE.finditer(text, start, end))


def _union(first: Section, held: int, second: Section, size: int) -> tuple[Section, int]:
    """Both as one, with its size, under the headings of the greater."""
    at = first.at if held >= size else second.at
    return Section(first.start, second.end, at, second.date, is_answer=second.is_answer), held + size
