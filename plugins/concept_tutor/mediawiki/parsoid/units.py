"""The units of a section's text, which are never cut, and the best way to pack them into chunks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragstone.core.text import sentence_spans

_WORD = re.compile(r"[^\W_]+(?:['’.,·-][^\W_]+)*")
_LINE = re.compile(r"[^\n]+")
#: Ends of sentences in scripts whose marks the host's own rules leave alone.
_OTHER_END = re.compile(r"(?<=[؟۔。！？।])[\"”»)]*\s*")
_TOKEN = re.compile(r"\S+\s*")
#: TeX, or a script without spaces: so many characters are a word at least.
_LONGEST_WORD = 16
_TINY = 8
_IN_LINES = frozenset({"list", "definitions", "table", "code", "quote"})
_INSIDE, _AFTER_COLON, _TOO_SHORT = 20.0, 40.0, 500.0


@dataclass(frozen=True)
class Unit:
    """``text[start:end]``: a sentence, an item, a row, a block of code."""

    start: int
    end: int
    words: int
    #: Whether a block begins with it.
    first: bool
    announces: bool


def count_words(text: str) -> int:
    """Words as a reader counts them: neither marks of lists nor rules of tables."""
    return max(len(_WORD.findall(text)), len(text) // _LONGEST_WORD)


def units(text: str, blocks: Sequence[tuple[str, int, int]], most: int) -> list[Unit]:
    """The units of a section's blocks, none of more than ``most`` words."""
    made: list[Unit] = []
    for kind, start, end in blocks:
        first = True
        for begin, stop in _fitting(text, kind, start, end, most):
            words = text[begin:stop]
            unit = Unit(begin, stop, max(1, count_words(words)), first, words.rstrip().endswith(":"))
            # A page of a million one-word lines must not cost a million times what a sentence does.
            if made and max(made[-1].words, unit.words) < _TINY:
                last = made.pop()
                unit = Unit(last.start, stop, last.words + unit.words, last.first, unit.announces)
            made.append(unit)
            first = False
    return made


def _fitting(text: str, kind: str, start: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    if kind == "code" and count_words(text[start:end]) <= most:
        yield start, end
        return
    for begin, stop in _seams(text, kind, start, end):
        if count_words(text[begin:stop]) <= most:
            yield begin, stop
        elif kind in _IN_LINES:
            yield from _fitting(text, "paragraph", begin, stop, most)
        else:
            yield from _by_words(text, begin, stop, most)


def _seams(text: str, kind: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    if kind in _IN_LINES:
        yield from (found.span() for found in _LINE.finditer(text, start, end) if found[0].strip("> "))
        return
    for begin, stop in sentence_spans(text, start, end):
        at = begin
        for found in _OTHER_END.finditer(text, begin, stop):
            if begin < found.start() and found.end() < stop:
                yield at, found.end()
                at = found.end()
        yield at, stop


def _by_words(text: str, start: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    """Parts of a sentence that is longer than a chunk may be, cut between words, and within what has no spaces."""
    begin, words = start, 0
    for found in _TOKEN.finditer(text, start, end):
        # Rounded up, so that the parts of a text never have fewer words than the whole.
        more = max(count_words(found[0]), -(-len(found[0]) // _LONGEST_WORD))
        words += more
        if found.start() > begin and words > most:
            yield begin, found.start()
            begin, words = found.start(), more
        while found.end() - begin > most * _LONGEST_WORD:
            yield begin, begin + most * _LONGEST_WORD
            begin += most * _LONGEST_WORD
    if begin < end:
        yield begin, end


def pack(made: Sequence[Unit], least: int, most: int, shortest: int) -> list[list[Unit]]:
    """Neighbouring units in chunks of ``least`` to ``most`` words where possible, at the cuts of the least total cost.

    A cut within a block costs, one after a colon more, a chunk below ``shortest`` most of all; such a chunk that is
    still there is left out.
    """
    count = len(made)
    best: list[tuple[float, int]] = [(0.0, 0)] + [(float("inf"), 0)] * count
    for stop in range(1, count + 1):
        words = 0
        for start in range(stop - 1, -1, -1):
            words += made[start].words
            if words > most and start < stop - 1:
                break
            cost = best[start][0] + _cost(words, least, shortest)
            if start:
                cost += 0 if made[start].first else _INSIDE
                cost += _AFTER_COLON if made[start - 1].announces else 0
            if cost < best[stop][0]:
                best[stop] = (cost, start)
    pieces: list[list[Unit]] = []
    stop = count
    while stop:
        start = best[stop][1]
        pieces.append(list(made[start:stop]))
        stop = start
    return [piece for piece in reversed(pieces) if sum(unit.words for unit in piece) >= shortest]


def _cost(words: int, least: int, shortest: int) -> float:
    if words < shortest:
        return _TOO_SHORT
    return 1.0 + max(0, least - words)
