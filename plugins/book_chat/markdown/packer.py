"""Packs blocks into chunks: whole where they fit, else split at sentences, lines or words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ragstone.core.ingestion import cut_at, split
from ragstone.core.text import sentence_spans

from .blocks import Block

_TAIL_TOKENS = 60
_ITEM = r"\n(?=[ \t]*(?:[-*+>]|\d{1,9}[.)])[ \t])"


@dataclass(frozen=True)
class Unit:
    """A piece of text that is never cut: a ``whole`` block, or a part of one that is too long."""

    start: int
    end: int
    tokens: int
    block: Block
    whole: bool


@dataclass(frozen=True)
class Packer:
    """Packs blocks into chunks of about ``min_tokens`` to ``max_tokens``, never more than ``hard_limit``.

    A chunk but the first repeats up to ``overlap_tokens`` from the end of the one before.
    """

    count_tokens: Callable[[str], int]
    max_tokens: int
    min_tokens: int
    overlap_tokens: int
    hard_limit: int

    def chunks(self, text: str, blocks: Sequence[Block]) -> list[list[Unit]]:
        """The blocks of ``text`` as chunks of neighbours; a chunk may begin with the end of the one before."""
        chunks: list[list[Unit]] = []
        held = fresh = 0  # tokens of the open chunk; those of them that no chunk before it has
        for unit in self._units(text, blocks):
            limit = self.hard_limit if held < self.min_tokens and unit.whole else self.max_tokens
            if chunks and held + unit.tokens <= limit:
                chunks[-1].append(unit)
                held += unit.tokens
                fresh += unit.tokens
                continue
            repeated = self._overlap(text, chunks[-1], self.hard_limit - unit.tokens) if chunks else []
            chunks.append([*repeated, unit])
            held, fresh = sum(u.tokens for u in chunks[-1]), unit.tokens
        if len(chunks) > 1 and fresh < _TAIL_TOKENS:
            before = chunks[-2]
            if sum(u.tokens for u in before) + fresh <= self.hard_limit:
                chunks[-2:] = [before + [u for u in chunks[-1] if u.start >= before[-1].end]]
        return chunks

    def _units(self, text: str, blocks: Sequence[Block]) -> list[Unit]:
        units: list[Unit] = []
        for block in blocks:
            tokens = self.count_tokens(text[block.start : block.end])
            if tokens <= self.hard_limit:
                units.append(Unit(block.start, block.end, tokens, block, whole=True))
            else:
                cutters = (*_CUTTERS.get(block.kind, _PROSE), self._characters)
                pieces = split(text, (block.start, block.end), cutters, self.count_tokens, self.max_tokens)
                units += [Unit(start, end, count, block, whole=False) for start, end, count in pieces]
        return units

    def _characters(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Even parts of text without spaces and line ends; a part that is still too long is split again."""
        tokens = self.count_tokens(text[start:end])
        width = max(1, (end - start) * self.max_tokens // (2 * max(tokens, 1)))
        width = min(width, max(1, (end - start) // 2))
        yield from ((at, min(at + width, end)) for at in range(start, end, width))

    def _overlap(self, text: str, chunk: Sequence[Unit], room: int) -> list[Unit]:
        """The last units of a chunk, and the last sentences before them, that fit; never the whole chunk."""
        room = min(room, self.overlap_tokens)
        taken: list[Unit] = []
        for at in reversed(range(len(chunk))):
            unit = chunk[at]
            if at and unit.tokens <= room:
                taken.insert(0, unit)
                room -= unit.tokens
                continue
            if unit.block.kind not in _CUTTERS:
                spans = list(_sentences(text, unit.start, unit.end))
                for start, end in reversed(spans[1:]):
                    tokens = self.count_tokens(text[start:end])
                    if tokens > room:
                        break
                    taken.insert(0, Unit(start, end, tokens, unit.block, whole=False))
                    room -= tokens
            break
        return taken


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for first, last in _items(text, start, end):
        yield from sentence_spans(text, first, last)


_items, _lines, _words = (cut_at(re.compile(pattern)) for pattern in (_ITEM, r"\n", r"\s+"))
_PROSE = (_sentences, _lines, _words)
_CUTTERS = {"code": (cut_at(re.compile(r"\n[ \t]*\n")), _lines, _words), "table": (_lines, _words)}
