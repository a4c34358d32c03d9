"""Formulas that stand alone below the sentence that leads in to them, in one line or in the pieces that a PDF gives."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .segmentation import Unit

_LONGEST = 200
_SIGN = re.compile(r"[=←≤≥<>∈∀∃∑∏∫∼≈→↦×÷∂∇√±∝−^]|\w_\{?\w|\w \+ \w|\w\([\w,| ]{1,12}\)")
#: A few words in a row, or a word that begins a sentence.
_PROSE = re.compile(r"[A-Za-z]{2,}(?:,? [A-Za-z]{2,}){2}|^\W*[A-Z][a-z]+(?:[: ]|$)|[a-z]{3,}[.?!:]$")
#: Above or below a sum or a fraction: "m", "i=1", "b − a".
_PIECE = re.compile(r"\S{1,12}(?: \S{1,5}){0,3}")
#: What ends with the first piece of a formula: "we have: P(A)".
_BEGUN = re.compile(r":\s(?P<formula>[^:]{1,80})$")


def is_formula(text: str) -> bool:
    """Whether the text is a formula, not a sentence with one."""
    return len(text) <= _LONGEST and bool(_SIGN.search(text)) and not _PROSE.search(text)


def formula_end(text: str, unit: Unit, following: Sequence[Unit], limit: int) -> int:
    """The end of the formula right behind the unit, which leads in to it; the unit's own end without one.

    Paragraphs without a word belong to it, if one of them is a formula.
    """
    end, is_whole = unit.end, False
    for other in following:
        piece = text[other.start : other.end]
        is_one = is_formula(piece)
        if other.kind != "sentence" or other.end - unit.start > limit or not (is_one or _is_piece(piece)):
            break
        end, is_whole = other.end, is_whole or is_one
    return end if is_whole else unit.end


def kind_behind(text: str, units: Sequence[Unit], index: int) -> str:
    """The kind of the unit behind this one: "formula" for a sentence that is one, "sentence" where there is none."""
    unit = next(iter(units[index + 1 : index + 2]), None)
    return "sentence" if unit is None else "formula" if is_formula(text[unit.start : unit.end]) else unit.kind


def begins_formula(sentence: str) -> bool:
    """Whether the sentence ends with a colon and the beginning of a formula."""
    begun = _BEGUN.search(sentence)
    return begun is not None and is_formula(begun["formula"])


def _is_piece(text: str) -> bool:
    return bool(_PIECE.fullmatch(text)) and not _PROSE.search(text)
