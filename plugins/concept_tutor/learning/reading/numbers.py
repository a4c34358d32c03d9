"""The years of a sentence that can be asked for, and the values of numbers written as words."""

from __future__ import annotations

import re
from collections.abc import Iterator

MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905
#: "in 1859", "in March 1861", "on 4 July 1776". Of "before 1860" every earlier one is right as well.
_YEAR = re.compile(
    r"\b(?:[Ii]n|[Oo]n)\s+(?:(?:early|late|mid)\s+)?(?:\d{1,2}\s+)?"
    rf"(?:(?:{'|'.join(map(str.title, MONTHS))})\s+(?:\d{{1,2}},\s+)?)?"
    r"(?P<year>1[0-9]{3}|20[0-4][0-9])(?=[,.;)]|\s+(?!(?:to|and|or|until|B\.?C|A\.?D|people|men|soldiers)\b)[a-z])"
    r"(?!,\d|\.\d)"
)
_NUMBER_WORDS = "two three four five six seven eight nine ten eleven twelve"
WORD_VALUES = {word: value for value, word in enumerate(_NUMBER_WORDS.split(), start=2)}


def years_in(text: str) -> Iterator[tuple[int, int, str]]:
    """``(start, end, year)`` of the years in which, by the sentence, something happened."""
    for match in _YEAR.finditer(text):
        yield match.start("year"), match.end("year"), match["year"]


def near_years(year: str) -> list[str]:
    """Years of the same time, none of them a neighbour, and none after the last one that can be asked for."""
    return [str(int(year) + by) for by in (-13, -9, -6, -4, 4, 7, 11, 14) if 1000 <= int(year) + by <= 2024]
