"""Formulas that stand alone below the sentence that leads in to them, in one line or in the pieces that a PDF gives."""

from __future__ import annotations

import re

_LONGEST = 200
_SIGN = re.compile(r"[=←≤≥<>∈∀∃∑∏∫∼≈→↦×÷∂∇√±∝−^]|(?<!\w)\w{1,2}_\{?\w|\w \+ \w|\w\([\w,| ]{1,12}\)")
#: A few words in a row, or a word that begins a sentence.
_PROSE = re.compile(r"[A-Za-z]{2,}(?:,? [A-Za-z]{2,}){2}|^\W*[A-Z][a-z]+(?:[: ]|$)|[a-z]{3,}[.?!:]$")
#: Above or below a sum or a fraction: "m", "i=1", "b − a".
_PIECE = re.compile(r"\S{1,12}(?: \S{1,5}){0,3}")
#: Begin a line of a list, a table or a block of code.
_MARKS = frozenset("-*+|`~")
#: An element of HTML, whose attributes have the sign of equality.
_ELEMENT = re.compile(r"\s*</?[a-zA-Z][\w-]*(?:\s[^<>]*)?>")
#: What ends with the first piece of a formula: "we have: P(A)".
_BEGUN = re.compile(r":\s(?P<formula>[^:]{1,80})$")


def is_formula(text: str) -> bool:
    """Whether the text is a formula, not a sentence with one."""
    is_short = len(text) <= _LONGEST
    return is_short and bool(_SIGN.search(text)) and not (_PROSE.search(text) or _ELEMENT.match(text))


def begins_formula(sentence: str) -> bool:
    """Whether the sentence ends with a colon and the beginning of a formula."""
    begun = _BEGUN.search(sentence)
    return begun is not None and is_formula(begun["formula"])


def has_formula(quote: str) -> bool:
    """Whether the quote has a formula below its first line, in no list, table or code."""
    return any(is_formula(line) and line.lstrip()[:1] not in _MARKS for line in quote.split("\n")[1:])


def is_piece(text: str) -> bool:
    """Whether the text can be a piece of a formula that stands above or below another one."""
    return bool(_PIECE.fullmatch(text)) and not _PROSE.search(text)
