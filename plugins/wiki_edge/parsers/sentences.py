"""Paragraphs into sentences, and what is no sentence into parts: what stood between them goes with the later one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: The end of a sentence: its mark and a space before what begins one, a mark that needs no space, or a line's end.
_END = re.compile(r"(?<=[.!?…])[\"'”’»)\]]*(\s+)(?=[\"'“‘«(\[]*[^\W_a-zа-яёіў])|(?<=[。！？])()|(\n+)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|etc|vs|ca|Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|Fig|No|Vol|vol|pp|Inc|Ltd|Co|Corp|Gen|Col|Lt|Rev"
    r"|Gov|Sen|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|г|в|т|стр|бл|Bd|bzw|Nr|usw|vgl)|\b\w)\.$"
)
_SPACE = re.compile(r"\s+")


def sentences_of(text: str) -> list[tuple[str, str]]:
    """``(what stood before it, sentence)`` in order; together they are the text."""
    found: list[tuple[str, str]] = []
    begin, glue = 0, ""
    for match in _END.finditer(text):
        number = match.lastindex or 1
        start, end = match.span(number)
        if number == 1 and _ABBREVIATION.search(text, max(begin, start - 12), start):
            continue
        if start > begin and end < len(text):
            found.append((glue, text[begin:start]))
            begin, glue = end, text[start:end]
    return [*found, (glue, text[begin:])]


def parts_of(text: str, count: Callable[[Sequence[str]], list[int]], room: int) -> list[tuple[str, str]]:
    """The text at spaces, or else anywhere, in parts of at most ``room`` tokens where one character allows it."""
    words = [(match.start(), match.end()) for match in _SPACE.finditer(text)]
    total = count([text])[0]
    if total <= room or len(text) < 2:
        return [("", text)]
    middle = len(text) // 2
    start, end = min(words, key=lambda gap: abs(gap[0] - middle), default=(middle, middle))
    if not 0 < start < end < len(text) or abs(start - middle) > len(text) // 4:
        start = end = middle
    left, right = parts_of(text[:start], count, room), parts_of(text[end:], count, room)
    return [*left, (text[start:end], right[0][1]), *right[1:]]
