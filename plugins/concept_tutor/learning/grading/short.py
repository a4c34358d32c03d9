"""Answers of a word, a name or a number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragstone.core.citations import contradictions

from ..reading.spelling import normal
from ..records import Finding
from .order import is_shuffled
from .wording import is_form, is_light, is_negation, is_slip, words_of

if TYPE_CHECKING:
    from ..records import Question
    from .wording import Word

_SEVERAL = re.compile(r"\bor\b|/|;|\beither\b", re.IGNORECASE)
_MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905
#: More words than these beside the key are no short answer.
_MANY_MORE = 6


def grade_choice(question: Question, answer: str) -> Finding:
    """Right or wrong: the option, as it is written."""
    return Finding("right", credit=1.0) if normal(answer) == normal(question.key) else Finding("wrong")


def grade_short(question: Question, answer: str) -> Finding:
    """The key or another name that the sources have for it, slips of spelling allowed; a part of it is partly right."""
    if not normal(answer):
        return Finding("wrong", "no answer was given")
    return max((_against(key, answer, question) for key in (question.key, *question.also)), key=lambda one: one.credit)


def _against(key: str, answer: str, question: Question) -> Finding:
    wanted, said = words_of(key), words_of(answer)
    if normal(key) == normal(answer) or [each.low for each in wanted] == [each.low for each in said]:
        return Finding("right", credit=1.0)
    if any(is_negation(word.low) for word in said) and not any(is_negation(word.low) for word in wanted):
        return Finding("wrong", "it is denied")
    if _SEVERAL.search(answer) and not _SEVERAL.search(key):
        return Finding("wrong", "one answer is asked for, not several")
    numbers, given = _numbers(wanted), _numbers(said)
    if numbers and not given <= numbers or (given != numbers and contradictions(answer, key)):
        return Finding("wrong")
    known = [*words_of(question.text), *words_of(question.support.text)]
    alike = {
        place: at
        for at, word in enumerate(wanted)
        for place, other in enumerate(said)
        if word.stem and _is_same(word, other, alone=len(wanted) == 1)
    }
    told = {at for at, word in enumerate(wanted) if word.stem and not word.is_number and not _month(word)}
    missing = told - set(alike.values())
    added = [
        other
        for place, other in enumerate(said)
        if place not in alike and other.stem and not other.is_number and not _month(other) and not is_light(other)
    ]
    foreign = [each for each in added if not any(each.stem == word.stem for word in known)]
    if not missing and numbers == given:
        if foreign and (numbers or len(added) > _MANY_MORE or normal(key) not in normal(answer)):
            return Finding("wrong", f"the source does not say “{foreign[0].text}”")
        if is_shuffled(wanted, said):
            return Finding("wrong", "it has the source's words, but they make no statement")
        slips = [wanted[at].text for place, at in alike.items() if is_slip(wanted[at].low, said[place].low)]
        return Finding("right", f"it is spelled {key}" if slips else "", 1.0)
    if (alike or given) and not added:
        return Finding("partly", f"the whole answer is {key}", 0.5)
    return Finding("wrong")


def _is_same(word: Word, other: Word, *, alone: bool) -> bool:
    """A term alone may be in the plural or have a slip; in a phrase it may have another form ("Egyptian")."""
    if word.stem == other.stem or is_slip(word.low, other.low):
        return True
    return not alone and is_form(word.low, other.low)


def _numbers(words: list[Word]) -> frozenset[int]:
    """The whole numbers of a text; months are numbers."""
    return frozenset(int(each.low.rstrip(".")) for each in words if each.low.rstrip(".").isdecimal()) | {
        _month(each) for each in words if _month(each)
    }


def _month(word: Word) -> int:
    return _MONTHS.index(word.low) + 1 if word.low in _MONTHS else 0
