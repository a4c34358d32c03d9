"""What pages say in words for learners: moments, failures, and texts with blanks in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from ragstone.core import RagstoneError, SettingsError
from ragstone.core.text import counted

from ..mediawiki.client.errors import WikiError

_DAY = 86_400
#: A pattern of the client's errors, and the message for learners.
_FAILURES = (
    (r"no such page", "the wiki has no page of that name"),
    (r"asks to wait|takes no more", "the wiki takes no more requests just now; try again in a few minutes"),
    (r"does not serve|answers with 4\d\d|contact", "the wiki does not let this site read its pages"),
    (
        r"cannot be reached|no address|looked up|did not answer|had no place|answers with|within",
        "the wiki could not be reached; try again later",
    ),
    (r"too large|more than|larger", "the wiki’s page is too large to be read"),
)
_NONE = "no page of the wikis is about it"
_FAILED = "looking for sources failed; try again later"
_NOT_ALLOWED = (
    "this server does not ask wikis yet. The person who runs it sets a contact, in its settings under "
    "[plugins.concept_tutor.wikis]"
)
#: A blank, or the first letter of a hidden word and a sign for each other one.
_HIDDEN = re.compile(r"(?<![^\W_])(?P<begun>[^\W\d_])(?P<rest>_+)(?![^\W_])|(?P<blank>_{3,})|(?P<digits>#+)(?!\w)")


@dataclass(frozen=True)
class Moment:
    """A moment to come: for programs, and in words."""

    at: str
    words: str


@dataclass(frozen=True)
class Piece:
    """A part of a question or a hint: ``text``, a ``blank``, or a word that is ``begun`` with so many letters more."""

    kind: Literal["text", "blank", "begun"]
    text: str = ""
    more: int = 0


def moment(due: datetime | None) -> Moment | None:
    """When that is, as seen from now."""
    if due is None:
        return None
    seconds = (due - datetime.now(UTC)).total_seconds()
    if seconds < 60:
        words = "soon"
    elif seconds < 5400:
        words = f"in {counted(minute=max(1, round(seconds / 60)))}"
    elif seconds < _DAY:
        words = f"in {round(seconds / 3600)} hours"
    else:
        days = round(seconds / _DAY)
        words = "tomorrow" if days == 1 else f"in {days} days"
    return Moment(due.isoformat(timespec="seconds"), words)


def day_words(when: datetime) -> str:
    """A day in the past, as people write it."""
    return when.astimezone().strftime("%-d %B %Y")


def reason_words(state: str, reason: str) -> str:
    """Why there are no sources, or not all, in words for a learner; empty where nothing failed."""
    if state == "none":
        return _NONE
    if not reason:
        return _FAILED if state == "failed" else ""
    if state == "found":
        return "one of the wikis did not answer"
    return next((words for pattern, words in _FAILURES if re.search(pattern, reason)), _FAILED)


def problem_of(error: RagstoneError) -> dict[str, Any]:
    """The error as a page reports it: of a wiki that failed, or may not be asked, without the system's own words."""
    problem = error.to_problem()
    if isinstance(error, SettingsError):
        return {**problem, "detail": _NOT_ALLOWED}
    return {**problem, "detail": reason_words("failed", error.what)} if isinstance(error, WikiError) else problem


def pieces(text: str) -> list[Piece]:
    """The text with its blanks apart: runs of underscores are for the terminal."""
    found, at = [], 0
    for match in _HIDDEN.finditer(text):
        found.append(Piece("text", text[at : match.start()]))
        at = match.end()
        if match["blank"]:
            found.append(Piece("blank"))
        elif match["begun"]:
            found.append(Piece("begun", match["begun"], len(match["rest"])))
        else:
            found.append(Piece("begun", "", len(match["digits"])))
    found.append(Piece("text", text[at:]))
    return [one for one in found if one.kind != "text" or one.text]
