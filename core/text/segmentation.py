"""Segments text into quotable units: sentences, list items, table rows and code blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .formulas import begins_formula, is_formula, is_piece

_FENCE = re.compile(r"^\s*(?:>\s?)*(```|~~~)")
_ITEM = re.compile(r"^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+|(?=\[?\d{4}-\d\d-\d\d(?:[T ]\d\d:\d|\]|: )))")  # or a log's line
_QUOTE = re.compile(r"^\s*(?:>\s?)+(?:\[![A-Za-z]+\]\s*)?")
_RULE = re.compile(r"^[\s|:\-+=_*]+$")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s")
#: "…:", "… listed below.", "… as follows."
_ANNOUNCES = re.compile(r"(?::|\b(?:below|following|follows)\b[^.:]{0,40}[.:]?)\s*$")
#: The end of a sentence, and the source that is cited behind it: "… free." [Anarchy, p. 17]"; not in "the signs | ? *".
_END = re.compile(
    r"(?<!\s\.\s)(?P<mark>[.!?…][\"'”’)\]]*)(?=\s+\S|\Z)(?!(?<=\s[?!])\s+[^\w\s\"'“‘(\[])"
    r"(?:[ \t]+\[(?=[^\[\]]{0,200}(?:\s\d|\b[Ii]bid|\b[Oo]p\. ?[Cc]it))[^\[\]]{2,250}\]\.?(?=\s|\Z))?"
)
_NOT_SPACE = re.compile(r"\S")
_HEADING_LINE = 60  # characters of a heading without a mark; the line below it has at least twice as many
_MOST_FOLLOWING = 24  # items, rows or blocks of code behind what introduces them
_LAST_BAR = re.compile(r"[ \t]*\|")
#: Words without a vowel, but units and elements, among them, no letter behind a number ("230 V.") that is no year; and
#: the numbers of "1. X; and 2. Y".
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|etc|vs|approx|resp|viz|ca|al|Prof|Sr|Figs?|Eqs?|Nos?|[Vv]ol|pp|Sec|Ch|Inc|Co|Corp|Gen|Col|[Tt]el"
    r"|Capt|Rev|Hon|Gov|Pres|Sen|Rep|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|[Oo]p)|\b(?:[A-Za-z]\.)+[A-Za-z]"
    r"|(?<![°\d])(?:(?<!\d )|(?<=\d{4} ))\b[A-Z]|; (?:and |or )?\d{1,2}"
    r"|\b(?!Hz|[KMGT]b|[CNPRSZ][bcnrs])(?![a-z\d_AEIOU])\w[b-df-hj-np-tv-xz]{1,2})\.$"
)
#: The same before a number: "p. 7", "vol. 2", "c. 1800", "(b. 1905)".
_OF_NUMBER = re.compile(r"\b(?:pp?|vols?|nos?|ch|chap|sec|art|par|figs?|eqs?|ll?|ff?|fols?|bk|pt|c|fl)\.$|\([bdr]\.$")


class Unit(NamedTuple):
    """A part of a text that can be quoted alone: ``text[start:end]``."""

    start: int
    end: int
    kind: str  # "sentence", "item", "header" or "row" (of a table), "code"
    #: Number of the block of lines that it belongs to.
    block: int


def units(text: str) -> list[Unit]:
    """The text's quotable units in order. Headings and table rules are left out."""
    found: list[Unit] = []
    for number, (kind, start, end) in enumerate(_blocks(text)):
        if kind == "prose":
            found.extend(Unit(s, e, "sentence", number) for s, e in sentence_spans(text, start, end))
        else:
            found.extend(Unit(s, e, kind, number) for s, e in _trimmed(text, start, end))
    return found


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence of running text."""
    end = len(text) if end is None else end
    begin = start
    for match in _END.finditer(text, start, end):
        stop, mark = match.end(), text[max(begin, match.end("mark") - 12) : match.end("mark")]
        following = _NOT_SPACE.search(text, stop, end)  # by position: no copy of the rest for each sentence
        # A new sentence begins with a capital, a digit or a mark, no small letter, and not in a leader ("Rope . . 9").
        if (
            following is None
            or following[0].islower()
            or following[0] == "."
            or _ABBREVIATION.search(mark)
            or (following[0].isdigit() and _OF_NUMBER.search(mark))
        ):
            continue
        yield from _trimmed(text, begin, stop)
        begin = stop
    yield from _trimmed(text, begin, end)


def quote_end(text: str, pieces: Sequence[Unit], at: int, limit: int) -> int:
    """End of the quote of ``pieces[at]``: after the list, code, table or formula that it introduces, if ``limit``
    allows. Items that are less indented than the list's first one belong to another list."""
    unit, following = pieces[at], pieces[at + 1 : at + 1 + _MOST_FOLLOWING]
    if runs_into_code(text, pieces, at):
        return _continued_end(text, pieces, at, limit)
    announces = _ANNOUNCES.search(text, unit.start, unit.end)
    if announces and announces[0].strip() != ":" and following[:1] and following[0].block == unit.block:
        following = following[1:]  # "The tools are listed below. Wash them first."
    if announces is None and begins_formula(text[unit.start : unit.end]):
        return _formula_end(text, unit, following, limit)
    return _list_end(text, unit, following, limit) if announces else unit.end


def runs_into_code(text: str, pieces: Sequence[Unit], at: int) -> bool:
    """Whether the unit is a sentence that the code behind it ends, or that goes on behind it: "The command is"."""
    unit, following = pieces[at], next(iter(pieces[at + 1 : at + 2]), None)
    return (
        following is not None
        and (unit.kind, following.kind) == ("sentence", "code")
        and (text[unit.end - 1].isalnum() or text[unit.end - 1] in ",:)")
        and not text[unit.end : following.start].strip()
    )


def goes_on_behind_code(text: str, pieces: Sequence[Unit], at: int) -> bool:
    """Whether the unit is the rest of a sentence that runs into the code before it."""
    begins_small = pieces[at].kind == "sentence" and text[pieces[at].start].islower()
    return begins_small and at > 1 and pieces[at - 1].kind == "code" and runs_into_code(text, pieces, at - 2)


def _continued_end(text: str, pieces: Sequence[Unit], at: int, limit: int) -> int:
    """The end of a sentence that runs into code: with the code, and with what goes on behind it."""
    start = pieces[at].start
    while runs_into_code(text, pieces, at) and pieces[at + 1].end - start <= limit:
        at += 1
        is_more = at + 1 < len(pieces) and goes_on_behind_code(text, pieces, at + 1)
        if not is_more or pieces[at + 1].end - start > limit:
            break
        at += 1
    return pieces[at].end


def kind_behind(text: str, units: Sequence[Unit], index: int) -> str:
    """The kind of the unit behind this one: "formula" for a sentence that is one, "sentence" where there is none."""
    unit = next(iter(units[index + 1 : index + 2]), None)
    if unit is None:
        return "sentence"
    return "formula" if unit.kind == "sentence" and is_formula(text[unit.start : unit.end]) else unit.kind


def list_end(text: str, pieces: Sequence[Unit], at: int, limit: int) -> int:
    """The same for a piece that need not say that it introduces them."""
    return _list_end(text, pieces[at], pieces[at + 1 : at + 1 + _MOST_FOLLOWING], limit)


def _formula_end(text: str, unit: Unit, following: Sequence[Unit], limit: int) -> int:
    """The end of the formula right behind the unit, which leads in to it; the unit's own end without one.

    Paragraphs without a word belong to it, if one of them is a formula.
    """
    end, is_whole = unit.end, False
    for other in following:
        piece = text[other.start : other.end]
        is_one = is_formula(piece)
        if other.kind != "sentence" or other.end - unit.start > limit or not (is_one or is_piece(piece)):
            break
        end, is_whole = other.end, is_whole or is_one
    return end if is_whole else unit.end


def _list_end(text: str, unit: Unit, following: Sequence[Unit], limit: int) -> int:
    if not following or following[0].kind == "sentence":
        return _formula_end(text, unit, following, limit)
    kinds = {"header", "row"} if following[0].kind in {"header", "row"} else {following[0].kind}
    end, margin = unit.end, _column(text, following[0])
    for other in following:
        if other.kind not in kinds or other.end - unit.start > limit or _column(text, other) < margin:
            break
        end = other.end
        if kinds == {"code"}:
            break
    # A row is a unit without its bars; the last one of a quoted table has its own.
    bar = _LAST_BAR.match(text, end) if end > unit.end and "row" in kinds else None
    return bar.end() if bar else end


def _column(text: str, unit: Unit) -> int:
    return unit.start - text.rfind("\n", 0, unit.start) if unit.kind == "item" else 0


def _blocks(text: str) -> Iterator[tuple[str, int, int]]:
    """``(kind, start, end)`` of prose, items, rows and code, in order."""
    row: tuple[int, int] | None = None  # a table's row that is the header if the next line is a rule
    start = -1  # of the current prose or item
    kind, in_quote = "prose", False
    fence = ""
    fence_start = 0
    last = 0
    for begin, line in _lines(text):
        stop = begin + len(line)
        if fence:
            if line.strip().lstrip("> ").startswith(fence) and line.strip().lstrip("> ").strip("`~") == "":
                yield "code", fence_start, stop
                fence = ""
            last = stop
            continue
        opened = _FENCE.match(line)
        marked = _ITEM.match(line)
        quoted = _QUOTE.match(line)
        is_row = line.count("|") >= 2 and line.lstrip().startswith("|")
        ends_prose = not line.strip() or opened or marked or is_row or _HEADING.match(line) or (quoted and not in_quote)
        if start >= 0 and kind == "prose" and _is_heading_line(text, start, last, line):
            yield kind, start, last
            start = -1
        if ends_prose and start >= 0:
            yield kind, start, last
            start = -1
        if row is not None:
            yield ("header" if is_row and _RULE.match(line) else "row"), *row
            row = None
        if opened:
            fence, fence_start = opened.group(1), begin
        elif is_row:
            if not _RULE.match(line):
                row = next(_cells(text, begin, stop), None)
        elif marked:
            start, kind, in_quote = begin + marked.end(), "item", False
        elif line.strip() and not _HEADING.match(line) and start < 0:
            start, kind, in_quote = begin + (quoted.end() if quoted else 0), "prose", bool(quoted)
            if start >= stop:
                start = -1
        last = stop
    if row is not None:
        yield "row", *row
    if fence:
        yield "code", fence_start, len(text)
    elif start >= 0:
        yield kind, start, last


def _is_heading_line(text: str, start: int, end: int, line: str) -> bool:
    """Whether the prose so far is one short line without a full stop above a whole paragraph, as a heading is. Within a
    paragraph that is broken into lines it would be above no line so long, and not have room for the next one's word."""
    is_short = end - start <= _HEADING_LINE and text.find("\n", start, end) < 0
    if not is_short or not text[start].isupper() or not (text[end - 1].isalnum() or text[end - 1] == ")"):
        return False
    word = line.partition(" ")[0]
    has_room = word[:1].isupper() and end - start + 1 + len(word) <= len(line) and line.endswith((".", "!", "?"))
    return len(line) > 2 * _HEADING_LINE or has_room


def _lines(text: str) -> Iterator[tuple[int, str]]:
    begin = 0
    for line in text.splitlines(keepends=True):
        yield begin, line.rstrip("\r\n")
        begin += len(line)


def _cells(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A table row without its outer bars."""
    for begin, stop in _trimmed(text, start, end):
        yield from _trimmed(text, begin + (text[begin] == "|"), stop - (text[stop - 1] == "|"))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    if inner := text[start:end].strip():
        begin = text.index(inner, start)
        yield begin, begin + len(inner)
