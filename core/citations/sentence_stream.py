"""Splits an answer into sentences while it is being streamed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..text.segmentation import sentence_spans
from .check import LONGEST_SENTENCE

#: The mark of a list item, which is not part of its sentence.
ITEM_MARK = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_MARKERS = re.compile(r"\s*(?:\[\d{1,4}(?:\s*[,;]\s*\d{1,4})*\]\s*)+[.!?]?")
_MAY_END = re.compile(r"[.!?…:\])\"'”’]\s++\S|(?<!\s)[^\S\n]*+\n\s*+\S|\]\S")
_LOOK_BACK = 48
#: A text without a complete sentence is split again when it has grown by this part of its length: time stays linear.
_GROWTH = 16
#: The beginning of a marker, or of a source that is cited behind a sentence, which is as long as ``sentence_spans``
#: takes.
_HALF_MARKER = re.compile(r"\[[^\[\]]{0,251}$")
_LINE_BREAK = re.compile(
    r"\n\s*\n|\n(?=\s*(?:[-*+•]|\d{1,3}[.)])\s)|(?<=:)\n|\n(?=\s{0,3}#{1,6}\s)|(?<=\])\s*\n"
    r"|\n(?=\s{0,3}(?:-{3,}|={3,}|\*{3,}|_{3,})\s*\n)|(?<=---)\n|(?<=\*\*\*)\n|(?<=___)\n"
)
#: A full stop alone, as in ". . .".
_LONE_STOP = re.compile(r"\s\.\s")
_STUCK = re.compile(r"([.!?…])(\[\d)")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s")
_RULE = re.compile(r"[\s\-=_*`~]*")
#: An item's mark or punctuation, and nothing behind it so far.
_OPEN = re.compile(r"\s*(?:[-*+•#.!?)\]]*|\d{1,3}[.)]?)\s*")


class Splitter:
    """Splits a streamed answer: returns each sentence with its markers as soon as it is complete.

    A sentence is complete when something other than a marker follows it.
    """

    def __init__(self) -> None:
        self._text = ""
        self._at_line = True
        self._split_at = 0
        self._retry_at = 0

    def feed(self, piece: str) -> list[str]:
        """The sentences that this piece of the answer completes."""
        self._text += piece.replace("\r\n", "\n")
        length = len(self._text)
        if length < self._retry_at:
            return []
        # A sentence can be complete only where text follows an end mark.
        if length > LONGEST_SENTENCE or _MAY_END.search(self._text, max(self._split_at - _LOOK_BACK, 0)):
            self._split_at, self._retry_at = length, length + length // _GROWTH
            return self._take_complete()
        return []

    def rest(self) -> list[str]:
        """The remaining sentences at the end of the answer."""
        text = _spaced(self._text)
        pieces = [text[a:b] for a, b in _spans(text, self._at_line)]
        self._text, self._split_at, self._retry_at, self._at_line = "", 0, 0, True
        return _without_layout(pieces)

    def _take_complete(self) -> list[str]:
        self._text = _spaced(self._text)
        spans = list(_spans(self._text, self._at_line))
        if len(spans) < 2:
            if len(self._text) > 2 * LONGEST_SENTENCE:
                return self.rest()
            return []
        begin = spans[-1][0]
        last = self._text[begin:]
        # Behind a full stop that stands alone a mark ends no sentence: it is read with what is before it.
        is_beside_stop = last[:1] in ".!?…" and _LONE_STOP.fullmatch(self._text, max(0, begin - 3), begin)
        is_in_brackets = _HALF_MARKER.match(self._text, max(0, self._text.rfind("[")))
        may_continue = is_in_brackets or is_beside_stop or _OPEN.fullmatch(last)
        if may_continue and len(self._text) <= 2 * LONGEST_SENTENCE:
            return []
        pieces = [self._text[a:b] for a, b in spans[:-1]]
        self._at_line = self._text[:begin].rstrip(" \t").endswith("\n")
        # The space stays: a full stop alone is known by it.
        self._text = " " * self._text[:begin][-1:].isspace() + last
        self._split_at = self._retry_at = 0
        return _without_layout(pieces)


def split_answer(answer: str) -> list[str]:
    """The sentences of a whole answer, each with its markers."""
    answer = _spaced(answer)
    return _without_layout([answer[a:b] for a, b in _spans(answer)])


def _spaced(text: str) -> str:
    """The text with a space between a full stop and a marker."""
    return _STUCK.sub(r"\1 \2", text)


def _without_layout(pieces: list[str]) -> list[str]:
    """The pieces on one line each, without headings, rules and empty pieces."""
    return [" ".join(piece.split()) for piece in pieces if not (_HEADING.match(piece) or _RULE.fullmatch(piece))]


def _spans(text: str, at_line: bool = True) -> Iterator[tuple[int, int]]:
    """Spans of the sentences with their markers. ``at_line``: whether a line begins with the text."""
    spans = list(_lines(text, at_line))
    index = 0
    while index < len(spans):
        start, end = spans[index]
        index += 1
        # Markers after the full stop are the next span, or its beginning.
        while index < len(spans) and (markers := _MARKERS.match(text, spans[index][0], spans[index][1])):
            end = markers.end()
            if end >= spans[index][1]:
                index += 1
                continue
            spans[index] = (_skip(text, end), spans[index][1])
            break
        if text[start:end].strip():
            yield start, end


def _lines(text: str, at_line: bool) -> Iterator[tuple[int, int]]:
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
