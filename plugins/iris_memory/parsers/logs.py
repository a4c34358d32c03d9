"""The sections of a log, by date or session."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from .sections import cut_at, lines_outside_code

if TYPE_CHECKING:
    from .sections import Outline, Section

_ISO = r"(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)(?:[T ,@-]*(?P<hour>\d\d):(?P<minute>\d\d))?"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = "(?P<name>" + "|".join(_MONTHS) + r")[a-z]{0,6}\.?"
_WORDS = (
    rf"(?:{_MONTH}\s+(?P<day2>\d\d?)(?:st|nd|rd|th)?,?\s+(?P<year2>(?:19|20)\d\d)"
    rf"|(?P<day3>\d\d?)\s+{_MONTH.replace('name', 'name3')},?\s+(?P<year3>(?:19|20)\d\d))"
)
_DATE = re.compile(rf"(?<!\d)(?:{_ISO}|{_WORDS})(?!\d)", re.IGNORECASE)
#: A line that begins with a date, perhaps in brackets, stars or rules: an entry of a plain log.
_ENTRY = re.compile(rf"[\s>*_=\[(-]*{_ISO}(?!\d)")
_SESSION = re.compile(r"\bsession\b", re.IGNORECASE)


def date_in(words: str) -> float | None:
    """The first date in the words, seconds since 1970; a date without a time is its midnight in UTC."""
    for found in _DATE.finditer(words):
        got = found.groupdict()
        name = got["name"] or got["name3"]
        month = _MONTHS.index(name.lower()) + 1 if name else int(got["month"])
        year = int(got["year"] or got["year2"] or got["year3"])
        day = int(got["day"] or got["day2"] or got["day3"])
        try:
            return datetime(year, month, day, int(got["hour"] or 0), int(got["minute"] or 0), tzinfo=UTC).timestamp()
        except ValueError:  # the 31st of February
            continue
    return None


def log_sections(text: str, outline: Outline) -> list[Section]:
    """One section for each heading with a date or a session's name, and for each day of lines that begin with one.

    A log without either is cut at its ``##``.
    """
    dates: dict[int, float | None] = {}
    for heading in outline.headings:
        date = date_in(heading.title)
        if date is not None or _SESSION.search(heading.title):
            dates[heading.start] = date
    day = ""
    for begin, line in lines_outside_code(text, outline.body_start):
        if begin in dates:
            day = _day(line) or day
            continue
        found = _ENTRY.match(line)
        if found and (today := found[0].strip(" \t>*_=[(-")[:10]) != day:
            day, dates[begin] = today, date_in(line)
    starts = sorted(dates) or [heading.start for heading in outline.headings if heading.level <= 2]
    return [replace(section, date=dates.get(section.start)) for section in cut_at(text, outline, starts)]


def _day(line: str) -> str:
    found = re.search(_ISO, line)
    return found[0][:10] if found else ""
