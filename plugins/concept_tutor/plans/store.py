"""Plans in the catalog's database: read as of one moment, changed whole or not at all."""

from __future__ import annotations

import json
import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select

from ragstone.core import BadRequest, Host, NotFound, StorageError
from ragstone.core.catalog import PluginTables
from ragstone.core.ingestion import OnProgress
from ragstone.core.runtime import current_scope

from . import tables
from .corpus import Chunks, chunk_id_of
from .records import Concept, Edge, NewChunk, NewPlan, Plan, PlanSize, SourceChunk
from .validation import check

_log = logging.getLogger(__name__)


class PlanStore:
    """All plans of a host; one for each host: ``host.once(PlanStore)``. Safe to use from several threads.

    Every method raises what the catalog raises, and ``NotFound`` for a plan or a concept that is not there.
    """

    def __init__(self, host: Host) -> None:
        self._chunks = host.once(Chunks)

    @property
    def tables(self) -> PluginTables:
        """The tables, made when they are first needed."""
        return self._chunks.tables

    @contextmanager
    def _read(self, slug: str) -> Iterator[tuple[Connection, Row[Any]]]:
        """A transaction that reads, and the row of the plan."""
        with self.tables.read() as connection:
            yield connection, tables.plan_row(connection, slug)

    def plans(self) -> list[PlanSize]:
        """Every plan with its numbers, the oldest first; of one whose row is damaged a log entry."""
        sizes = []
        with self.tables.read() as connection:
            for row in connection.execute(select(tables.plan).order_by(tables.plan.c.id)).all():
                try:
                    if tables.is_visible(row):
                        sizes.append(tables.to_plan_size(connection, row))
                except StorageError as error:  # of this row: the database's own errors are translated outside
                    _log.warning("%s", error)
        return sizes

    def plan(self, slug: str) -> Plan:
        """The plan of that name."""
        with self._read(slug) as (_, row):
            return tables.to_plan(row)

    def size(self, slug: str) -> PlanSize:
        """The plan of that name with its numbers."""
        with self._read(slug) as (connection, row):
            return tables.to_plan_size(connection, row)

    def add(
        self,
        new: NewPlan,
        sources: Mapping[str, Sequence[NewChunk]] | None = None,
        on_embedded: OnProgress | None = None,
    ) -> Plan:
        """Store a plan at once, with the chunks that came with it, by its concepts' keys; the others wait for some.

        ``on_embedded``: called with the progress of embedding these chunks. Raises ``BadRequest`` where it is no
        plan, or its slug is taken.
        """
        check(new)
        with self.tables.read() as connection:
            _check_free(connection, new.slug)
        chunks = [chunk for chunks in (sources or {}).values() for chunk in chunks]
        with self._chunks.write(new.slug, chunks, on_embedded) as connection:
            _check_free(connection, new.slug)
            facts = {name: getattr(new, name) for name in ("slug", "title", "description", "language", "origin")}
            plan_id = connection.execute(
                insert(tables.plan)
                .values(
                    **facts,
                    created=datetime.now(UTC).isoformat(timespec="seconds"),
                    books=None if new.books is None else json.dumps(new.books),
                )
                .returning(tables.plan.c.id)
            ).scalar_one()
            connection.execute(
                insert(tables.concept),
                [
                    {"plan_id": plan_id, "position": position, **asdict(one)}
                    for position, one in enumerate(new.concepts)
                ],
            )
            tables.put_edges(connection, plan_id, new.edges)
            if connection.execute(select(tables.seen.c.id)).first() is None:
                connection.execute(insert(tables.seen).values(id=1))
            ids = tables.concept_ids(connection, plan_id)
            for key, of_concept in (sources or {}).items():
                _put_uses(connection, new.slug, ids[key], of_concept)
            return tables.to_plan(tables.plan_row(connection, new.slug))

    def is_untouched(self) -> bool:
        """Whether no plan was ever stored here."""
        with self.tables.read() as connection:
            return connection.execute(select(tables.seen.c.id)).first() is None

    def remove(self, slug: str) -> PlanSize | None:
        """Remove a plan with its concepts, edges and chunks; returns what it was, ``None`` if its row is damaged."""
        with self._chunks.write(slug) as connection:
            row = tables.plan_row(connection, slug, lock=True)
            try:
                size = tables.to_plan_size(connection, row)
            except StorageError:  # of this row, as in ``plans``
                size = None
            # Children first: SQLite's cascade would look for each row's children one by one.
            concepts = select(tables.concept.c.id).where(tables.concept.c.plan_id == row.id)
            former = tables.remove_uses(connection, tables.use.c.concept_id.in_(concepts))
            for table in (tables.edge, tables.concept):
                connection.execute(delete(table).where(table.c.plan_id == row.id))
            connection.execute(delete(tables.plan).where(tables.plan.c.id == row.id))
            self._chunks.remove(connection, former)
        return size

    def concepts(self, slug: str) -> list[Concept]:
        """The plan's concepts in its own order."""
        with self._read(slug) as (connection, row):
            found = connection.execute(
                select(tables.concept).where(tables.concept.c.plan_id == row.id).order_by(tables.concept.c.position)
            )
            return [tables.to_concept(slug, one) for one in found]

    def concept(self, slug: str, key: str) -> Concept:
        """One concept."""
        with self._read(slug) as (connection, row):
            return tables.to_concept(slug, tables.concept_row(connection, row, key))

    def edges(self, slug: str) -> list[Edge]:
        """The plan's prerequisites, by the concepts' positions."""
        before, after = tables.concept.alias("before"), tables.concept.alias("after")
        with self._read(slug) as (connection, row):
            found = connection.execute(
                select(before.c.key, after.c.key, tables.edge.c.reason, tables.edge.c.weight)
                .join(before, before.c.id == tables.edge.c.prerequisite_id)
                .join(after, after.c.id == tables.edge.c.concept_id)
                .where(tables.edge.c.plan_id == row.id)
                .order_by(after.c.position, before.c.position)
            )
            keys = tables.concept_ids(connection, row.id).keys()  # a damaged index can hide some of them
            return [Edge(*one) for one in found if keys >= {one[0], one[1]}]

    def sources(self, slug: str, key: str) -> list[SourceChunk]:
        """The chunks of a concept, the most relevant first; none while nothing was found."""
        with self._read(slug) as (connection, row):
            concept = tables.concept_row(connection, row, key)
            return self._chunks.select(connection, tables.use.c.concept_id == concept.id)

    def all_sources(self, slug: str) -> dict[str, list[SourceChunk]]:
        """The chunks of each concept of the plan, by key; concepts without any have an empty list."""
        with self._read(slug) as (connection, row):
            made: dict[str, list[SourceChunk]] = {key: [] for key in tables.concept_ids(connection, row.id)}
            for one in self._chunks.select(connection, tables.concept.c.plan_id == row.id):
                made[one.concept].append(one)
            return made

    def uses(self, chunk_id: str) -> list[SourceChunk]:
        """One chunk, for every concept that uses it. Raises ``NotFound``."""
        with self.tables.read() as connection:
            found = self._chunks.select(connection, tables.use.c.chunk_id == chunk_id)
        if not found:
            raise NotFound("there is no such passage", hint="its plan may have been removed, or its page read anew")
        return found

    def chunk_ids(self, slug: str) -> defaultdict[str, list[str]]:
        """The ids of each concept's chunks by its key, the most relevant first."""
        found = defaultdict(list)
        with self._read(slug) as (connection, row):
            for use in connection.execute(tables.select_uses(tables.concept.c.plan_id == row.id)):
                found[use.key].append(use.chunk_id)
        return found

    def put_sources(self, slug: str, key: str, chunks: Sequence[NewChunk], reason: str = "") -> list[SourceChunk]:
        """Replace the concept's chunks by these, in this order; its state is then ``found``.

        Chunks that no concept uses any more are removed. Without any chunk the state is ``none``.
        ``reason``: what failed nevertheless.
        """
        self.concept(slug, key)
        with self._chunks.write(slug, chunks) as connection:
            concept = tables.concept_row(connection, tables.plan_row(connection, slug, lock=True), key)
            former = tables.remove_uses(connection, tables.use.c.concept_id == concept.id)
            _put_uses(connection, slug, concept.id, chunks, reason)
            self._chunks.remove(connection, former)
            return self._chunks.select(connection, tables.use.c.concept_id == concept.id)


def damaged_plans(store: PlanStore) -> list[str]:
    """The slugs of the plans whose rows are damaged: they can be removed, and nothing else."""
    damaged = []
    with store.tables.read() as connection:
        for row in connection.execute(select(tables.plan).order_by(tables.plan.c.id)).all():
            try:
                tables.to_plan(row)
            except StorageError:  # of this row, as in ``plans``
                if not current_scope():  # to a key for some books a plan is shown only if it is of these
                    damaged.append(row.slug)
    return damaged


def _check_free(connection: Connection, slug: str) -> None:
    if connection.execute(select(tables.plan.c.id).where(tables.plan.c.slug == slug)).first():
        raise BadRequest(
            f"there is a plan {slug!r} already", hint="give it another name, or remove the other plan first"
        )


def _put_uses(connection: Connection, slug: str, concept_id: int, chunks: Sequence[NewChunk], reason: str = "") -> None:
    relevance: dict[str, float] = {}
    for chunk in chunks:
        relevance.setdefault(chunk_id_of(slug, chunk), chunk.relevance)
    rows = [
        {"concept_id": concept_id, "chunk_id": chunk_id, "rank": rank, "relevance": value}
        for rank, (chunk_id, value) in enumerate(relevance.items(), start=1)
    ]
    if rows:
        connection.execute(insert(tables.use), rows)
    tables.set_state(connection, [concept_id], "found" if rows else "none", reason=reason)
