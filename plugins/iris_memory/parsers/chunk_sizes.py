"""Joins sections that are too small to their neighbours, and cuts those that are too large."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from ragstone.core.text import sentence_spans

from .sections import LINE, Section, classified_lines

#: What is longer than this is not counted: that it is too long is certain, and its tokens need memory.
_COUNTED = 20_000
#: No token is longer than this many characters on average in what people write. The encoder counts a hundred
#: characters without a space as one token.
_LONGEST_TOKEN = 16
_PIECE = 400
_BLANK = re.compile(r"\n[ \t]*\n\s*")


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

    def _size(self, start: int, end: int) -> int:
        length = end - start
        if length > _COUNTED:
            return max(length // 4, self._limits.hard + 1)
        return max(self._count(self._text[start:end]), length // _LONGEST_TOKEN)

    def _joined(self, sections: list[Section]) -> list[tuple[Section, int]]:
        """Each section below ``low`` joined to the next one, the last to the one before."""
        low = self._limits.low
        done: list[tuple[Section, int]] = []
        for section in sections:
            size = self._size(section.start, section.end)
            if done and done[-1][1] < low:
                done.append(_union(*done.pop(), section, size))
            else:
                done.append((section, size))
        if len(done) > 1 and done[-1][1] < low:
            last = done.pop()
            done.append(_union(*done.pop(), *last))
        return done

    def _cut(self, section: Section, size: int) -> Iterator[Section]:
        """The section in parts of about equal size, none above ``high`` but a block that is whole below ``hard``."""
        if size <= self._limits.high:
            yield section
            return
        units = list(self._units(section.start, section.end, 0))
        left = sum(tokens for _, _, tokens in units)
        count = max(1, math.ceil(left / self._limits.high))
        parts: list[tuple[int, int, int]] = []
        for start, end, tokens in units:
            held = parts[-1][2] if parts else 0
            goal = left / max(1, count)
            # A part takes one unit more where that brings it nearer to its share of what is left.
            if parts and held + tokens <= self._limits.high and held + tokens / 2 <= goal:
                parts[-1] = parts[-1][0], end, held + tokens
            else:
                if parts:
                    left, count = left - held, count - 1
                parts.append((start, end, tokens))
        for start, end, _ in self._without_small(parts):
            at = section.at if start == section.start else start
            yield replace(section, start=start, end=end, at=at)

    def _without_small(self, parts: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
        """Parts below ``low`` joined to a neighbour, where that gives no more than ``hard``."""
        done: list[tuple[int, int, int]] = []
        for start, end, tokens in parts:
            held = done[-1][2] if done else 0
            if done and min(held, tokens) < self._limits.low and held + tokens <= self._limits.hard:
                done[-1] = done[-1][0], end, held + tokens
            else:
                done.append((start, end, tokens))
        return done

    def _units(self, start: int, end: int, level: int) -> Iterator[tuple[int, int, int]]:
        cutters = (self._blocks, self._lines, self._sentences, self._pieces)
        for first, last in cutters[level](start, end):
            if not self._text[first:last].strip():
                continue
            tokens = self._size(first, last)
            # A block of code or a table stays whole as long as it may.
            limit = self._limits.hard if level == 0 else self._limits.high
            if tokens <= limit or level == len(cutters) - 1:
                yield first, last, tokens
            else:
                yield from self._units(first, last, level + 1)

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
        yield start + begin, end

    def _lines(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        return (line.span() for line in LINE.finditer(self._text, start, end))

    def _sentences(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        starts = [first for first, _ in sentence_spans(self._text, start, end)]
        return pairwise([start, *starts[1:], end])

    def _pieces(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        while start < end:
            after = min(start + _PIECE, end)
            if after < end and (space := self._text.rfind(" ", start + 1, after)) > 0:
                after = space + 1
            yield start, after
            start = after

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
        starts |= {first for first, _ in self._lines(window, now.start)}
        if window > before.start:
            starts.discard(window)  # in the middle of a word
        room = min(self._limits.overlap, self._limits.hard - self._size(now.start, now.end))
        for start in sorted(starts):
            if self._size(start, now.start) <= room:
                return start
        return now.start


def _union(first: Section, held: int, second: Section, size: int) -> tuple[Section, int]:
    """Both as one, with its size, under the headings of the greater; the later date counts."""
    date = max((date for date in (first.date, second.date) if date is not None), default=None)
    return Section(first.start, second.end, first.at if held >= size else second.at, date), held + size
