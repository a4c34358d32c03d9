"""The tables of study plans in the catalog's database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import (
    Column,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    insert,
    select,
    text,
    update,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection

#: Every name begins with it; see ``Catalog.tables``.
PREFIX = "concept_tutor"
VERSION = 3

metadata = MetaData()

plan = Table(
    "concept_tutor_plan",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("slug", Text, nullable=False, unique=True),
    Column("title", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("origin", Text, nullable=False),
    #: ISO 8601 in UTC, as every time here: SQLite forgets the zone.
    Column("created", Text, nullable=False),
    #: JSON: the slugs of the books that its passages are from; ``null`` for a plan from elsewhere.
    Column("books", Text),
    sqlite_autoincrement=True,
)

concept = Table(
    "concept_tutor_concept",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("plan_id", ForeignKey("concept_tutor_plan.id", ondelete="CASCADE"), nullable=False),
    Column("key", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("summary", Text, nullable=False),
    Column("position", Integer, nullable=False),
    #: See ``records.SourceState``.
    Column("state", Text, nullable=False, default="waiting"),
    Column("reason", Text, nullable=False, default=""),
    #: 1 from the request for its sources to the end of the search: what was interrupted is resumed.
    Column("wanted", Integer, nullable=False, default=0),
    #: Who looks for its sources while that is ``running``, and until when it is believed, in seconds of the epoch.
    Column("holder", Text, nullable=False, default=""),
    Column("held_until", Float, nullable=False, default=0.0),
    UniqueConstraint("plan_id", "key"),
    sqlite_autoincrement=True,
)

edge = Table(
    "concept_tutor_edge",
    metadata,
    Column("prerequisite_id", ForeignKey("concept_tutor_concept.id", ondelete="CASCADE"), primary_key=True),
    Column("concept_id", ForeignKey("concept_tutor_concept.id", ondelete="CASCADE"), primary_key=True, index=True),
    Column("plan_id", ForeignKey("concept_tutor_plan.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("reason", Text, nullable=False),
    Column("weight", Float, nullable=False),
)

#: Which concept uses which passage. The passage itself is a document of the corpus, with this id.
use = Table(
    "concept_tutor_uses",
    metadata,
    Column("concept_id", ForeignKey("concept_tutor_concept.id", ondelete="CASCADE"), primary_key=True),
    Column("chunk_id", Text, primary_key=True, index=True),
    #: From 1, the most relevant first.
    Column("rank", Integer, nullable=False),
    Column("relevance", Float, nullable=False),
)

#: One row as soon as there ever was a plan: a deployment whose plans were removed stays empty. Every transaction that
#: adds or removes uses keeps the row from others until its end.
seen = Table("concept_tutor_seen", metadata, Column("id", Integer, primary_key=True))

#: Version 1 kept the passages here; ``Passages`` moves them into the corpus and removes the table.
CHUNKS_1 = "concept_tutor_chunk"


def upgrade_1(connection: Connection) -> None:
    """Version 1 into version 2, but for the passages."""
    use.create(connection)
    connection.execute(
        text(
            "INSERT INTO concept_tutor_uses (concept_id, chunk_id, rank, relevance) "
            "SELECT r.concept_id, c.chunk_id, r.rank, r.relevance "
            "FROM concept_tutor_rests_on r JOIN concept_tutor_chunk c ON c.id = r.chunk_id"
        )
    )
    connection.execute(text("DROP TABLE concept_tutor_rests_on"))
    if connection.execute(select(plan.c.id)).first() and not connection.execute(select(seen.c.id)).first():
        connection.execute(insert(seen).values(id=1))


def upgrade_2(connection: Connection) -> None:
    """Version 2 into version 3. Of a plan from a corpus the books are not known: it is for keys that see all books."""
    connection.execute(text("ALTER TABLE concept_tutor_plan ADD COLUMN books TEXT"))
    of_corpus = plan.c.origin.startswith("from the corpus ")
    connection.execute(update(plan).where(of_corpus).values(books="[]"))
