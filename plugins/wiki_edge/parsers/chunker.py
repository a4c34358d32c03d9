"""Spans of 512 to 1,024 tokens that end where paragraphs do, or else sentences."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

CountTokens = Callable[[Sequence[str]], list[int]]
Section = tuple[int, str, str]

SHORTEST, LONGEST = 512, 1024
#: A chunk that has so many tokens ends with its paragraph.
_ENOUGH = 768
#: So many of the last chunks are cut again when the very last is too short.
_EVENED = 4
#: The cost of a cut within a section, in tokens too many.
_WITHIN_A_SECTION = 100
#: Increased whenever the same article would be cut otherwise.
CHUNKING_VERSION = 1


@dataclass(frozen=True)
class Chunk:
    """A span of an article's text, with the section that it begins in."""

    start: int
    end: int
    tokens: int
    heading: str
    anchor: str


@dataclass(frozen=True)
class _Piece:
    """A paragraph or a part of one."""

    start: int
    text: str
    tokens: int
    heading: str
    anchor: str
    #: Whether a section begins here.
    begins: bool

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class Chunker:
    """Cuts articles. ``count``: the tokens of each of several texts, as the encoder counts them."""

    def __init__(self, count: CountTokens, *, shortest: int = SHORTEST, longest: int = LONGEST) -> None:
        """A chunk may have ``longest`` tokens and, but for an article that is shorter, has ``shortest``."""
        if shortest * 2 > longest:
            raise ValueError("the longest chunk must have room for two of the shortest")
        self._count = count
        self._shortest, self._longest = shortest, longest
        self._enough = min(longest, max(shortest, shortest * _ENOUGH // SHORTEST))

    def chunks(self, text: str, sections: Sequence[Section] = ()) -> list[Chunk]:
        """The article's chunks in order; every paragraph is in one of them.

        ``sections``: ``(start, path of headings, anchor)``, ascending.
        """
        groups = self._grouped(self._paragraphs(text, sections))
        if len(groups) > 1 and _tokens(groups[-1]) < self._shortest:
            groups = self._evened(groups)
        return [
            Chunk(group[0].start, group[-1].end, _tokens(group), group[0].heading, group[0].anchor) for group in groups
        ]

    def _paragraphs(self, text: str, sections: Sequence[Section]) -> list[_Piece]:
        starts = [start for start, _, _ in sections]
        spans = _paragraph_spans(text)
        pieces: list[_Piece] = []
        before = ""
        for (start, words), tokens in zip(spans, self._count([words for _, words in spans]), strict=True):
            at = bisect_right(starts, start) - 1
            _, heading, anchor = sections[at] if at >= 0 else (0, "", "")
            pieces.append(_Piece(start, words, tokens, heading, anchor, heading != before))
            before = heading
        return pieces

    def _grouped(self, waiting: list[_Piece]) -> list[list[_Piece]]:
        groups: list[list[_Piece]] = []
        group: list[_Piece] = []
        size = 0
        waiting.reverse()  # to be taken from the end
        while waiting:
            piece = waiting.pop()
            full = size + piece.tokens > self._longest
            if group and size >= self._shortest and (full or piece.begins or size >= self._enough):
                groups.append(group)
                group, size = [], 0
                full = piece.tokens > self._longest
            if full:  # the chunk is too short to end before the piece, and the piece too long to go in
                smaller = self._smaller(piece, self._longest - size)
                if len(smaller) > 1:
                    waiting.extend(reversed(smaller))
                    continue
                groups.append(group)  # a single word, or what counts like one
                group, size = [], 0
            group.append(piece)
            size += piece.tokens
        return [*groups, group] if group else groups

    def _evened(self, groups: list[list[_Piece]]) -> list[list[_Piece]]:
        """The groups with a last one that is long enough, where the two or three before can be cut so."""
        for smaller in (False, True):
            for last in range(2, min(len(groups), _EVENED) + 1):
                pieces = [piece for group in groups[-last:] for piece in group]
                if smaller:
                    pieces = [part for piece in pieces for part in self._smaller(piece, self._shortest)]
                cut = self._cut(pieces)
                if cut:
                    return [*groups[:-last], *cut]
        return groups

    def _cut(self, pieces: list[_Piece]) -> list[list[_Piece]]:
        """The pieces in groups of a right size, best where sections begin; none where that cannot be."""
        sums = [0, *accumulate(piece.tokens for piece in pieces)]
        best: list[tuple[float, int] | None] = [(0.0, 0), *[None] * len(pieces)]  # cost of the first n, where they cut
        for end in range(1, len(pieces) + 1):
            for start in range(end - 1, -1, -1):
                size = sums[end] - sums[start]
                if size > self._longest:
                    break
                before = best[start]
                if size >= self._shortest and before is not None:
                    cost = before[0] + abs(size - self._enough) + (0 if pieces[start].begins else _WITHIN_A_SECTION)
                    known = best[end]
                    if known is None or cost < known[0]:
                        best[end] = (cost, start)
        groups: list[list[_Piece]] = []
        end = len(pieces)
        while end and (found := best[end]) is not None:
            groups.insert(0, pieces[found[1] : end])
            end = found[1]
        return groups

    def _smaller(self, piece: _Piece, room: int) -> list[_Piece]:
        """The piece in sentences; a sentence that does not fit the room in parts."""
        parts = sentences_of(piece.text)
        if len(parts) == 1:
            parts = parts_of(piece.text, self._count, max(1, min(room, self._shortest)))
        counts = self._count([text for _, text in parts])
        found: list[_Piece] = []
        start = piece.start
        for number, ((space, text), tokens) in enumerate(zip(parts, counts, strict=True)):
            start += len(space)
            begins = piece.begins and not number
            found.append(_Piece(start, text, tokens, piece.heading, piece.anchor, begins))
            start += len(text)
        return found


def _paragraph_spans(text: str) -> list[tuple[int, str]]:
    """Each paragraph with its start: what blank lines are between."""
    found: list[tuple[int, str]] = []
    start = 0
    for part in text.split("\n\n"):
        if words := part.strip():
            found.append((start + part.index(words[0]), words))
        start += len(part) + 2
    return found


def _tokens(pieces: Sequence[_Piece]) -> int:
    return sum(piece.tokens for piece in pieces)


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
