"""The kind of thing that an English question asks for, and whether a sentence holds one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .stemming import stems, words

if TYPE_CHECKING:
    from collections.abc import Callable

_ASKS_TIME = re.compile(r"\bwhen\b|\b(?:what|which) (?:year|decade|century|date|month|day|time)\b", re.IGNORECASE)
_ASKS_QUANTITY = re.compile(
    r"\bhow (?:many|much|old|long|far|tall|large|big|high|often|fast|deep|wide|heavy)\b"
    r"|\b(?:what|which) (?:percent|percentage|number|amount|proportion|fraction|share)\b",
    re.IGNORECASE,
)
_ASKS_NAME = re.compile(r"\b(?:who|whom|whose|where)\b|\b(?:what|which) (?:city|country|state|person|company)\b", re.I)
_TIME = re.compile(
    r"\b(?:1\d|20)\d\d\b|\b\d{1,4}s\b|\bcentur|\b\d+ ?(?:BC|AD|BCE|CE)\b"
    r"|\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
)
_QUANTITY = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred"
    r"|thousand|million|billion|half|third|quarter|dozen|percent|once|twice)\b",
    re.IGNORECASE,
)
#: A capitalized word that is not the first of a sentence.
_NAME = re.compile(r"(?<=[a-z,;:()] )[\"'(“‘]?([A-Z][\w'’-]+)")
_ASKS_REASON = re.compile(r"\bwhy\b|\bhow come\b|\bwhat (?:for|is the reason)\b", re.IGNORECASE)
_REASON = re.compile(
    r"\b(?:because|since|due to|owing to|thanks to|so that|in order to|as a result|therefore|thus|hence|causes?d?"
    r"|reasons?|otherwise|which means|leads? to|prevents?|avoids?|allows?|enables?|makes? (?:it|them))\b"
    r"|^To \w+",
    re.IGNORECASE,
)


_SUBJECT = re.compile(
    r"^\W*(?:(?:what|who)(?:'s|’s| is| are| was| were)|(?:define|what does|what do|what is meant by|explain))\s+"
    r"(?:(?:an?|the|the (?:term|word|meaning of))\s+)?(.{2,80}?)(?:\s+(?:mean|stand for|do))?\s*[?.!]*\s*$",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\([^()]{0,80}\)")
#: What a sentence says its subject is: "X is …", "X: …".
_DEFINES = re.compile(r"\s(?:is|are|was|were|refers? to|means?|describes?|consists? of)\s|:\s|\s[–—]\s")
#: "The Ant and the Aardvark" is not the aardvark.
_SEVERAL = re.compile(r"\b(?:and|or|of|in|with|for)\b|,")
_HEAD = 110
_ASKS_FOR_TASKS = re.compile(
    r"\b(?:exercises?|quiz|homework|assignments?|problems?|questions|objectives?|outcomes?|references?|bibliography|reading"
    r"|sources|literature|tasks?|checklist)\b",
    re.IGNORECASE,
)
#: What the reader has to do: "How do I …?", not "How do whales …?".
_ASKS_FOR_STEPS = re.compile(
    r"\bhow (?:to|(?:do|can|could|should|would|must) (?:i|we|you|one))\b|\b(?:steps?|procedures?|instructions)\b",
    re.IGNORECASE,
)


def asks_for_steps(question: str) -> bool:
    """Whether the question asks for a procedure."""
    return bool(_ASKS_FOR_STEPS.search(question))


def asks_for_tasks(question: str) -> bool:
    """Whether the question asks for exercises, objectives or references, which otherwise answer nothing."""
    return bool(_ASKS_FOR_TASKS.search(question))


def subject_of(question: str) -> frozenset[str]:
    """The stems of X in "What is X?"; empty for another question."""
    found = _SUBJECT.match(question)
    return frozenset(stems(found[1])) if found else frozenset()


def defines(sentence: str, subject: frozenset[str]) -> float:
    """Whether the sentence says what the subject is, 0 to 1: ("X (…) is a …", "X: …") 1, "X is the …" less, as that may
    be one of many things about it; a half for "the X library is …"."""
    plain = _BRACKETS.sub("", sentence[:_HEAD])
    verb = _DEFINES.search(plain)
    if not subject or verb is None or _SEVERAL.search(plain, 0, verb.start()):
        return 0.0
    named = frozenset(stems(plain[: verb.start()]))
    if named != subject:
        return 0.5 * (subject < named and len(named) == len(subject) + 1)
    return 0.8 if plain.startswith("the ", verb.end()) else 1.0


def asks_for_a_reason(question: str) -> bool:
    """Whether the question asks why."""
    return bool(_ASKS_REASON.search(question))


def gives_a_reason(sentence: str) -> bool:
    """Whether the sentence gives a reason."""
    return bool(_REASON.search(sentence))


def answer_type_scorer(question: str) -> Callable[[str], float]:
    """A function that scores sentences: 1 for one with the time, quantity or name that the question asks for, 0 for one
    without it; 0.5 for every sentence if the question asks for nothing of the kind."""
    if _ASKS_TIME.search(question):
        return lambda sentence: float(bool(_TIME.search(sentence)))
    if _ASKS_QUANTITY.search(question):
        return lambda sentence: float(bool(_QUANTITY.search(sentence)))
    if _ASKS_NAME.search(question):
        known = set(words(question))
        # A name that is already in the question is no answer.
        return lambda sentence: float(any(name.casefold() not in known for name in _NAME.findall(sentence)))
    return lambda _sentence: 0.5
