"""Fills the pgvector tables of corpora that were stored without one, and builds their HNSW indexes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import Connection, func, select, text

from ..runtime.background import in_background
from .database import Database, translate_db_errors
from .schema import chunk, corpus

if TYPE_CHECKING:
    from .pgvector import VectorTables
    from .vector_table import VectorTable

#: Windows from which an HNSW index is built. Below it a scan of the table takes no longer, and omits nothing.
HNSW_FROM = 10_000
_PROGRESS_SECONDS = 1.0
_BUILT = text(
    "SELECT tuples_done::float8 / nullif(tuples_total, 0) FROM pg_stat_progress_create_index p "
    "JOIN pg_class c ON c.oid = p.relid WHERE c.relname = :name AND p.datname = current_database()"
)
#: Chunks of one transaction: others wait a fraction of a second to write.
_BATCH = 1_000


@dataclass(frozen=True)
class VectorState:
    """How far a corpus's table of vectors is."""

    #: Whether questions are answered from it.
    is_complete: bool
    has_hnsw: bool
    #: Chunks whose vectors are in it, and all chunks.
    filled: int
    chunks: int

    def __str__(self) -> str:
        """The state in words."""
        if not self.is_complete:
            return f"{self.filled} of {self.chunks} passages are in it, exact search in memory answers"
        return "HNSW" if self.has_hnsw else "scanned, which is exact"


class VectorFilling:
    """Got from ``Catalog.vector_filling``. Any number of processes may work at once."""

    def __init__(self, database: Database, tables: VectorTables) -> None:
        self._database = database
        self._tables = tables

    def state(self, corpus_id: int) -> VectorState:
        """How far the corpus's table is."""
        with self._database.read() as connection:
            table = self._tables.find(connection, corpus_id)
            chunks = connection.execute(
                select(func.count()).select_from(chunk).where(chunk.c.corpus_id == corpus_id)
            ).scalar_one()
            if table is not None and not table.is_filling:
                return VectorState(True, table.has_hnsw, chunks, chunks)
            filled = 0
            if table is not None:
                filled = connection.execute(text(f"SELECT count(DISTINCT chunk_id) FROM {table.name}")).scalar_one()
            return VectorState(False, False, filled, chunks)

    def fill(self, corpus_id: int, dimension: int, on_progress: Callable[[int], None] | None = None) -> int:
        """Copy the vectors of all chunks into the corpus's table; returns how many chunks were copied.

        What an interrupted call has copied stays. ``dimension``: of the stored vectors. ``on_progress`` gets the number
        of chunks of each batch.
        """
        with self._database.read() as connection:
            table = self._tables.find(connection, corpus_id)
        last: int | None = 0 if table is None or table.is_filling else None
        copied = 0
        while last is not None:
            with self._database.write() as connection:
                # The corpus's writers wait for this row too: nothing changes between reading and writing.
                connection.execute(select(corpus.c.id).where(corpus.c.id == corpus_id).with_for_update())
                table = self._tables.find(connection, corpus_id)
                if table is not None and not table.is_filling:
                    return copied
                if table is None:
                    table = self._tables.create(connection, corpus_id, dimension, is_filling=True)
                last, count = _copy_batch(connection, table, corpus_id, last)
                if last is None:
                    connection.exec_driver_sql(f"ALTER TABLE {table.name} RENAME TO pgvector_{corpus_id}")
                    connection.exec_driver_sql(f"ANALYZE pgvector_{corpus_id}")
            copied += count
            if on_progress is not None:
                on_progress(count)
        return copied

    def build(self, corpus_id: int, on_progress: Callable[[float], None] | None = None) -> bool:
        """Build the HNSW index of a large table that has none; returns whether it did.

        Meanwhile everybody reads and writes. Another process that builds it is not waited for. ``on_progress`` gets the
        share that is built, each second.
        """
        with self._database.read() as shared:
            table = self._tables.find(shared, corpus_id)
            if table is None or table.is_filling or table.has_hnsw:
                return False
            rows = f"SELECT count(*) FROM (SELECT FROM {table.name} LIMIT {HNSW_FROM}) AS first"
            if shared.execute(text(rows)).scalar_one() < HNSW_FROM:
                return False
        # In a connection of its own, which is closed afterwards with its settings and its lock.
        with (
            translate_db_errors(self._database),
            self._database.engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection,
        ):
            connection.detach()
            lock = text("SELECT pg_try_advisory_lock(hashtextextended(current_schema() || :name, 0))")
            if not connection.execute(lock, {"name": table.name}).scalar_one():
                return False
            connection.exec_driver_sql("SET statement_timeout = 0")
            connection.exec_driver_sql("SET lock_timeout = 0")
            found = self._tables.find(connection, corpus_id)
            if found is None or found.has_hnsw:
                return False
            # One that an interrupted building has left is invalid.
            connection.exec_driver_sql(f"DROP INDEX CONCURRENTLY IF EXISTS {table.name}_hnsw")
            statement = (
                f"CREATE INDEX CONCURRENTLY {table.name}_hnsw ON {table.name} "
                f"USING hnsw (embedding {table.schema}.halfvec_cosine_ops)"
            )
            building = in_background(lambda: connection.exec_driver_sql(statement), "ragstone-hnsw")
            while True:
                try:
                    building.result(_PROGRESS_SECONDS)
                    break
                except TimeoutError:
                    if on_progress is not None:
                        with self._database.read() as other:
                            on_progress(float(other.execute(_BUILT, {"name": table.name}).scalar() or 0))
            connection.exec_driver_sql(f"ANALYZE {table.name}")
        return True


def _copy_batch(connection: Connection, table: VectorTable, corpus_id: int, last: int) -> tuple[int | None, int]:
    """Copy the next chunks after the key ``last``; returns the new last key, ``None`` after the last one, and how many
    were copied."""
    there = f"SELECT FROM {table.name} WHERE chunk_id = chunk.id"
    rows = connection.execute(
        select(chunk.c.id, chunk.c.vectors)
        .where(chunk.c.corpus_id == corpus_id, chunk.c.id > last, text(f"NOT EXISTS ({there})"))
        .order_by(chunk.c.id)
        .limit(_BATCH)
    ).all()
    if not rows:
        return None, 0
    vectors = [np.frombuffer(row.vectors, "<f4").reshape(-1, table.dimension) for row in rows]
    table.add(connection, [row.id for row in rows], vectors)
    return rows[-1].id, len(rows)
