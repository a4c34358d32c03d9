"""The end of a session: its score, each question of it, and what comes next and when."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ragstone.core import Host

from ..learning.lessons import Lessons
from ..learning.records import Outcome, Session
from ..learning.sessions import Sessions
from ..plans.store import PlanStore
from .wording import moment, pieces

_WORDS: dict[Outcome, str] = {
    "right": "right",
    "partly": "partly right",
    "wrong": "not right",
    "unknown": "not known",
    "skipped": "skipped",
}
_MOST_NEW = 3


def result_facts(host: Host, session: Session) -> dict[str, Any]:
    """What the last page of a session shows, as of now."""
    lessons, sessions = host.once(Lessons), host.once(Sessions)
    names = {one.key: one.name for one in host.once(PlanStore).concepts(session.plan)}
    counts = Counter(one.outcome for one in session.steps)
    outlook = sessions.outlook(session.plan, session.learner)
    questions = []
    for question_id in dict.fromkeys(one.question_id for one in session.steps):
        question = lessons.question(question_id)
        went = [(one.outcome, _WORDS[one.outcome]) for one in session.steps if one.question_id == question_id]
        name, text = names.get(question.concept, question.concept), pieces(question.text)
        asked = {"concept": question.concept, "name": name, "text": text, "key": question.key, "outcomes": went}
        questions.append(asked)
    return {
        "right": counts["right"],
        "others": [f"{counts[one]} {words}" for one, words in _WORDS.items() if one != "right" and counts[one]],
        "questions": questions,
        "percent_now": sessions.percent(session.plan, session.learner),
        "outlook": outlook,
        "new": [(key, names[key]) for key in outlook.new[:_MOST_NEW]],
        "next_due": moment(outlook.next_due),
    }
