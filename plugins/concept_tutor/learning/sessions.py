"""Sessions: a number of questions with an end, in which nothing comes again that was answered right."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import Any, get_args

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, insert, select, update

from ragstone.core import BadRequest, Host, NotFound
from ragstone.core.answering import check_type
from ragstone.core.catalog import PluginTables, translate_damage

from ..plans.store import PlanStore
from . import tables
from .lessons import Lessons
from .records import (
    LENGTH,
    ME,
    MOST_LENGTH,
    Grade,
    Outcome,
    Question,
    Session,
    SessionKind,
    Step,
    check_id,
    check_learner,
)
from .store import LearnStore, left_out_if_damaged

#: Of what is due at most so many at once.
MOST_DUE = 50
#: What went wrong comes once more in a session, after so many others.
_TIMES, _APART = 2, 2
#: New questions of which one is chosen.
_AHEAD = 3
_COLUMNS = [tables.session.c[one.name] for one in fields(Session) if one.name != "steps"]
_SESSION = TypeAdapter(Session)
_STEP_COLUMNS = [tables.step.c[one.name] for one in fields(Step)]


@dataclass(frozen=True)
class Outlook:
    """What comes next in a plan, and when."""

    #: Questions that are due now, and concepts of which nothing was asked yet although they have sources, in order.
    due: int
    new: tuple[str, ...]
    #: When the next question is due that is not due now, and how many are until the end of that day.
    next_due: datetime | None = None
    next_count: int = 0


class Sessions:
    """The sessions of a host: ``host.once(Sessions)``. Every method raises what ``Lessons`` raises."""

    def __init__(self, host: Host, lessons: Lessons | None = None) -> None:
        self._lessons = host.once(Lessons) if lessons is None else lessons
        self._plans = host.once(PlanStore)
        self._catalog = host.catalog
        self._answers = LearnStore(host)

    @cached_property
    def _tables(self) -> PluginTables:
        return self._catalog.tables(tables.SESSION_PREFIX, tables.session_metadata)

    def start(
        self, plan: str, concept: str | None = None, learner: str = ME, kind: str = "mixed", length: int = LENGTH
    ) -> Session:
        """Begin a session of ``length`` answers at most, or of all that is due.

        A concept without questions is passed over. Raises ``BadRequest`` where there is nothing to ask.
        """
        check_type(length, "length", int, "a whole number")
        if not 1 <= length <= MOST_LENGTH:
            raise BadRequest(f"length must be from 1 to {MOST_LENGTH}, not {str(length)[:20]}")
        if kind not in get_args(SessionKind):
            raise BadRequest("there is no such kind of session", hint=", ".join(get_args(SessionKind)))
        self._plans.plan(plan)
        new = Session(
            session_id=uuid.uuid4().hex,
            learner=check_learner(learner),
            plan=plan,
            concept=concept,
            kind=kind,  # type: ignore[arg-type] # checked above
            length=length,
            room=length,
            percent=self.percent(plan, learner),
            begun=self._lessons.clock(),
        )
        most = min(length, MOST_DUE) if kind != "due" else MOST_DUE
        available = sum(1 for _ in islice(self._questions(new), most))
        if concept is not None and concept in self._answers.without_questions(plan):
            raise BadRequest(
                "there are no questions about this concept",
                hint="read what its sources say of it, and begin a session of the whole plan",
            )
        if not available:
            raise BadRequest(
                "nothing is due now" if kind == "due" else "there is nothing new, and nothing is due now",
                hint="practise what you know already, or come back when something is due",
            )
        new = replace(new, length=available, room=max(length, available))
        begun = _seconds(new.begun)
        values = {column.name: getattr(new, column.name) for column in _COLUMNS}
        with self._tables.write() as connection:  # whatever the learner had begun in this plan before is ended with it
            connection.execute(update(tables.session).where(*_going(learner, plan)).values(ended=begun))
            values |= {"concept": concept or "", "begun": begun, "ended": ""}
            connection.execute(insert(tables.session).values(**values))
        return new

    def session(self, session_id: str) -> Session:
        """The session of that id. Raises ``NotFound``."""
        found = self._last(tables.session.c.session_id == check_id(session_id, "session's id"))
        if found is None:
            raise NotFound("there is no such session", hint="begin a new one")
        with translate_damage(f"the session {session_id!r}", "begin a new one"):
            return _SESSION.validate_python(found)

    def current(self, plan: str, learner: str = ME) -> Session | None:
        """The learner's session of this plan that has not ended, if something was answered in it."""
        found = self._last(*_going(learner, plan))
        if found is not None and found["steps"]:
            with left_out_if_damaged("the session", found["session_id"]):  # the next one that is begun ends it
                return _SESSION.validate_python(found)
        return None

    def next(self, session: Session) -> Question | None:
        """What to ask now; ``None`` where the session is at its end.

        What was right or skipped does not come again; what was not right comes once more, after others. What another
        sentence proves is asked first: the answer to a second question on the same one has just been read. Where there
        is such a question, it comes in the place of one that was not right, as long as there is something new.
        """
        if session.ended is not None or len(session.answers) >= session.most:
            return None
        proofs = {one.question_id: _proof(one) for one in self._answers.memories(session.learner, session.plan)}
        proof_of = {one.question_id: proofs.get(one.question_id, (one.question_id, 0)) for one in session.steps}
        shown = {proof_of[one.question_id]: place for place, one in enumerate(session.steps)}
        new = list(islice((one for one in self._questions(session) if one.question_id not in proof_of), _AHEAD))
        question = min(new, key=lambda one: shown.get(_proof(one), -1), default=None)
        times = Counter(one.question_id for one in session.steps)
        settled = {one.question_id for one in session.steps if one.outcome in {"right", "skipped"}}
        missed = [key for key, count in times.items() if key not in settled and count < _TIMES]
        if question is not None:
            misses = Counter(map(proof_of.__getitem__, missed))
            last = {session.steps[place].question_id for place in shown.values()}
            missed = [key for key in missed if key in last and misses[proof_of[key]] < _TIMES]
        waiting = [key for key in missed if shown[proof_of[key]] < len(session.steps) - _APART]
        left = session.most - len(session.answers)
        # the last places are for what went wrong; before them, new ones come first
        if waiting and (question is None or left <= len(missed)):
            other = next((one for one in new if _proof(one) == proof_of[waiting[0]]), None)
            return other or self._lessons.question(waiting[0])
        if question is None and missed and missed[0] != session.steps[-1].question_id:
            return self._lessons.question(missed[0])
        return question

    def answer(
        self, session: Session, question_id: str, text: str | None, attempt_id: str | None = None, hints: int = 0
    ) -> Grade:
        """Grade an answer of the session and keep it; ``None``: the learner does not know."""
        attempt_id = attempt_id or uuid.uuid4().hex
        grade = self._lessons.answer(question_id, text, attempt_id, hints, session.learner)
        self._put_step(session, attempt_id, question_id, "unknown" if text is None else grade.verdict)
        return grade

    def skip(self, session: Session, question_id: str, attempt_id: str | None = None) -> None:
        """Leave a question out of this session; it counts nowhere."""
        attempt_id = check_id(attempt_id or uuid.uuid4().hex, "attempt's id")
        self._put_step(session, attempt_id, question_id, "skipped")

    def _put_step(self, session: Session, attempt_id: str, question_id: str, outcome: Outcome) -> None:
        """Keep how a question went; the same attempt counts once."""
        step = Step(attempt_id, question_id, self._lessons.question(question_id).concept, outcome)
        with self._tables.write() as connection:
            tables.insert_once(connection, tables.step, session_id=session.session_id, **vars(step))

    def end(self, session: Session) -> Session:
        """End the session; it stays ended at the moment of the first time."""
        going = (tables.session.c.session_id == session.session_id, tables.session.c.ended == "")
        with self._tables.write() as connection:
            connection.execute(update(tables.session).where(*going).values(ended=_seconds(self._lessons.clock())))
        return self.session(session.session_id)

    def outlook(self, plan: str, learner: str = ME) -> Outlook:
        """What comes next in the plan, and when."""
        now = self._lessons.clock()
        dues = sorted(memory.due for memory in self._answers.memories(learner, plan).values())
        later = [due for due in dues if due > now]
        able, mastery = self._lessons.able(plan), self._lessons.mastery(plan, learner)
        new = [key for key in self._lessons.order(plan) if key in able and not mastery[key].attempts]
        day = later[0].astimezone().date() if later else None
        return Outlook(
            due=len(dues) - len(later),
            new=tuple(new),
            next_due=later[0] if later else None,
            next_count=sum(due.astimezone().date() == day for due in later),
        )

    def percent(self, plan: str, learner: str = ME) -> int:
        """How well the plan's concepts that can be asked about are known, 0 to 100."""
        able, mastery = self._lessons.able(plan), self._lessons.mastery(plan, learner)
        return round(100 * sum(mastery[key].level for key in able) / len(able)) if able else 0

    def _questions(self, session: Session) -> Iterator[Question]:
        lessons, concept = self._lessons, session.concept
        if session.kind == "practice":
            memories = self._answers.memories(session.learner, session.plan)
            yield from (one for one in memories if concept in (None, one.concept))
        elif session.kind == "due":
            due = lessons.due(session.plan, session.learner)
            yield from (one.question for one in due if concept in (None, one.question.concept))
        else:
            yield from lessons.queue(session.plan, concept, session.learner)

    def _last(self, *where: ColumnElement[bool]) -> dict[str, Any] | None:
        """The fields of the newest session, unchecked."""
        session, step = tables.session, tables.step
        chosen = select(*_COLUMNS).where(*where).order_by(session.c.id.desc()).limit(1)
        with self._tables.read() as connection:
            row = connection.execute(chosen).mappings().first()
            if row is None:
                return None
            of = step.c.session_id == row["session_id"]
            steps = [one._asdict() for one in connection.execute(select(*_STEP_COLUMNS).where(of).order_by(step.c.id))]
        return {**row, "concept": row["concept"] or None, "ended": row["ended"] or None, "steps": steps}


def _proof(question: Question) -> tuple[str, int]:
    return question.support.chunk_id, question.support.start


def _going(learner: str, plan: str) -> tuple[ColumnElement[bool], ...]:
    return tables.session.c.learner == learner, tables.session.c.plan == plan, tables.session.c.ended == ""


def _seconds(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")
