"""The end of a session: its score, each question of it, and what comes next and when."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..learning.lessons import Lessons
from ..learning.sessions import Sessions
from ..plans.store import PlanStore
from .wording import moment, pieces

if TYPE_CHECKING:
    from ragstone.core import Host

    from ..learning.records import Outcome, Session
    from .wording import Moment, Piece

_WORDS: dict[Outcome, str] = {
    "right": "right",
    "partly": "partly right",
    "wrong": "not right",
    "unknown": "not known",
    "skipped": "skipped",
}
_MOST_NEW = 3


@dataclass(frozen=True)
class Asked:
    """A question of the session, once, with how it went each time."""

    concept: str
    name: str
    text: tuple[Piece, ...]
    key: str
    outcomes: tuple[tuple[Outcome, str], ...]


@dataclass(frozen=True)
class ResultView:
    """What the last page of a session shows."""

    answered: int
    right: int
    #: How many were anything else, in words: "2 partly right".
    others: tuple[str, ...]
    asked: tuple[Asked, ...]
    before: int
    after: int
    due: int
    new: tuple[tuple[str, str], ...]
    more_new: int
    next_due: Moment | None
    next_count: int


def result_view(host: Host, session: Session) -> ResultView:
    """The end of this session, as of now."""
    lessons, sessions = host.once(Lessons), host.once(Sessions)
    names = {one.key: one.name for one in host.once(PlanStore).concepts(session.plan)}
    counts = Counter(one.outcome for one in session.steps)
    outlook = sessions.outlook(session.plan, session.learner)
    asked = []
    for question_id in dict.fromkeys(one.question_id for one in session.steps):
        question = lessons.question(question_id)
        went = tuple((one.outcome, _WORDS[one.outcome]) for one in session.steps if one.question_id == question_id)
        name = names.get(question.concept, question.concept)
        asked.append(Asked(question.concept, name, tuple(pieces(question.text)), question.key, went))
    return ResultView(
        answered=len(session.answers),
        right=counts["right"],
        others=tuple(f"{counts[one]} {words}" for one, words in _WORDS.items() if one != "right" and counts[one]),
        asked=tuple(asked),
        before=session.percent,
        after=sessions.percent(session.plan, session.learner),
        due=outlook.due,
        new=tuple((key, names[key]) for key in outlook.new[:_MOST_NEW]),
        more_new=max(0, len(outlook.new) - _MOST_NEW),
        next_due=moment(outlook.next_due) if outlook.next_due is not None else None,
        next_count=outlook.next_count,
    )
