"""Plans in the catalog's database: read as of one moment, changed whole or not at all."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import delete, func, insert, select

from ragstone.core import BadRequest, NotFound

from . import queries, tables
from .records import Edge
from .sources import put_sources
from .validation import check

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragstone.core import Host
    from ragstone.core.catalog import PluginTables

    from .records import Concept, NewChunk, NewPlan, Plan, PlanSize, SourceChunk


class PlanStore:
    """All plans of a host; one for each host: ``host.once(PlanStore)``. Safe to use from several threads.

    Every method raises what the catalog raises, and ``NotFound`` for a plan or a concept that is not there.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._tables: PluginTables | None = None

    @property
    def tables(self) -> PluginTables:
        """The tables, made when they are first needed."""
        if self._tables is None:
            self._tables = self._host.catalog.tables(tables.PREFIX, tables.metadata, version=tables.VERSION)
        return self._tables

    # Plans

    def plans(self) -> list[PlanSize]:
        """Every plan with its numbers, the oldest first."""
        with self.tables.read() as connection:
            found = connection.execute(select(tables.plan).order_by(tables.plan.c.id)).all()
            return [queries.to_plan_size(connection, row) for row in found]

    def plan(self, slug: str) -> Plan:
        """The plan of that name."""
        with self.tables.read() as connection:
            return queries.to_plan(queries.plan_row(connection, slug))

    def size(self, slug: str) -> PlanSize:
        """The plan of that name with its numbers."""
        with self.tables.read() as connection:
            return queries.to_plan_size(connection, queries.plan_row(connection, slug))

    def add(self, new: NewPlan, sources: Mapping[str, Sequence[NewChunk]] | None = None) -> Plan:
        """Store a plan at once, with the passages that came with it, by its concepts' keys; the others wait for some.

        Raises ``BadRequest`` where it is none, or its slug is taken.
        """
        check(new)
        with self.tables.write() as connection:
            if connection.execute(select(tables.plan.c.id).where(tables.plan.c.slug == new.slug)).first():
                raise BadRequest(
                    f"there is a plan {new.slug!r} already", hint="give it another name, or remove the other plan first"
                )
            facts = {name: getattr(new, name) for name in ("slug", "title", "description", "language", "origin")}
            plan_id = connection.execute(
                insert(tables.plan)
                .values(**facts, created=datetime.now(UTC).isoformat(timespec="seconds"))
                .returning(tables.plan.c.id)
            ).scalar_one()
            connection.execute(
                insert(tables.concept),
                [
                    {
                        "plan_id": plan_id,
                        "key": one.key,
                        "name": one.name,
                        "summary": one.summary,
                        "position": position,
                        "state": "waiting",
                        "reason": "",
                    }
                    for position, one in enumerate(new.concepts)
                ],
            )
            ids = queries.concept_ids(connection, plan_id)
            edges = [
                {
                    "plan_id": plan_id,
                    "prerequisite_id": ids[one.prerequisite],
                    "concept_id": ids[one.concept],
                    "reason": one.reason,
                    "weight": one.weight,
                }
                for one in new.edges
            ]
            if edges:
                connection.execute(insert(tables.edge), edges)
            if connection.execute(select(tables.seen.c.id)).first() is None:
                connection.execute(insert(tables.seen).values(id=1))
            row = queries.plan_row(connection, new.slug)
            for key, chunks in (sources or {}).items():
                put_sources(connection, row, ids[key], chunks)
            return queries.to_plan(row)

    def is_untouched(self) -> bool:
        """Whether no plan was ever stored here."""
        with self.tables.read() as connection:
            if connection.execute(select(tables.plan.c.id)).first():
                return False
            return connection.execute(select(tables.seen.c.id)).first() is None

    def remove(self, slug: str) -> PlanSize:
        """Remove a plan with its concepts, edges and passages; returns what it was."""
        with self.tables.write() as connection:
            row = queries.plan_row(connection, slug)
            size = queries.to_plan_size(connection, row)
            # Children first: SQLite's cascade would look for each row's children one by one.
            concepts = select(tables.concept.c.id).where(tables.concept.c.plan_id == row.id)
            connection.execute(delete(tables.rests_on).where(tables.rests_on.c.concept_id.in_(concepts)))
            for table in (tables.chunk, tables.edge, tables.concept):
                connection.execute(delete(table).where(table.c.plan_id == row.id))
            connection.execute(delete(tables.plan).where(tables.plan.c.id == row.id))
        return size

    # Concepts

    def concepts(self, slug: str) -> list[Concept]:
        """The plan's concepts in its own order."""
        with self.tables.read() as connection:
            row = queries.plan_row(connection, slug)
            found = connection.execute(
                select(tables.concept).where(tables.concept.c.plan_id == row.id).order_by(tables.concept.c.position)
            )
            return [queries.to_concept(slug, one) for one in found]

    def concept(self, slug: str, key: str) -> Concept:
        """One concept."""
        with self.tables.read() as connection:
            return queries.to_concept(slug, queries.concept_row(connection, queries.plan_row(connection, slug), key))

    def edges(self, slug: str) -> list[Edge]:
        """The plan's prerequisites, by the concepts' positions."""
        before, after = tables.concept.alias("before"), tables.concept.alias("after")
        with self.tables.read() as connection:
            row = queries.plan_row(connection, slug)
            found = connection.execute(
                select(before.c.key, after.c.key, tables.edge.c.reason, tables.edge.c.weight)
                .join(before, before.c.id == tables.edge.c.prerequisite_id)
                .join(after, after.c.id == tables.edge.c.concept_id)
                .where(tables.edge.c.plan_id == row.id)
                .order_by(after.c.position, before.c.position)
            )
            return [Edge(*one) for one in found]

    # Passages

    def sources(self, slug: str, key: str) -> list[SourceChunk]:
        """What a concept rests on, the most relevant first; nothing while nothing was found."""
        with self.tables.read() as connection:
            concept = queries.concept_row(connection, queries.plan_row(connection, slug), key)
            found = connection.execute(queries.select_chunks(tables.rests_on.c.concept_id == concept.id))
            return [queries.to_chunk(one) for one in found]

    def all_sources(self, slug: str) -> dict[str, list[SourceChunk]]:
        """What each concept of the plan rests on, by key; concepts without anything have an empty list."""
        with self.tables.read() as connection:
            row = queries.plan_row(connection, slug)
            made: dict[str, list[SourceChunk]] = {key: [] for key in queries.concept_ids(connection, row.id)}
            for one in connection.execute(queries.select_chunks(tables.concept.c.plan_id == row.id)):
                made[one.key].append(queries.to_chunk(one))
            return made

    def uses(self, chunk_id: str) -> list[SourceChunk]:
        """One passage, for every concept that rests on it. Raises ``NotFound``."""
        with self.tables.read() as connection:
            found = connection.execute(queries.select_chunks(tables.chunk.c.chunk_id == chunk_id)).all()
        if not found:
            raise NotFound("there is no such passage", hint="its plan may have been removed, or its page read anew")
        return [queries.to_chunk(one) for one in found]

    def counts(self, slug: str) -> dict[str, int]:
        """How many passages each concept rests on, by key; those without any are missing."""
        concept, rests_on = tables.concept, tables.rests_on
        with self.tables.read() as connection:
            found = connection.execute(
                select(concept.c.key, func.count())
                .join(rests_on, rests_on.c.concept_id == concept.c.id)
                .where(concept.c.plan_id == queries.plan_row(connection, slug).id)
                .group_by(concept.c.key)
            )
            return {each[0]: each[1] for each in found}

    def chunk_ids(self, slug: str | None = None) -> set[str]:
        """Of all passages of all plans, or of one."""
        asked = select(tables.chunk.c.chunk_id)
        with self.tables.read() as connection:
            if slug is not None:
                asked = asked.where(tables.chunk.c.plan_id == queries.plan_row(connection, slug).id)
            return set(connection.execute(asked).scalars())

    def put_sources(self, slug: str, key: str, chunks: Sequence[NewChunk], reason: str = "") -> list[SourceChunk]:
        """Replace the concept's passages by these, in this order; its state is then ``found``.

        Passages that no concept of the plan uses are removed. Without any passage the state is ``none``.
        ``reason``: what failed nevertheless.
        """
        with self.tables.write() as connection:
            row = queries.plan_row(connection, slug, lock=True)
            concept = queries.concept_row(connection, row, key)
            put_sources(connection, row, concept.id, chunks, reason)
            return [
                queries.to_chunk(one)
                for one in connection.execute(queries.select_chunks(tables.rests_on.c.concept_id == concept.id))
            ]
