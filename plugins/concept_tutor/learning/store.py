"""Questions, attempts and memories in the catalog's database. What was acknowledged is on the disk."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pydantic import AwareDatetime, FiniteFloat, TypeAdapter
from sqlalchemy import Connection, Row, Select, and_, exists, func, select, update

from ragstone.core import BadRequest, Host, NotFound
from ragstone.core.catalog import PluginTables, translate_damage

from . import tables
from .records import Attempt, Form, Grade, Question, Verdict

if TYPE_CHECKING:
    from fsrs import Card

_log = logging.getLogger(__name__)
_Kind = TypeVar("_Kind")


@dataclass(frozen=True)
class Answered:
    """An answer without its words."""

    question_id: str
    concept: str
    form: Form
    verdict: Verdict
    credit: FiniteFloat
    hints: int
    at: AwareDatetime


@dataclass(frozen=True)
class _Memory:
    state: Literal[1, 2, 3]
    step: int | None
    stability: FiniteFloat
    difficulty: FiniteFloat
    due: AwareDatetime
    reviewed: AwareDatetime


_QUESTION = TypeAdapter(Question)
_GRADE = TypeAdapter(Grade)
_ATTEMPT, _ANSWERED, _MEMORY = TypeAdapter(Attempt), TypeAdapter(Answered), TypeAdapter(_Memory)
_ATTEMPT_COLUMNS = [tables.attempt.c[one.name] for one in fields(Attempt)]
_ANSWERED_COLUMNS = [tables.attempt.c[one.name] for one in fields(Answered)]


class LearnStore:
    """What learners of a host were asked and answered. Safe to use from several threads and processes."""

    def __init__(self, host: Host) -> None:
        self._host = host

    @cached_property
    def tables(self) -> PluginTables:
        """The tables, made when they are first needed."""
        return self._host.catalog.tables(tables.PREFIX, tables.metadata)

    def written(self, plan: str, concept: str, made_of: str) -> tuple[Question, ...] | None:
        """The concept's questions, where they were made of this; else ``None``."""
        with self.tables.read() as connection:
            where = and_(tables.written.c.plan == plan, tables.written.c.concept == concept)
            known = connection.execute(select(tables.written.c.made_of).where(where)).scalar_one_or_none()
            if known != made_of:
                return None
            of_concept = and_(tables.question.c.plan == plan, tables.question.c.concept == concept)
            found = connection.execute(
                select(tables.question.c.body)
                .where(of_concept, tables.question.c.current)
                .order_by(tables.question.c.position)
            )
            with left_out_if_damaged("a question of the concept", concept):
                return tuple(_QUESTION.validate_json(body) for body in found.scalars())
            return None  # they are written anew

    def without_questions(self, plan: str) -> set[str]:
        """The concepts for which questions were written, and none came of it."""
        asked = exists().where(
            tables.question.c.plan == plan,
            tables.question.c.concept == tables.written.c.concept,
            tables.question.c.current,
        )
        found = self._rows(select(tables.written.c.concept).where(tables.written.c.plan == plan, ~asked))
        return {row.concept for row in found}

    def put(self, plan: str, concept: str, made_of: str, questions: Sequence[Question]) -> None:
        """Let these be the concept's questions. Others that it had are asked no more; answers to them stay."""
        of_concept = and_(tables.question.c.plan == plan, tables.question.c.concept == concept)
        with self.tables.write() as connection:
            connection.execute(update(tables.question).where(of_concept).values(current=False))
            for position, question in enumerate(questions):
                row = {"question_id": question.question_id, "plan": plan, "concept": concept, "position": position}
                body = _QUESTION.dump_json(question).decode()
                tables.put(connection, tables.question, ("question_id",), **row, body=body, current=True)
            tables.put(connection, tables.written, ("plan", "concept"), plan=plan, concept=concept, made_of=made_of)

    def question(self, question_id: str) -> Question:
        """The question of that id, also one that is asked no more. Raises ``NotFound``."""
        found = self._rows(select(tables.question.c.body).where(tables.question.c.question_id == question_id))
        if not found:
            raise NotFound(f"there is no question {question_id[:40]!r}", hint="ask for the next one")
        with translate_damage(f"the question {question_id!r}"):
            return _QUESTION.validate_json(found[0].body)

    def grade_of(self, attempt_id: str, learner: str, question_id: str) -> Grade | None:
        """The grade that an attempt got; ``None`` for a new one. Raises ``BadRequest`` where it is another answer's."""
        with self.tables.read() as connection:
            return _grade_of(connection, attempt_id, learner, question_id)

    def record(self, attempt: Attempt, form: Form, grade: Callable[[Card | None], tuple[Grade, Card]]) -> Grade:
        """Keep an attempt with what follows from it, all at once. The same attempt counts once in all processes.

        ``grade``: makes of what was remembered before the grade, and what is remembered now.
        """
        with self.tables.write() as connection:
            key = and_(tables.memory.c.learner == attempt.learner, tables.memory.c.question_id == attempt.question_id)
            row = connection.execute(select(tables.memory).where(key).with_for_update()).first()
            before = None
            if row is not None:
                with left_out_if_damaged("what is remembered of a question", row.question_id):
                    before = _memory(row)
            made, memory = grade(before)
            values = vars(attempt) | {"at": attempt.at.isoformat(timespec="microseconds")}
            grade_json = _GRADE.dump_json(made).decode()
            if not tables.insert_once(connection, tables.attempt, **values, form=form, grade=grade_json):
                known = _grade_of(connection, attempt.attempt_id, attempt.learner, attempt.question_id)
                if known is not None:
                    return known
            tables.put(
                connection,
                tables.memory,
                ("learner", "question_id"),
                **{name: getattr(attempt, name) for name in ("learner", "question_id", "plan", "concept")},
                state=int(memory.state),
                **{name: getattr(memory, name) for name in ("step", "stability", "difficulty")},
                due=memory.due.astimezone(UTC).isoformat(timespec="microseconds"),
                reviewed=attempt.at.astimezone(UTC).isoformat(timespec="microseconds"),
            )
            return made

    def answers(self, learner: str, plan: str) -> dict[str, list[tuple[Form, float]]]:
        """For each concept of the plan the answers in their order, each with its question's form and its credit."""
        found: dict[str, list[tuple[Form, float]]] = {}
        for one in self.history(learner, plan):
            found.setdefault(one.concept, []).append((one.form, one.credit))
        return found

    def attempts(self, learner: str, plan: str | None, most: int) -> list[Attempt]:
        """The last attempts, the newest first."""
        chosen = select(*_ATTEMPT_COLUMNS).where(tables.attempt.c.learner == learner)
        if plan is not None:
            chosen = chosen.where(tables.attempt.c.plan == plan)
        rows = self._rows(chosen.order_by(tables.attempt.c.id.desc()).limit(most))
        return _values(_ATTEMPT, rows)

    def history(self, learner: str, plan: str) -> list[Answered]:
        """All answers in the plan in their order."""
        of_plan = and_(tables.attempt.c.learner == learner, tables.attempt.c.plan == plan)
        rows = self._rows(select(*_ANSWERED_COLUMNS).where(of_plan).order_by(tables.attempt.c.id))
        return _values(_ANSWERED, rows)

    def learners(self) -> dict[str, tuple[int, datetime]]:
        """The learners who have answered: how often, and when the last time; the latest first."""
        table = tables.attempt.c
        last = func.max(table.at).label("last")
        asked = select(table.learner, func.count().label("answers"), last).group_by(table.learner)
        rows = self._rows(asked.order_by(last.desc(), table.learner))
        with translate_damage("the time of an answer"):
            return {row.learner: (row.answers, datetime.fromisoformat(row.last)) for row in rows}

    def memories(self, learner: str, plan: str | None) -> dict[Question, Card]:
        """How each question that was answered and is still asked is remembered, what is due longest first."""
        chosen = (
            select(tables.memory, tables.question.c.body)
            .join(tables.question, tables.question.c.question_id == tables.memory.c.question_id)
            .where(tables.memory.c.learner == learner, tables.question.c.current)
            .order_by(tables.memory.c.due, tables.memory.c.question_id)
        )
        if plan is not None:
            chosen = chosen.where(tables.memory.c.plan == plan)
        found = {}
        for row in self._rows(chosen):
            with left_out_if_damaged("what is remembered of a question", row.question_id):
                found[_QUESTION.validate_json(row.body)] = _memory(row)
        return found

    def _rows(self, query: Select[Any]) -> list[Row[Any]]:
        with self.tables.read() as connection:
            return list(connection.execute(query))


def _grade_of(connection: Connection, attempt_id: str, learner: str, question_id: str) -> Grade | None:
    row = connection.execute(select(tables.attempt).where(tables.attempt.c.attempt_id == attempt_id)).first()
    if row is None:
        return None
    if (row.learner, row.question_id) != (learner, question_id):
        raise BadRequest("this attempt was another answer's", hint="give each answer an id of its own")
    with translate_damage(f"the answer {attempt_id!r}"):
        return _GRADE.validate_json(row.grade)


def _memory(row: Row[Any]) -> Card:
    """What is remembered. Raises ``ValueError``."""
    from fsrs import Card, State

    kept = _MEMORY.validate_python(row._asdict())
    return Card(1, State(kept.state), kept.step, kept.stability, kept.difficulty, kept.due, kept.reviewed)


def _values(kind: TypeAdapter[_Kind], rows: Iterable[Row[Any]]) -> list[_Kind]:
    found = []
    for row in rows:
        with left_out_if_damaged("an answer in the plan's concept", row.concept):
            found.append(kind.validate_python(row._asdict()))
    return found


@contextmanager
def left_out_if_damaged(what: str, name: str) -> Iterator[None]:
    """Log what raises ``ValueError`` as a damaged row: one of many must not take the others with it."""
    try:
        yield
    except ValueError:
        _log.error("%s %s is damaged in the database and left out", what, name)
