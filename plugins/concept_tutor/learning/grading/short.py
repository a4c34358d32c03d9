"""Answers of a word, a name or a number."""

from __future__ import annotations

import re
from calendar import month_name

from ragstone.core.citations import AnalyzedText

from ..reading.spelling import is_slip, normal
from ..records import Finding, Question
from .comparison import as_in_key
from .order import are_opposites_exchanged, is_shuffled
from .word_forms import is_form
from .wording import Word, are_opposite, is_light, is_negation, with_signs, words_of

#: Of a word that may be written without it.
_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_SEVERAL = re.compile(r"\bor\b|/|;|\beither\b", re.IGNORECASE)
_MONTHS = [name.casefold() for name in month_name]
_DATE = re.compile(r"(\d{1,2})[./](\d{1,2})[./](\d{4})")
#: Endings of one and of several in Latin and Greek. Not "um" and "a": a medium is not what the media are.
_PLURALS = (("on", "a"), ("us", "i"), ("a", "ata"), ("a", "ae"))
_VOWELS = frozenset("aeiouy")
#: Letters that a word must have before such an ending.
_ROOT = 3
#: More words than these beside the key are no short answer.
_MANY_MORE = 6


def grade_choice(question: Question, answer: str) -> Finding:
    """Right or wrong: the option, as it is written."""
    return Finding("right", credit=1.0) if normal(answer) == normal(question.key) else Finding("wrong")


def grade_short(question: Question, answer: str) -> Finding:
    """The key or another name that the sources have for it, slips of spelling allowed; a part of it is partly right."""
    if not normal(answer):
        return Finding("wrong", "no answer was given")
    answer = with_signs(answer.replace("per cent", "percent"))
    source = question.support.text
    return max(
        (_against(key, as_in_key(answer, key, source), question) for key in (question.key, *question.also)),
        key=lambda one: one.credit,
    )


def _against(key: str, answer: str, question: Question) -> Finding:
    wanted, answered = words_of(key), words_of(answer)
    if _HYPHEN.sub("", normal(key)) == _HYPHEN.sub("", normal(answer)):
        return Finding("right", credit=1.0)
    if any(is_negation(word.low) for word in answered) and not any(is_negation(word.low) for word in wanted):
        return Finding("wrong", "it says what it is not")
    if _SEVERAL.search(answer) and not _SEVERAL.search(key) and not _DATE.search(answer):
        return Finding("wrong", "one answer is asked for, not several")
    numbers, given = _numbers(key), _numbers(answer)
    if not numbers and given.get("1") == "":
        del given["1"]  # "the last one"
    if not all(value in numbers and unit in {"", numbers[value]} for value, unit in given.items()):
        return Finding("wrong")
    if numbers:
        wanted, answered = words_of(_without_numbers(key)), words_of(_without_numbers(answer))
    alike = {
        place: at
        for at, word in enumerate(wanted)
        for place, other in enumerate(answered)
        if word.stem and _is_same(word, other, alone=len(wanted) == 1)
    }
    needed = {at for at, word in enumerate(wanted) if word.stem}
    added = [
        other
        for place, other in enumerate(answered)
        if place not in alike and other.stem and not is_light(other) and not (numbers and other.low == "year")
    ]
    source = [*words_of(question.text), *words_of(question.support.text)]
    known = {word.stem for word in source}
    foreign = [each for each in added if each.stem not in known]
    if numbers and given.keys() == numbers.keys():
        if foreign or (needed and added and not alike):
            return Finding("wrong", f"the source does not say “{(foreign or added)[0].text}”")
        return Finding("right", credit=1.0)
    if needed and needed == set(alike.values()) and not numbers:
        if foreign and (len(added) > _MANY_MORE or normal(key) not in normal(answer)):
            return Finding("wrong", f"the source does not say “{foreign[0].text}”")
        if is_shuffled(wanted if not added else source, answered) or are_opposites_exchanged(wanted, answered):
            return Finding("wrong", "it has the source's words, but they make no statement")
        slips = any(
            is_slip(wanted[at].low, answered[place].low)
            for place, at in alike.items()
            if wanted[at].stem != answered[place].stem
        )
        return Finding("right", f"it is spelled {key}" if slips else "", 1.0)
    if (alike or given) and not added:
        return Finding("partly", f"the whole answer is {key}", 0.5)
    return Finding("wrong")


def _is_same(word: Word, other: Word, *, alone: bool) -> bool:
    """A term alone may be in the plural or have a slip; in a phrase it may have another form ("Egyptian")."""
    if word.stem == other.stem or _is_plural(word, other):
        return True
    if are_opposite(word.low, other.low):
        return False  # "interspecific" and "intraspecific"
    if is_slip(word.low, other.low) and not _is_another(word.low, other.low):
        return True
    return not alone and is_form(word.low, other.low)


def _is_another(word: str, written: str) -> bool:
    """Whether they differ in one consonant, or in two letters side by side, as two terms do and no slips.

    A nucleoside is no nucleotide, an arteriole no artery, and "dideoxy" is more than "deoxy". Vowels are misspelled.
    """
    if len(word) == len(written):
        differing = [(a, b) for a, b in zip(word, written, strict=True) if a != b]
        return len(differing) == 1 and not set(differing[0]) <= _VOWELS
    short, long = sorted((word, written), key=len)
    gap = len(long) - len(short)
    return gap > 1 and any(long[:at] + long[at + gap :] == short for at in range(len(short) + 1))


def _is_plural(one: Word, other: Word) -> bool:
    """Whether one is the other's plural as in Latin and Greek: nucleus and nuclei, stoma and stomata."""
    if one.text[0].isupper():
        return False
    for a, b in ((one.low, other.low), (other.low, one.low)):
        for singular, several in _PLURALS:
            root = a.removesuffix(singular)
            if len(root) >= _ROOT and a.endswith(singular) and b == root + several:
                return True
    return False


def _numbers(text: str) -> dict[str, str]:
    """The unit of each number, "" for none; a date's day, month and year are numbers without one."""
    words = words_of(text)
    if any(_month(word) for word in words):
        parts = [str(_month(word) or word.low.rstrip(".")) for word in words]
        return {part.lstrip("0"): "" for part in parts if part[0].isdigit()}
    if date := _DATE.fullmatch(text.strip()):
        return {part.lstrip("0"): "" for part in date.groups()}
    return {each.value: each.unit for each in AnalyzedText(text).quantities if each.unit != "th"}


def _without_numbers(text: str) -> str:
    found = AnalyzedText(text)
    for each in reversed(found.quantities):
        found = AnalyzedText(f"{found.text[: each.start]} {found.text[each.end :]}")
    return " ".join(word.text for word in words_of(found.text) if not _month(word) and not word.is_number)


def _month(word: Word) -> int:
    return _MONTHS.index(word.low) if word.low in _MONTHS else 0
