"""The units of a section's text, which are never cut."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ragstone.core.ingestion import Unit, halves, sentences, split

_WORD = re.compile(r"[^\W_]+(?:['’.,·-][^\W_]+)*")
#: TeX, or a script without spaces: so many characters are a word at least.
_LONGEST_WORD = 16
_LINE = re.compile(r"[^\n]+")
_IN_LINES = frozenset({"list", "definitions", "table", "code", "quote"})
_INSIDE, _AFTER_COLON = 20.0, 40.0


def count_words(text: str) -> int:
    """Words as a reader counts them, at least one: neither marks of lists nor rules of tables."""
    return max(1, len(_WORD.findall(text)), len(text) // _LONGEST_WORD)


def units(text: str, blocks: Sequence[tuple[str, int, int]], most: int) -> Iterator[Unit]:
    """The units of a section's blocks: sentences, items, rows, blocks of code, none of more than ``most`` words.

    A cut within a block costs, one after a colon more.
    """
    announces = False
    for kind, start, end in blocks:
        cutters = (_lines, sentences, halves) if kind in _IN_LINES else (sentences, halves)
        parts = split(text, (start, end), cutters, count_words, most)
        if kind == "code" and (words := count_words(text[start:end])) <= most:
            parts = iter([(start, end, words)])
        for at, stop, words in parts:
            yield Unit(at, stop, words, (0 if at == start else _INSIDE) + (_AFTER_COLON if announces else 0))
            announces = text[at:stop].rstrip().endswith(":")


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    return (found.span() for found in _LINE.finditer(text, start, end) if found[0].strip("> "))
