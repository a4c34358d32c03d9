"""What has a number in its name, in questions and texts: versions, things of a kind, and rulers and world wars, whose
numbers are written in two ways."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from .times import MONTHS

#: A number with a point, such as that of a version.
VERSION = re.compile(r"(?<![\w.])\d+(?:\.\d+)+(?!\w)")
#: What is named with a number: "ROS 2", "IEEE 1588", within a sentence also "Alto 1.3".
NAMED_NUMBER = re.compile(
    r"\b(?!USD|EUR|GBP)[A-Z][A-Z\d-]+ \d[\d.]*|(?<!^)(?<![.!?] )(?<!:\d\d )\b[A-Z][a-z]+ \d+\.\d[\w.]*", re.MULTILINE
)
#: "Debian 12", "World War I", not "In 12", "March 12" or "Chapter 12".
_NAMED = re.compile(
    rf"(?<=\s)(?!(?:In|On|At|By|Since|Until|Chapter|Section|Part|Figure|Table|Exercise|Page|Appendix|{MONTHS})\b)"
    r"((?:World )?[A-Z][a-z]{2,}) (\d{1,3}(?![\d.%])|(?<=War )I|[VX]|[IVX]{2,5})\b"
)
#: "C++", "C#", "A*": the sign is no part of a word that is searched for.
_SIGNED = re.compile(r"(?<![\w*])[A-Za-z](?:\+\+|#|\*)(?![\w*])")
_SENTENCE_END = re.compile(r"[.!?]\s")
#: "A class 1 stop", "step 3".
_NUMBERED = re.compile(
    r"\b(categor|class|type|level|phase|stage|step|grade|group|rule|law|mode|tier|layer|generation|zone|option|method)y?"
    r" (\d{1,2})\b(?!\.\d)",
    re.IGNORECASE,
)
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
#: "The first heater".
_PLACED = re.compile(rf"\b({_ORDINAL}) (\w+)", re.IGNORECASE)
#: "Louis the Sixteenth", "Louis the 16th"; in small letters not before a word: "Is Anna the third queen?"
_RULER = re.compile(
    rf"\b([A-Z][a-z]{{2,}}) the ((?:{'|'.join(map(str.capitalize, _ORDINALS))})\b|{_ORDINAL}\b(?! [a-z]{{4}}))"
)
_RULED = re.compile(rf"\b(?!World War\b)((?!War\b)[A-Z][a-z]{{2,}}) ({'|'.join(_ROMAN[1:])})\b")
_NTH_WAR = re.compile(rf"\b(?:the )?({_ORDINAL}) world war\b", re.IGNORECASE)
_WAR = re.compile(rf"\bworld war ({'|'.join(_WAR_NUMBERS)}|i{{1,3}})\b|\bww([1-3]|i{{1,3}})\b", re.IGNORECASE)


def version_finder(question: str) -> Callable[[str], bool] | None:
    """A function that tells whether a text has one of the numbers with a point, such as those of versions, or of the
    names with a number or a sign ("Debian 12", "C#") that the question has; ``None`` where it has none."""
    asked = [_Numbered(rf"(?<![\w.]){re.escape(each)}(?!\.?\d)") for each in VERSION.findall(question)]
    asked += [_Numbered(rf"(?<!\w){re.escape(each)}(?![\w+#])") for each in _SIGNED.findall(question)]
    for name, number in _NAMED.findall(question) or _NAMED.findall(with_other_numerals(question)):
        other = re.escape(with_other_numerals(f"{name} {number}"))
        # "Debian 11 and 12", "Debian12"; "the Second World War" for "World War II"
        listed = rf"{name}(?:s? (?:\w{{1,6}}(?:,| and| or) ){{0,3}})?{number}"
        of_kind = rf"\b(?:{name}s? (?:[IVX]{{1,5}}|\d{{1,3}})|(?:First|Second|Third) {name})\b"
        asked.append(_Numbered(rf"(?<![\w.])(?:{listed}|(?i:{other}))(?!\.?\d|[A-Za-z])", of_kind))
    return (lambda text: any(each.is_in(text) for each in asked)) if asked else None


class _Numbered(NamedTuple):
    """One of several things with a number."""

    pattern: str
    #: Any of them.
    of_kind: str = ""

    def is_in(self, text: str) -> bool:
        """Whether the text has it, and goes on with another one in no later sentence."""
        found = [each.end() for each in re.finditer(self.pattern, text)]
        others = [each.start() for each in re.finditer(self.of_kind, text)] if self.of_kind else []
        return bool(found) and not (others and _SENTENCE_END.search(text, found[-1], max(others[-1], found[-1])))


def has_only_others(question: str, texts: Iterable[str]) -> bool:
    """Whether the question names a thing of a kind by its number, "class 2", and the texts name others of the kind,
    "class 0 or 1", but not that one."""
    asked = _NUMBERED.search(question)
    if asked is None:
        return False
    listed = r"\d{1,2}(?:(?:,? (?:and|or) |, )\d{1,2}){0,9}(?![-–\d]| to \d|\.\d)"
    named = re.compile(rf"\b{asked[1]}(?:y|ies|e?s)? ({listed})", re.IGNORECASE)
    numbers = {int(each) for text in texts for found in named.findall(text) for each in re.findall(r"\d+", found)}
    return bool(numbers) and int(asked[2]) not in numbers


def is_of_other(question: str, sentence: str) -> bool:
    """Whether the question asks for "the first heater", and the sentence is of "the second heater" alone."""
    asked = _PLACED.search(question)
    if asked is None:
        return False
    places = {_place_of(found[1]) for found in _PLACED.finditer(sentence) if found[2] == asked[2]}
    return bool(places) and _place_of(asked[1]) not in places


def with_other_numerals(question: str) -> str:
    """The question with the number of a ruler or a world war written the other way; the same without one."""
    for form, other in ((_NTH_WAR, _roman_war), (_WAR, _other_war), (_RULER, _roman), (_RULED, _ordinal)):
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
