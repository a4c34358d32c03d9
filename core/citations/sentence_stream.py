"""Splits an answer into sentences while it is being streamed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..text.segmentation import sentence_spans
from .check import LONGEST_SENTENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The mark of a list's item, which is not part of what it says.
ITEM_MARK = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_MARKERS = re.compile(r"\s*(?:\[\d{1,4}(?:\s*[,;]\s*\d{1,4})*\]\s*)+[.!?]?")
_MAY_END = re.compile(r"[.!?…:\])\"'”’]\s++\S|(?<!\s)[^\S\n]*+\n\s*+\S|\]\S")
_LOOK_BACK = 48
#: A text in which no sentence was whole is tried again when it is longer by this part of it, so that an answer without
#: an end takes time in proportion to its length.
_GROWTH = 16
#: What may yet become a marker.
_HALF_MARKER = re.compile(r"\s*\[[\d\s,;]*$")
_LINE_BREAK = re.compile(
    r"\n\s*\n|\n(?=\s*(?:[-*+•]|\d{1,3}[.)])\s)|(?<=:)\n|\n(?=\s{0,3}#{1,6}\s)|(?<=\])\s*\n"
    r"|\n(?=\s{0,3}(?:-{3,}|={3,}|\*{3,}|_{3,})\s*\n)|(?<=---)\n|(?<=\*\*\*)\n|(?<=___)\n"
)
_STUCK = re.compile(r"([.!?…])(\[\d)")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s")
_RULE = re.compile(r"[\s\-=_*`~]*")


class Splitter:
    """Takes an answer piece by piece and gives every sentence as soon as it is whole, with the markers behind it.

    A sentence is whole when something has begun behind it that is no marker.
    """

    def __init__(self) -> None:
        self._text = ""
        self._at_line = True
        self._tried = 0
        self._next = 0

    def feed(self, piece: str) -> list[str]:
        """The sentences that are whole now."""
        self._text = _spaced(self._text + piece.replace("\r\n", "\n"))
        length = len(self._text)
        if length < self._next:
            return []
        # Nothing has ended where no mark of an end has something behind it.
        if length > LONGEST_SENTENCE or _MAY_END.search(self._text, max(self._tried - _LOOK_BACK, 0)):
            self._tried, self._next = length, length + length // _GROWTH
            return self._taken()
        return []

    def rest(self) -> list[str]:
        """What is left at the end of the answer."""
        pieces = [self._text[a:b] for a, b in _cuts(self._text, self._at_line)]
        self._text, self._tried, self._next, self._at_line = "", 0, 0, True
        return _readable(pieces)

    def _taken(self) -> list[str]:
        cuts = list(_cuts(self._text, self._at_line))
        if len(cuts) < 2:
            if len(self._text) > 2 * LONGEST_SENTENCE:  # this never ends
                return self.rest()
            return []
        begin = cuts[-1][0]
        last = self._text[begin:]
        may_go_on = not last.strip() or _HALF_MARKER.match(last) or _ends_open(last)
        if may_go_on and len(self._text) <= 2 * LONGEST_SENTENCE:
            return []
        pieces = [self._text[a:b] for a, b in cuts[:-1]]
        self._at_line = self._text[:begin].rstrip(" \t").endswith("\n")
        self._text, self._tried, self._next = last, 0, 0
        return _readable(pieces)


def split_answer(answer: str) -> list[str]:
    """A whole answer in sentences, each with the markers that follow it."""
    answer = _spaced(answer)
    return _readable([answer[a:b] for a, b in _cuts(answer)])


def _spaced(text: str) -> str:
    """With a space before the markers that stick to a full stop."""
    return _STUCK.sub(r"\1 \2", text)


def _ends_open(last: str) -> bool:
    """Whether the last piece is still only the mark of an item, or a bare punctuation mark."""
    return re.fullmatch(r"\s*(?:[-*+•#.!?)\]]*|\d{1,3}[.)]?)\s*", last) is not None


def _readable(pieces: list[str]) -> list[str]:
    """Without headings, rules and empty pieces, on one line each."""
    found = []
    for piece in pieces:
        if _HEADING.match(piece) or _RULE.fullmatch(piece):
            continue
        found.append(" ".join(piece.split()))
    return found


def _cuts(text: str, at_line: bool = True) -> Iterator[tuple[int, int]]:
    """Where the sentences lie, the markers behind each one included. ``at_line``: a line begins with the text."""
    spans = list(_bare(text, at_line))
    index = 0
    while index < len(spans):
        start, end = spans[index]
        index += 1
        # Markers behind the full stop are the next span, or its beginning.
        while index < len(spans) and (markers := _MARKERS.match(text, spans[index][0], spans[index][1])):
            end = markers.end()
            if end >= spans[index][1]:
                index += 1
                continue
            spans[index] = (_skip(text, end), spans[index][1])
            break
        if text[start:end].strip():
            yield start, end


def _bare(text: str, at_line: bool) -> Iterator[tuple[int, int]]:
    begin = 0
    for match in _LINE_BREAK.finditer(text):
        yield from _sentences(text, begin, match.start(), at_line)
        begin, at_line = match.end(), True
    yield from _sentences(text, begin, len(text), at_line)


def _sentences(text: str, begin: int, end: int, at_line: bool) -> Iterator[tuple[int, int]]:
    marked = ITEM_MARK.match(text, begin, end) if at_line else None
    inner = marked.end() if marked else begin
    for number, (start, stop) in enumerate(sentence_spans(text, inner, end)):
        yield (begin if marked and number == 0 else start), stop


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at
