"""The years and numbers of a sentence that can be asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .spelling import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
#: "in 1859", "in March 1861", "on 4 July 1776", "on July 4, 1776". Of "before 1860" every earlier one is right as well.
_YEAR = re.compile(
    rf"\b(?:[Ii]n|[Oo]n)\s+(?:(?:early|late|mid)\s+)?(?:\d{{1,2}}\s+)?(?:(?:{_MONTHS})\s+(?:\d{{1,2}},\s+)?)?"
    r"(?P<year>1[0-9]{3}|20[0-4][0-9])(?=[,.;)]|\s+(?!(?:to|and|or|until|B\.?C|A\.?D|people|men|soldiers)\b)[a-z])"
    r"(?!,\d|\.\d)"
)
_NUMBER_WORDS = "two three four five six seven eight nine ten eleven twelve"
WORD_VALUES = {word: value for value, word in enumerate(_NUMBER_WORDS.split(), start=2)}
_NUMBER = re.compile(
    r"(?<![\w.,$€£/:–-])(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
    rf"|{'|'.join(WORD_VALUES)})(?P<percent>\s?%)?(?=\s(?P<counted>[a-z][a-z-]+)|(?(percent)|$))"
)
#: Before or behind a number: of "more than 10" every smaller number is right as well, a range has two.
_LOOSE = re.compile(
    r"(?:more|less|fewer|greater|higher|lower|larger|smaller|older|younger|other|longer|shorter) than|at (?:least|most)"
    r"|up to|over|under|above|below|about|around|approximately|roughly|nearly|almost|some|between|exceeding|within"
    r"|as (?:many|much|few|low|high) as|from|to|or|and|all|only|circa|c\.|first|last|next|top|every|around the"
    r"|an estimated|estimated|version|chapter|section|page|figure|table|type|number|no\.|grade|level|group|period"
    r"|age|aged|ages|minus|plus|by|of the|the|of",
    re.IGNORECASE,
)
_BEFORE = re.compile(rf"(?:(?:^|\s|\()(?:{_LOOSE.pattern})|[-–+,(:;×x=<>~±])\s*$", re.IGNORECASE)
_NAMED_BEFORE = re.compile(rf"(?:[A-Z][\w.'’-]*|{_MONTHS})\s$")
_BEHIND = re.compile(r"\s?%?\s*(?:[-–~±×/:]|(?:to|or|and)\s+\d|or (?:more|less|so|fewer)|and (?:a half|more)|°|\()")
#: "155 kg (343 lb)" tells the number twice.
_CONVERTED = re.compile(r"\s?\S{1,12}\s\((?:[^()]{0,12}\d)")
_UNCOUNTED = word_set(
    """
    and or to of in on at by with from for as is are was were has have had be been who which that when where while
    but if than so then times years-old percent st nd rd th per more most other others different
    """
)
#: Letters before and behind a number that say what kind of number it is.
_AROUND = 120
#: What can be counted: several of something, or a unit.
_COUNTED = re.compile(
    r"[a-z-]{2,}[^s]s|%|km|kg|cm|mm|m|g|lb|ft|mi|people|men|women|children|million|billion|trillion|thousand|hundred"
)
#: Measures of which the amount is all that can be asked for.
_SCALES = frozenset({"million", "billion", "trillion", "thousand", "hundred"})


@dataclass(frozen=True)
class Count:
    """A number at ``text[start:end]``; ``counted``: what it counts or its unit, in small letters."""

    start: int
    end: int
    text: str
    value: float
    counted: str


def years_in(text: str) -> Iterator[tuple[int, int, str]]:
    """``(start, end, year)`` of the years in which, by the sentence, something happened."""
    for match in _YEAR.finditer(text):
        yield match.start("year"), match.end("year"), match["year"]


def counts_in(text: str) -> Iterator[Count]:
    """Numbers of something, told for certain: no ranges, no bounds, no names that have a number."""
    first = len(text) - len(text.lstrip())
    for match in _NUMBER.finditer(text):
        start, end = match.span("number")
        before, behind = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
        counted = "%" if match["percent"] else (match["counted"] or "")
        if not _COUNTED.fullmatch(counted) or counted in _UNCOUNTED or start <= first:
            continue
        if _CONVERTED.match(behind) or _BEFORE.search(before) or _NAMED_BEFORE.search(before) or _BEHIND.match(behind):
            continue
        if counted in _SCALES:
            words = behind.split()
            counted = " ".join([counted, *(word.strip(".,;)") for word in words[1:2])])
        written = match["number"]
        value = float(WORD_VALUES.get(written) or written.replace(",", ""))
        if 1000 <= value <= 2100 and "," not in written and "." not in written:
            continue  # it may be a year
        if value < 2 and "." not in written:
            continue
        yield Count(match.start("number"), match.end("number"), written, value, counted)


def near_numbers(count: Count) -> list[str]:
    """Numbers of the same kind and magnitude, written in the same way, none of them nearly the same."""
    if count.text in WORD_VALUES:
        return [word for word, value in WORD_VALUES.items() if word != count.text and abs(value - count.value) <= 4]
    places = len(count.text.partition(".")[2])
    step = 10 ** max(0, len(count.text.replace(",", "").partition(".")[0].rstrip("0")) - 2) if places == 0 else 0
    zeros = len(count.text.replace(",", "")) - len(count.text.replace(",", "").rstrip("0")) if places == 0 else 0
    found: list[str] = []
    for factor in (0.5, 0.6, 0.75, 1.25, 1.4, 1.5, 1.75, 2.0):
        value = count.value * factor
        if places == 0:
            unit = max(10**zeros, step, 1)
            value = round(value / unit) * unit
            if count.value < 12:
                value = round(count.value + (factor - 1) * 8)
        if count.counted == "%" and value > 100:
            continue
        written = f"{value:,.{places}f}" if "," in count.text or value >= 10_000 else f"{value:.{places}f}"
        if value > 1 and abs(value - count.value) >= 0.2 * min(count.value, 5) and written not in (*found, count.text):
            found.append(written)
    return found


def near_years(year: str) -> list[str]:
    """Years of the same time, none of them a neighbour, and none after the last one that can be asked for."""
    return [str(int(year) + by) for by in (-27, -18, -11, -6, 5, 9, 16, 24) if 1000 <= int(year) + by <= 2024]
