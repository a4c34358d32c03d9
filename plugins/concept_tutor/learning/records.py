"""What flows through learning: questions with their proof, grades, hints, and how well a concept is known.

Names of learners, and ids of attempts and questions, come from outside and are checked before they are used.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import AwareDatetime

from ragstone.core import BadRequest

from ..plans.records import BOOK, SourceChunk

#: The learner where none is named.
ME = "me"
_ID, _NAME = re.compile(r"[A-Za-z0-9_-]{1,64}"), re.compile(r"[\w.@ -]{1,64}")
#: ``choice``: one of the options; ``blank``: a word, name or number to be typed; ``open``: a sentence of one's own.
Form = Literal["choice", "blank", "open"]
#: What the key is.
Asked = Literal["term", "person", "place", "name", "year", "number", "definition", "relation"]
Verdict = Literal["right", "partly", "wrong"]
#: How a question went in a session: its verdict, or the learner did not know, or skipped it.
Outcome = Literal["right", "partly", "wrong", "unknown", "skipped"]
#: What a session asks: what is due and then what is new; only what is due; anything, what is due next first.
SessionKind = Literal["mixed", "due", "practice"]
#: Answers of a session that is not made of what is due alone, and the most of them.
LENGTH, MOST_LENGTH = 10, 1_000
#: Stands in a question's text where its key was left out.
BLANK = "____"


def is_learner(name: str) -> bool:
    """Whether a learner can have that name."""
    return _NAME.fullmatch(name) is not None and bool(name.strip())


def check_learner(name: str) -> str:
    """The name, if a learner can have it. Raises ``BadRequest``."""
    if not is_learner(name):
        raise BadRequest("the learner's name cannot be used", hint="1 to 64 letters, digits, blanks and . @ _ -")
    return name


def is_id(value: str) -> bool:
    """Whether it can be the id of an attempt, a question or a session."""
    return _ID.fullmatch(value) is not None


def check_id(value: str, what: str) -> str:
    """The id, if it is one. Raises ``BadRequest``."""
    if not is_id(value):
        raise BadRequest(f"the {what} cannot be used", hint="1 to 64 of A-Z, a-z, 0-9, _ and -")
    return value


@dataclass(frozen=True)
class Support:
    """The words of a source that support a question's key: ``text`` is ``content[start:end]`` of the chunk."""

    chunk_id: str
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class QuestionSource:
    """A source of a question; ``index`` (from 1) is the number by which ``[N]`` names it."""

    index: int
    page_title: str
    page_url: str
    section: str = ""
    licence: str = ""
    chunk_id: str = ""
    #: The page as a sentence names it, where it is no article.
    place: str = ""

    @classmethod
    def of(cls, chunk: SourceChunk, index: int) -> QuestionSource:
        """The chunk as a question names it."""
        title, place = chunk.page_title, ""
        if chunk.source.startswith(BOOK):
            book, chapter = chunk.source.removeprefix(BOOK), next(iter(chunk.categories), title)
            page = f"“{title}” in " if chapter != title else ""
            place = f"{page}the chapter “{chapter}” of the book “{book}”"
        elif chunk.source.startswith("corpus "):
            place = f"“{title}”"
        return cls(index, title, chunk.page_url, chunk.section, chunk.licence, chunk.chunk_id, place)

    @property
    def public_url(self) -> str:
        """The page's address where other programs can open it; else empty."""
        return self.page_url if self.page_url.startswith(("https://", "http://")) else ""

    @property
    def named(self) -> str:
        """The page as a sentence names it."""
        return self.place or f"the article on {self.page_title}"

    def as_json(self) -> dict[str, Any]:
        """As the specification names its fields."""
        return {"index": self.index, "pageTitle": self.page_title, "pageUrl": self.page_url}


@dataclass(frozen=True)
class Question:
    """A question whose key is supported by a span of one of its sources. All words in it are plain text."""

    #: Of its words and its key: the same question written again has the same id.
    question_id: str
    plan: str
    concept: str
    form: Form
    asked: Asked
    text: str
    #: As ``support`` has it; of a ``choice`` one of the options.
    key: str
    options: tuple[str, ...]
    #: Other ways to write the key that the sources have.
    also: tuple[str, ...]
    #: Names its source with ``[N]``.
    explanation: str
    support: Support
    sources: tuple[QuestionSource, ...]
    #: ``built-in``, or the name of the language model.
    writer: str = "built-in"

    @property
    def source(self) -> QuestionSource:
        """The source that has the key's span."""
        return next(source for source in self.sources if source.chunk_id == self.support.chunk_id)


@dataclass(frozen=True)
class Hint:
    """The ``step``-th help (from 1) ``of`` several before the solution; ``text`` names its sources with ``[N]``."""

    step: int
    of: int
    text: str
    sources: tuple[QuestionSource, ...]


@dataclass(frozen=True)
class Finding:
    """What comparing an answer with its question's span found, before it is put into words."""

    verdict: Verdict
    #: Why it is not right, in words for the learner; empty where it is.
    because: str = ""
    #: Share of what is asked that the answer has, 0 to 1.
    credit: float = 0.0


@dataclass(frozen=True)
class Grade:
    """A graded answer. ``feedback`` names its sources with ``[N]``; ``cited_sources`` are those numbers."""

    verdict: Verdict
    feedback: str
    cited_sources: tuple[int, ...]
    key: str
    explanation: str
    sources: tuple[QuestionSource, ...]
    #: 0 to 1; a right answer after hints counts less.
    credit: float
    #: When the question is due again, in UTC.
    due: datetime | None = None


@dataclass(frozen=True)
class Attempt:
    """One answer of a learner, as it is kept."""

    attempt_id: str
    learner: str
    plan: str
    concept: str
    question_id: str
    question: str
    answer: str
    verdict: Verdict
    credit: float
    hints: int
    at: datetime


@dataclass(frozen=True)
class Mastery:
    """How well a learner knows a concept: 0 (nothing seen or everything forgotten) to 1."""

    concept: str
    level: float
    attempts: int = 0
    #: How many of its questions are due now.
    due: int = 0


@dataclass(frozen=True)
class Review:
    """A question that is due, with the moment (UTC) since when it is."""

    question: Question
    due: datetime


@dataclass(frozen=True)
class Step:
    """A question of a session, and how it went."""

    attempt_id: str
    question_id: str
    concept: str
    outcome: Outcome


@dataclass(frozen=True)
class Session:
    """A learner's sitting over a plan, or over one ``concept`` of it."""

    session_id: str
    learner: str
    plan: str
    concept: str | None
    kind: SessionKind
    #: Questions that there were when it began, and answers at most.
    length: int
    room: int
    #: Mean mastery of the plan when it began, 0 to 100.
    percent: int
    begun: AwareDatetime
    ended: AwareDatetime | None = None
    steps: tuple[Step, ...] = ()

    @property
    def answers(self) -> tuple[Step, ...]:
        """The steps that count: all that were not skipped."""
        return tuple(one for one in self.steps if one.outcome != "skipped")

    @property
    def most(self) -> int:
        """Answers until its end: a short session has room for what went wrong to come again."""
        missed = {one.question_id for one in self.answers if one.outcome != "right"}
        return min(self.room, self.length + len(missed))
