"""Vectors in PostgreSQL's extension pgvector: a table ``pgvector_ID`` for each corpus, written with its chunks.

A table has one row for each window of a chunk. While a corpus that was stored without one gets it, its name ends with
``_filling``: writers keep it up to date, and no question reads it. A table that exists is kept up to date by every
process, whatever its settings; one that is removed by hand is only missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlalchemy import Connection, select, text
from sqlalchemy.exc import DBAPIError

from ..errors import StorageDenied
from .schema import chunk
from .vector_table import VectorTable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

#: The first version with iterative scans.
_OLDEST = (0, 8)

_EXTENSION = text(
    "SELECT e.extversion, quote_ident(n.nspname) AS schema FROM pg_extension e "
    "JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'"
)
_AVAILABLE = text("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'")
# Read from the system's tables, not by ``to_regclass``: those are seen as of the transaction's snapshot.
_TABLE = text(
    """
    SELECT c.relname, a.atttypmod, quote_ident(n.nspname), EXISTS (
        SELECT FROM pg_index i JOIN pg_class k ON k.oid = i.indexrelid JOIN pg_am m ON m.oid = k.relam
        WHERE i.indrelid = c.oid AND m.amname = 'hnsw' AND i.indisvalid
    )
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'embedding'
    JOIN pg_type t ON t.oid = a.atttypid
    JOIN pg_namespace n ON n.oid = t.typnamespace
    WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
    AND c.relname IN (:whole, :filling)
    """
)


class VectorTables:
    """The tables of one catalog."""

    def __init__(self, *, wanted: bool) -> None:
        """``wanted``: whether new corpora get a table."""
        self.wanted = wanted

    def require_extension(self, connection: Connection, where: str) -> None:
        """Create the extension if it is missing. Raises ``StorageDenied`` if that is not possible, or it is too old."""
        found = connection.execute(_EXTENSION).first()
        if found is None:
            _create_extension(connection, where)
            found = connection.execute(_EXTENSION).one()
        if tuple(int(part) for part in found.extversion.split(".")[:2]) < _OLDEST:
            raise StorageDenied(
                f"the extension pgvector {found.extversion} is too old: 0.8 or later is needed",
                where=where,
                hint="install it on the database server, then run in this database: ALTER EXTENSION vector UPDATE",
            )

    def find(self, connection: Connection, corpus_id: int) -> VectorTable | None:
        """The corpus's table, complete or not; ``None`` if it has none."""
        whole = f"pgvector_{corpus_id}"
        row = connection.execute(_TABLE, {"whole": whole, "filling": f"{whole}_filling"}).first()
        return None if row is None else VectorTable(*row)

    def create(self, connection: Connection, corpus_id: int, dimension: int, *, is_filling: bool) -> VectorTable:
        """Create the corpus's table. The extension must exist."""
        schema = str(connection.execute(_EXTENSION).one().schema)
        name = f"pgvector_{corpus_id}{'_filling' if is_filling else ''}"
        # Vectors stay in their rows up to the size of a page: a scan reads all of them.
        connection.exec_driver_sql(
            f"CREATE TABLE {name} (chunk_id integer NOT NULL, embedding {schema}.halfvec({dimension}) NOT NULL) "
            "WITH (toast_tuple_target = 8160)"
        )
        connection.exec_driver_sql(f"CREATE INDEX pgvector_{corpus_id}_chunk ON {name} (chunk_id)")
        return VectorTable(name, dimension, schema, has_hnsw=False)

    def put(
        self, connection: Connection, corpus_id: int, keys: Sequence[int], vectors: Sequence[npt.NDArray[np.float32]]
    ) -> None:
        """Add the windows of these chunks, whose rows exist; the first chunks of a corpus create its table.

        Raises ``StorageError`` for vectors of another dimension than the table's.
        """
        table = self.find(connection, corpus_id)
        if table is None and self.wanted and keys:
            older = select(chunk.c.id).where(chunk.c.corpus_id == corpus_id, chunk.c.id < min(keys)).limit(1)
            if connection.execute(older).first() is None:
                table = self.create(connection, corpus_id, vectors[0].shape[1], is_filling=False)
        if table is not None:
            table.add(connection, keys, vectors)

    def remove(self, connection: Connection, corpus_id: int, document_id: int) -> None:
        """Remove the windows of the document's chunks, whose rows must still exist."""
        table = self.find(connection, corpus_id)
        if table is not None:
            table.remove(connection, document_id)

    def drop(self, connection: Connection, corpus_id: int) -> None:
        connection.exec_driver_sql(f"DROP TABLE IF EXISTS pgvector_{corpus_id}, pgvector_{corpus_id}_filling")


def _create_extension(connection: Connection, where: str) -> None:
    if connection.execute(_AVAILABLE).first() is None:
        raise StorageDenied(
            "the database server does not have the extension pgvector",
            where=where,
            hint='install pgvector 0.8 or later on it, or set [index] store = "auto"',
        )
    # Two that create it at once would fail.
    connection.execute(text("SELECT pg_advisory_xact_lock(hashtextextended('ragstone: pgvector', 0))"))
    try:
        connection.exec_driver_sql("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) != "42501":  # insufficient_privilege
            raise
        raise StorageDenied(
            "the database lacks the extension pgvector, and its user may not create it",
            where=where,
            hint="an administrator runs once in this database: CREATE EXTENSION vector",
        ) from error
