"""The tables of study plans in the catalog's database."""

from __future__ import annotations

from sqlalchemy import Column, Float, ForeignKey, Index, Integer, MetaData, Table, Text, UniqueConstraint

#: Every name begins with it; see ``Catalog.tables``.
PREFIX = "concept_tutor"
VERSION = 1

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
    Column("state", Text, nullable=False),
    Column("reason", Text, nullable=False),
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

#: A passage, once for each plan that has it.
chunk = Table(
    "concept_tutor_chunk",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("plan_id", ForeignKey("concept_tutor_plan.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("chunk_id", Text, nullable=False, unique=True),
    Column("source", Text, nullable=False),
    Column("page_title", Text, nullable=False),
    Column("page_url", Text, nullable=False),
    Column("section", Text, nullable=False),
    Column("revision", Text, nullable=False),
    Column("licence", Text, nullable=False),
    Column("retrieved", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("content", Text, nullable=False),
    sqlite_autoincrement=True,
)

#: Which concept rests on which passage.
rests_on = Table(
    "concept_tutor_rests_on",
    metadata,
    Column("concept_id", ForeignKey("concept_tutor_concept.id", ondelete="CASCADE"), primary_key=True),
    Column("chunk_id", ForeignKey("concept_tutor_chunk.id", ondelete="CASCADE"), primary_key=True),
    Column("rank", Integer, nullable=False),
    Column("relevance", Float, nullable=False),
    Index("concept_tutor_rests_on_by_chunk", "chunk_id"),
)

#: One row as soon as there ever was a plan: a deployment whose plans were removed stays empty.
seen = Table("concept_tutor_seen", metadata, Column("id", Integer, primary_key=True))
