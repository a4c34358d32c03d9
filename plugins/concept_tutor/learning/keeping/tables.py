"""The tables of learning in the catalog's database."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Float, Index, Integer, MetaData, Table, Text

#: Every name begins with it; see ``Catalog.tables``.
PREFIX = "concept_tutor_learn"
VERSION = 1

metadata = MetaData()

#: Plans and concepts are named by slug and key, no foreign key: what was learned outlives a plan made anew.
question = Table(
    "concept_tutor_learn_question",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("question_id", Text, nullable=False, unique=True),
    Column("plan", Text, nullable=False),
    Column("concept", Text, nullable=False),
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
    #: Given by whoever posts the answer: the same one counts once.
    Column("attempt_id", Text, nullable=False, unique=True),
    Column("plan", Text, nullable=False),
    Column("concept", Text, nullable=False),
    Column("question_id", Text, nullable=False),
    Column("form", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("answer", Text, nullable=False),
    #: The grade as JSON, so that a repeated attempt is told the same.
    Column("grade", Text, nullable=False),
    Column("verdict", Text, nullable=False),
    Column("credit", Float, nullable=False),
    Column("hints", Integer, nullable=False),
    #: ISO 8601 in UTC, as every time here: SQLite forgets the zone.
    Column("at", Text, nullable=False),
    Index("concept_tutor_learn_attempt_by_plan", "learner", "plan", "id"),
    sqlite_autoincrement=True,
)

#: How well a learner remembers a question: ``spacing.Memory``.
memory = Table(
    "concept_tutor_learn_memory",
    metadata,
    Column("learner", Text, primary_key=True),
    Column("question_id", Text, primary_key=True),
    Column("plan", Text, nullable=False),
    Column("concept", Text, nullable=False),
    Column("state", Integer, nullable=False),
    Column("step", Integer),
    Column("stability", Float, nullable=False),
    Column("difficulty", Float, nullable=False),
    Column("due", Text, nullable=False),
    Column("reviewed", Text, nullable=False),
    Index("concept_tutor_learn_memory_by_due", "learner", "due"),
)
