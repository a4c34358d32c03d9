"""The tables of learning in the catalog's database, and the two ways in which a row gets into one."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Boolean, Column, Connection, Float, Index, Integer, MetaData, Table, Text
from sqlalchemy.dialects import postgresql, sqlite

from ..plans.tables import texts

#: Every name begins with one of them; see ``Catalog.tables``. Sessions have tables of their own: a Ragstone that knows
#: none still opens the data folder.
PREFIX, SESSION_PREFIX = "concept_tutor_learn", "concept_tutor_session"

metadata, session_metadata = MetaData(), MetaData()

#: Plans and concepts are named by slug and key, no foreign key: what was learned outlives a plan made anew.
question = Table(
    "concept_tutor_learn_question",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("question_id", Text, nullable=False, unique=True),
    *texts("plan", "concept"),
    #: The question as JSON.
    Column("body", Text, nullable=False),
    #: False where its sources are gone: it is asked no more, and its answers stay.
    Column("current", Boolean, nullable=False),
    #: Its place among the concept's questions.
    Column("position", Integer, nullable=False),
    Index("concept_tutor_learn_question_by_concept", "plan", "concept"),
    sqlite_autoincrement=True,
)

#: What a concept's questions were made of: when that is another, they are written anew.
written = Table(
    "concept_tutor_learn_written",
    metadata,
    Column("plan", Text, primary_key=True),
    Column("concept", Text, primary_key=True),
    Column("made_of", Text, nullable=False),
)

attempt = Table(
    "concept_tutor_learn_attempt",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("learner", Text, nullable=False),
    #: Given by the client that posts the answer: the same one counts once.
    Column("attempt_id", Text, nullable=False, unique=True),
    *texts("plan", "concept", "question_id", "form", "question", "answer"),
    #: The grade as JSON, so that a repeated attempt gets the same.
    *texts("grade", "verdict"),
    Column("credit", Float, nullable=False),
    Column("hints", Integer, nullable=False),
    #: ISO 8601 in UTC, as every time here: SQLite forgets the zone.
    Column("at", Text, nullable=False),
    Index("concept_tutor_learn_attempt_by_plan", "learner", "plan", "id"),
    sqlite_autoincrement=True,
)

#: How well a learner remembers a question: a card of FSRS, of which ``state`` is 1 learning, 2 review, 3 relearning.
memory = Table(
    "concept_tutor_learn_memory",
    metadata,
    Column("learner", Text, primary_key=True),
    Column("question_id", Text, primary_key=True),
    *texts("plan", "concept"),
    Column("state", Integer, nullable=False),
    Column("step", Integer),
    Column("stability", Float, nullable=False),
    Column("difficulty", Float, nullable=False),
    *texts("due", "reviewed"),
    Index("concept_tutor_learn_memory_by_due", "learner", "due"),
)

session = Table(
    "concept_tutor_session_begun",
    session_metadata,
    Column("id", Integer, primary_key=True),
    Column("session_id", Text, nullable=False, unique=True),
    *texts("learner", "plan"),
    #: The only concept; empty for the whole plan.
    *texts("concept", "kind"),
    Column("length", Integer, nullable=False),
    Column("room", Integer, nullable=False),
    #: Mean mastery of the plan at the beginning, in per cent.
    Column("percent", Integer, nullable=False),
    #: ISO 8601 in UTC; ``ended`` is empty while the session goes on.
    *texts("begun", "ended"),
    Index("concept_tutor_session_by_learner", "learner", "plan", "id"),
    sqlite_autoincrement=True,
)

step = Table(
    "concept_tutor_session_step",
    session_metadata,
    Column("id", Integer, primary_key=True),
    Column("session_id", Text, nullable=False),
    #: The answer's; of what was skipped the one that it would have had.
    Column("attempt_id", Text, nullable=False, unique=True),
    *texts("question_id", "concept", "outcome"),
    Index("concept_tutor_session_steps", "session_id", "id"),
    sqlite_autoincrement=True,
)


def insert_once(connection: Connection, table: Table, **values: Any) -> bool:
    """Insert the row unless there is one with its key; whether there was none."""
    return bool(connection.execute(_insert(connection, table).values(**values).on_conflict_do_nothing()).rowcount)


def put(connection: Connection, table: Table, key: tuple[str, ...], **values: Any) -> None:
    """Insert the row, or change the one with that key."""
    others = {name: value for name, value in values.items() if name not in key}
    made = _insert(connection, table).values(**values)
    connection.execute(made.on_conflict_do_update(index_elements=list(key), set_=others))


def _insert(connection: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)
