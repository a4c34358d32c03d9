"""Numbers of rulers and of world wars, which texts write in two ways: "Louis XVI" and "Louis the Sixteenth"."""

from __future__ import annotations

import re

_ROMAN_BY_ORDINAL = {
    "first": "I",
    "second": "II",
    "third": "III",
    "fourth": "IV",
    "fifth": "V",
    "sixth": "VI",
    "seventh": "VII",
    "eighth": "VIII",
    "ninth": "IX",
    "tenth": "X",
    "eleventh": "XI",
    "twelfth": "XII",
    "thirteenth": "XIII",
    "fourteenth": "XIV",
    "fifteenth": "XV",
    "sixteenth": "XVI",
    "seventeenth": "XVII",
    "eighteenth": "XVIII",
}
_ORDINALS, _ROMAN = [*_ROMAN_BY_ORDINAL], [*_ROMAN_BY_ORDINAL.values()]
_WAR_NUMBERS = {"one": "I", "two": "II", "three": "III", "1": "I", "2": "II", "3": "III"}
_ORDINAL = rf"(?:{'|'.join(_ORDINALS)}|\d\d?(?:st|nd|rd|th))"
#: "Louis the Sixteenth", "Louis the 16th"; in small letters not before a word: "Is Anna the third queen?"
_RULER = re.compile(
    rf"\b([A-Z][a-z]{{2,}}) the ((?:{'|'.join(map(str.capitalize, _ORDINALS))})\b|{_ORDINAL}\b(?! [a-z]{{4}}))"
)
_NUMBERED = re.compile(rf"\b(?!World War\b)((?!War\b)[A-Z][a-z]{{2,}}) ({'|'.join(_ROMAN[1:])})\b")
_NTH_WAR = re.compile(rf"\b(?:the )?({_ORDINAL}) world war\b", re.IGNORECASE)
_WAR = re.compile(rf"\bworld war ({'|'.join(_WAR_NUMBERS)}|i{{1,3}})\b|\bww([1-3]|i{{1,3}})\b", re.IGNORECASE)


def with_other_numerals(question: str) -> str:
    """The question with the number of a ruler or a world war written the other way; the same without one."""
    for form, other in ((_NTH_WAR, _roman_war), (_WAR, _other_war), (_RULER, _roman), (_NUMBERED, _ordinal)):
        if (written := form.sub(other, question)) != question:
            return written
    return question


def _roman_war(war: re.Match[str]) -> str:
    return f"World War {_ROMAN[_place_of(war[1])]}"


def _other_war(war: re.Match[str]) -> str:
    number = (war[1] or war[2]).casefold()
    if war[1] and number.startswith("i"):
        return f"{_ORDINALS[len(number) - 1].capitalize()} World War"
    return f"World War {_WAR_NUMBERS.get(number, number.upper())}"


def _roman(ruler: re.Match[str]) -> str:
    return f"{ruler[1]} {_ROMAN[_place_of(ruler[2])]}"


def _ordinal(ruler: re.Match[str]) -> str:
    return f"{ruler[1]} the {_ORDINALS[_ROMAN.index(ruler[2])].capitalize()}"


def _place_of(ordinal: str) -> int:
    """The index of the number in the tables; the last one for a greater number."""
    word = ordinal.casefold()
    number = int(word[:-2]) if word[0].isdigit() else _ORDINALS.index(word) + 1
    return min(max(number, 1), len(_ROMAN)) - 1
