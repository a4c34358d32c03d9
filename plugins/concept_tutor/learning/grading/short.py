"""Answers of a word, a name or a number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragstone.core.text import stems

from ..reading.numbers import WORD_VALUES
from ..reading.spelling import normal
from ..records import Finding

if TYPE_CHECKING:
    from ..records import Question

_MANY_MORE = 6
_LEAD = re.compile(r"^(?:it|this|that|they|the answer)(?: is|'s|’s| was| are| were)\s+", re.IGNORECASE)
_SEVERAL = re.compile(r"\bor\b|/|;|\beither\b", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:not|no|never|isn't|wasn't|neither|nor)\b", re.IGNORECASE)
#: Letters of a word from which on one of them, and two, may be wrong.
_ONE_SLIP, _TWO_SLIPS = 5, 9


def grade_choice(question: Question, answer: str) -> Finding:
    """Right or wrong: the option, as it is written."""
    return Finding("right", credit=1.0) if normal(answer) == normal(question.key) else Finding("wrong")


def grade_short(question: Question, answer: str) -> Finding:
    """The key or another name that the sources have for it, slips of spelling allowed; a part of it is partly right."""
    said = _LEAD.sub("", answer.strip().rstrip("."))
    if not normal(said):
        return Finding("wrong", "no answer was given")
    found = [_against(key, said) for key in (question.key, *question.also)]
    return max(found, key=lambda one: one.credit)


def _against(key: str, said: str) -> Finding:
    one, other = _plain(key), _plain(said)
    if one == other:
        return Finding("right", credit=1.0)
    words, told = one.split(), other.split()
    if _DENIED.search(said) and not _DENIED.search(key):
        return Finding("wrong", "it is denied")
    if any(word[0].isdigit() for word in words):
        return Finding("wrong")
    if f" {one} " in f" {other} ":
        if _SEVERAL.search(said) or len(told) > len(words) + _MANY_MORE:
            return Finding("wrong", "one answer is asked for, not several")
        return Finding("right", credit=1.0)
    if stems(key) and stems(key) == stems(said):
        return Finding("right", credit=1.0)
    if len(words) == len(told) and all(_is_slip(a, b) for a, b in zip(words, told, strict=True)):
        return Finding("right", f"it is spelled {key}", 1.0)
    part = [word for word in told if word in words and len(word) > 2]
    if part and len(part) == len(told):
        return Finding("partly", f"the whole answer is {key}", 0.5)
    return Finding("wrong")


def _plain(text: str) -> str:
    return " ".join(str(WORD_VALUES.get(word, word)) for word in normal(text).split())


def _is_slip(word: str, told: str) -> bool:
    allowed = 2 if len(word) >= _TWO_SLIPS else 1 if len(word) >= _ONE_SLIP else 0
    return abs(len(word) - len(told)) <= allowed and _distance(word, told) <= allowed


def _distance(one: str, other: str) -> int:
    """Letters to change, add, leave out or exchange with their neighbour (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        older, before, row = before, row, [i]
        for j, b in enumerate(other, start=1):
            least = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                least = min(least, older[j - 2] + 1)
            row.append(least)
    return row[-1]
