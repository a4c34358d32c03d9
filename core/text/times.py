"""Times: which questions ask for one, which sentences have one, the day that a heading names."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from .irregular_verbs import PAST_FORMS
from .stemming import STOP_WORDS, words

_ASKS_TIME = re.compile(
    r"^(?:and |but |so )?when\b|\bwhen (?:did|do|does|is|are|was|were|will|has|have|had|would|can|could|should)\b"
    r"|\b(?:what|which) (?:\w+ )?(?:year|decade|century|date|month|day|time)\b"
    r"|\b(?:what|which) .{0,30}\b(?:date|year) of\b",
    re.IGNORECASE,
)
#: What asks for the time of something that is so, or will be, and what says that something was so.
_ASKS_LATER = re.compile(
    r"\b(?:when|(?:what|which) (?:day|date|time|month)) (?:will|shall|do|does|is|are|can|should|must)\b"
    r"|\b(?:until|till|by) when\b",
    re.IGNORECASE,
)
_ASKS_PAST = re.compile(r"\bwhen (?:was|were|did)\b", re.IGNORECASE)
_PARTICIPLE = re.compile(r"(?<!\bis )(?<!\bare )(?<!\bbe )\b\w+ed\b", re.IGNORECASE)
_WAS = re.compile(r"\b(?:was|were|had|did)\b", re.IGNORECASE)
MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
NUMBER_WORDS = (
    r"(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\w+)?"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teen)"
)
_TIME = re.compile(rf"\b(?:1\d|20)\d\d\b|\b\d{{1,4}}s\b|\bcentur|\b\d+ ?(?:BC|AD|BCE|CE)\b|\b(?:{MONTHS})\b")
#: A time as people write it to each other: "on Friday", "by the 17th", "at half past seven", "tomorrow", "7.30".
_NEAR_TIME = re.compile(
    r"\b(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun|week)days?|daily|to(?:day|night|morrow)|noon|midnight|\d{1,2}:\d\d"
    r"|\d{1,2} ?[ap]m)\b"
    # "On the 17th of May", not "on the 17th floor".
    r"|\b(?:on|by|until|till|from|before|after|since) the \d{1,2}(?:st|nd|rd|th)\b"
    r"(?!-| (?!(?:of|at|in|and|or|to|with|for|from|instead|because|so|then|as|if|when|but|i|we|you|they|he|she|it|is"
    r"|are|was)\b)[a-z])"
    r"|\b(?:at|by|until|till|from|before|after) (?:half past |(?:a )?quarter (?:past|to) )?(?:\d{1,2}\.\d\d"
    r"|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
    r"(?= o['’]clock| (?:in|on|to(?:night|morrow))\b|[.,;!?]|\Z))"
    r"|\bnext (?:week|month|spring|summer|autumn|winter|year)\b"
    r"|\bin (?:an?|one|two|three|four|five|six) (?:hours?|days?|weeks?|months?)\b(?! time)",
    re.IGNORECASE,
)
#: A year, or words of one: "1834", "in 476", "44 BC", "the 1830s", "the third year", not "for many years".
YEAR = re.compile(
    r"\b(?:1\d|20)\d\d\b|\b(?:in|since|until|year) \d{2,3}\b|\d0s\b|\byear\b|\bcentur"
    r"|\b\d+ ?(?:BC|AD|BCE|CE)\b|\bAD \d",
    re.IGNORECASE,
)
#: "When was …" and "When is the class?", which ask for a date, not "When is it used?", which asks for a condition; and
#: words of any time.
_ASKS_DATE = re.compile(
    r"\bwhen (?:was|were|did|will)\b"
    r"|\bwhen(?:['’]s| is| are) (?:the|my|our|your|his|her|their|its)(?: (?!\w+ed\b)\w+){1,3}\W*$",
    re.IGNORECASE,
)
_ANY_TIME = re.compile(
    r"\b(?:(?:after|before|when) (?:the|an?|he|she|it|they|his|her|its|their)|during|until|since|ago|later|earlier"
    r"|spring|summer|autumn|winter|months?|years?|decades?|age"
    r"|era|period|\w+days?|weeks?|weekend|noon|midnight|to(?:night|morrow)|\d{1,2}:\d\d|\d ?[ap]m|o['’]clock)\b",
    re.IGNORECASE,
)
_DAY = re.compile(rf"\b\d{{1,2}} (?:{MONTHS}) \d{{4}}\b|\b\d{{4}}-\d\d-\d\d\b")
#: How often is asked for, and what says so: "each month", "after every use", "three times", "on Sundays".
ASKS_FREQUENCY = r"\bhow (?:often|frequently)\b"
FREQUENCY = (
    rf"\b(?:every (?:\d[\d,.]*|{NUMBER_WORDS}|other|few|second|third)|(?:after|before|during) (?:each|every)"
    r"|(?:each|every|per|times an?) (?:\w+ )?(?:second|minute|hour|day|night|morning|evening|week|weekend|fortnight"
    r"|month|quarter|season|spring|summer|autumn|winter|year|decade|century|(?:mon|tues|wednes|thurs|fri|satur|sun)day|time"
    r"|use)|twice|thrice|once(?! (?:the|it|you|we|they|he|she|this|that|these|those|all)\b)"
    rf"|(?:\d+|{NUMBER_WORDS}|several|many|few) times|hourly|daily|nightly|weekly|monthly|quarterly"
    r"|annual(?:ly)?|yearly|(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b"
)
#: A day of a year that is perhaps not named: "12 May", "May 12th", "2026-05-12".
_DATE = re.compile(
    rf"\b(?:(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({MONTHS})|({MONTHS}) (\d{{1,2}})(?:st|nd|rd|th)?"
    r"|\d{4}-(\d\d)-(\d\d))\b"
)
#: "27 and 28 May", "7 to 11 May", "7–11 May".
_SEVERAL_DAYS = re.compile(
    r"\b(\d{1,2})(?:st|nd|rd|th)?( and | or | to | until | till | ?[-–] ?)(\d{1,2})(?:st|nd|rd|th)?"
    rf"(?: of)? ({MONTHS})\b"
)
#: Before a day up to which, or from which, something is so.
_NOT_ON = re.compile(r"\b(?:by|before|until|till|after|since|from|between|to|for)\b", re.IGNORECASE)


def asks_for_time(question: str) -> bool:
    """Whether the question asks for a year, a date or another time."""
    return bool(_ASKS_TIME.search(question))


def asks_for_date(question: str) -> bool:
    """Whether the question asks when something was or will be, not under which condition it is."""
    return bool(_ASKS_DATE.search(question))


def names_time(sentence: str) -> bool:
    """Whether the sentence names a time, however vague: "in 1970", "since May", "in winter"."""
    return bool(_TIME.search(sentence) or _ANY_TIME.search(sentence))


def time_scorer(known: Collection[str]) -> Callable[[str], float]:
    """A function that scores a sentence: 1 for a time without one of the ``known`` words, those of the question."""
    asked = frozenset(known) - STOP_WORDS
    return lambda sentence: float(
        any(asked.isdisjoint(words(found[0])) for form in (_TIME, _NEAR_TIME) for found in form.finditer(sentence))
    )


def day_of(headings: str) -> str:
    """The day that the headings name, "3 May 2026" or "2026-05-03"; empty for none."""
    found = _DAY.search(headings)
    return found[0] if found else ""


def asks_for_later(question: str) -> bool:
    """Whether the question asks when something is, or will be."""
    return bool(_ASKS_LATER.search(question))


def is_past_for_later(question: str, sentence: str) -> bool:
    """Whether the question asks when something will be, or is, and the sentence says what was: its day is no answer."""
    return asks_for_later(question) and (
        _WAS.search(sentence) is not None or not PAST_FORMS.isdisjoint(words(sentence))
    )


def is_habit_for_event(question: str, sentence: str) -> bool:
    """Whether the question asks when something was, and the sentence says when it is, again and again: "The museum is
    open from Tuesday." for "When was the museum opened?"."""
    has_date = _TIME.search(sentence) or _PARTICIPLE.search(sentence) or _WAS.search(sentence)
    return bool(_ASKS_PAST.search(question)) and not has_date and PAST_FORMS.isdisjoint(words(sentence))


def is_of_other_day(question: str, sentence: str, headings: str) -> bool:
    """Whether the question asks for what is on a day, and the sentence, or else the headings above it, name others."""
    asked = set() if _NOT_ON.search(question) else _days_in(question)
    named = _days_in(sentence) or _days_in(day_of(headings))
    return bool(asked and named) and asked.isdisjoint(named)


def _days_in(text: str) -> set[tuple[int, int]]:
    """The months and days that the text names, those of "27 and 28 May" and "7 to 11 May" among them."""
    months = MONTHS.split("|")
    found = {
        (int(of_month or months.index(month or month_first) + 1), int(day or day_behind or iso_day))
        for day, month, month_first, day_behind, of_month, iso_day in _DATE.findall(text)
    }
    for first, joined, last, month in _SEVERAL_DAYS.findall(text):
        days = (first, last) if joined in (" and ", " or ") else range(int(first), int(last) + 1)
        found |= {(months.index(month) + 1, int(day)) for day in days}
    return found
