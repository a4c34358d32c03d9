"""The days that a question is about: "yesterday", "last week", "on Monday", "on 3 May", "2026-02-18"."""

from __future__ import annotations

import calendar
import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

_MONTHS = tuple(calendar.month_name)[1:]
_WEEKDAYS = tuple(calendar.day_name)
_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" if name[3:] else name for name in _MONTHS).replace("Sep(", "Sept?(")
_WEEKDAY = "|".join(_WEEKDAYS)
_NEAR = {"today": 0, "this morning": 0, "yesterday": 1, "the day before yesterday": 2}
_UNITS = {"day": 1, "week": 7, "month": 30}
#: Not "by Friday", the time of what is to be done.
_TO_COME = "".join(f"(?<!{word} )(?<!{word} the )" for word in ("by", "before", "until", "next"))
_PERIOD = re.compile(
    rf"\b{_TO_COME}(?P<since>since )?(?:(?P<near>{'|'.join(sorted(_NEAR, key=len, reverse=True))})"
    r"|(?:what(?:['’]s| is)|anything) (?P<new>new)"
    r"|(?:in |during |on |at )?(?:the )?(?P<which>this|last|past) (?P<unit>week(?:end)?|month|night)"
    r"|(?:in |during )?the (?:last|past) (?P<count>\d{1,3}) (?P<units>day|week|month)s"
    rf"|(?:on )?(?:(?:{_WEEKDAY}),? )?(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})\b"
    r"(?:,? (?P<year>\d{4}))?"
    rf"|(?:on )?(?P<month_first>{_MONTH}) (?P<day_last>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<year_last>\d{{4}}))?"
    rf"|(?:in |during )(?P<whole>{_MONTH})\b(?: (?P<whole_year>\d{{4}}))?"
    rf"|(?:on |last )?(?P<weekday>{_WEEKDAY})(?! (?:the )?\d)"
    r"|(?:on )?(?P<iso>\d{4}-\d\d-\d\d))(?: (?:morning|afternoon|evening|night))?\b",
    re.IGNORECASE,
)
#: A time to come, up to whose end something is to be done, and a day that a text names.
_END = re.compile(
    r"\b(?:(?:by|until|before|for|in|on|over) )?(?:the )?(?:end of )?(?:the )?"
    r"(?:(?P<near>today|now|tomorrow)|(?P<which>this|next|coming) (?P<unit>week(?:end)?|month))\b",
    re.IGNORECASE,
)
_DAY = re.compile(
    rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})\b(?:,? (?P<year>\d{{4}}))?"
    rf"|\b(?P<month_first>{_MONTH}) (?P<day_last>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<year_last>\d{{4}}))?"
    r"|\b(?P<iso>\d{4}-\d\d-\d\d)\b"
    rf"|(?<!last )(?<!every )(?<!each )\b(?P<coming>{_WEEKDAY}|today|tonight|tomorrow)\b"
    rf"(?!,? (?:the )?(?:\d|(?:{_MONTH})\b))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Period:
    """Whole days in UTC, both included."""

    first: date
    last: date

    @classmethod
    def of_last(cls, days: int) -> Period:
        """So many days up to today."""
        today = datetime.now(UTC).date()
        return cls(today - timedelta(days=days), today)

    def __str__(self) -> str:
        """For people: "3 May 2026", "1 to 3 May 2026", "28 April to 3 May 2026"."""
        first, last = self.first, self.last
        end = f"{last.day} {last:%B %Y}"
        if first == last:
            return end
        same_year, same_month = first.year == last.year, (first.year, first.month) == (last.year, last.month)
        return f"{first.day}{'' if same_month else f' {first:%B}' if same_year else f' {first:%B %Y}'} to {end}"

    @property
    def since(self) -> float:
        """The first moment, seconds since 1970."""
        return datetime.combine(self.first, time.min, UTC).timestamp()

    @property
    def until(self) -> float:
        """The last moment, seconds since 1970."""
        return datetime.combine(self.last, time.max, UTC).timestamp()


def period_in(question: str, today: date) -> tuple[Period | None, str]:
    """The days that the question names, and the question without them; ``None`` and the question where it names none.

    A weekday is the last one before today, a day or a month without a year the last one that is not after today.
    """
    found = _PERIOD.search(question)
    period = None
    if found is not None:
        with suppress(ValueError, OverflowError):  # no such day
            period = _period(found, today)
            period = Period(period.first, max(today, period.last)) if found["since"] else period
    return (period, f"{question[: found.start()]} {question[found.end() :]}") if found and period else (None, question)


def _period(found: re.Match[str], today: date) -> Period:
    if near := found["near"]:
        return _day(today - timedelta(days=_NEAR[near.casefold()]))
    if count := found["count"]:
        return Period(today - timedelta(days=int(count) * _UNITS[found["units"].casefold()]), today)
    if found["new"]:
        return Period(today - timedelta(days=1), today)
    if unit := (found["unit"] or "").casefold():
        if unit == "night":
            return Period(today - timedelta(days=1), today)
        is_week, is_now = unit == "week", found["which"].casefold() == "this"
        if unit == "weekend":
            first = today - timedelta(days=(today.weekday() - 5) % 7)
            first -= timedelta(days=0 if is_now or today.weekday() < 5 else 7)
            return Period(first, first + timedelta(days=1))
        first = today - timedelta(days=today.weekday()) if is_week else today.replace(day=1)
        if is_now:
            return Period(first, today)
        last = first - timedelta(days=1)
        return Period(last - timedelta(days=6) if is_week else last.replace(day=1), last)
    if weekday := found["weekday"]:
        ago = (today.weekday() - _WEEKDAYS.index(weekday.capitalize())) % 7 or 7
        return _day(today - timedelta(days=ago))
    if iso := found["iso"]:
        return _day(date.fromisoformat(iso))
    month = _month_in(str(found["month"] or found["month_first"] or found["whole"]))
    if found["whole"]:
        of_year = int(found["whole_year"] or today.year - (month > today.month))
        return Period(date(of_year, month, 1), date(of_year, month, calendar.monthrange(of_year, month)[1]))
    day, year = int(found["day"] or found["day_last"]), found["year"] or found["year_last"]
    if year:
        return _day(date(int(year), month, day))
    this_year = date(today.year, month, day)
    return _day(this_year if this_year <= today else date(today.year - 1, month, day))


def _day(day: date) -> Period:
    return Period(day, day)


def _month_in(name: str) -> int:
    return [each[:3] for each in _MONTHS].index(name[:3].capitalize()) + 1


def end_in(question: str, today: date) -> tuple[date | None, str]:
    """The last day of the time to come that the question names, and the question without it: "this week"."""
    found = _END.search(question)
    if found is None:
        return None, question
    later = (found["which"] or "").casefold() != "this"
    if near := found["near"]:
        end = today + timedelta(days=near.casefold() == "tomorrow")
    elif found["unit"].casefold() == "month":
        first = (today.replace(day=1) + timedelta(days=31)).replace(day=1) if later else today
        end = first.replace(day=calendar.monthrange(first.year, first.month)[1])
    else:
        end = today + timedelta(days=6 - today.weekday() + 7 * later)
    return end, f"{question[: found.start()]} {question[found.end() :]}"


def day_near(words: str, written: date) -> date | None:
    """The first day that a text of the day ``written`` names; without a year the nearest one, of weekdays the next."""
    found = _DAY.search(words)
    if found and (coming := found["coming"]):
        name = coming.capitalize()
        ahead = (_WEEKDAYS.index(name) - written.weekday() - 1) % 7 + 1 if name in _WEEKDAYS else name == "Tomorrow"
        return written + timedelta(days=ahead)
    with suppress(ValueError, OverflowError):  # no such day
        if found and (iso := found["iso"]):
            return date.fromisoformat(iso)
        if found:
            month, day = _month_in(found["month"] or found["month_first"]), int(found["day"] or found["day_last"])
            year = found["year"] or found["year_last"]
            years = [int(year)] if year else [written.year - 1, written.year, written.year + 1]
            return min((date(each, month, day) for each in years), key=lambda each: abs(each - written))
    return None
