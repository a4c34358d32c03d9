"""One corpus's table of vectors in pgvector: rows are written, and the nearest ones found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Connection,
    Integer,
    String,
    TextClause,
    bindparam,
    exists,
    literal_column,
    select,
    text,
)
from sqlalchemy.exc import ProgrammingError

from ..errors import StorageError
from .schema import chunk

if TYPE_CHECKING:
    import numpy.typing as npt

    #: The keys of the chunks that pass a question's filters, ascending, and the filters on the chunk table.
    Passing = tuple[npt.NDArray[np.int64], ColumnElement[bool]]

#: Candidates that HNSW keeps while it searches, the most that pgvector takes. Of a million vectors, among them 50 near
#: copies of each sentence, it finds 95 % of the ten nearest, and 87 % of those that one of twenty passes a filter; with
#: 400 it was 91 and 77 %, in 4.5 ms instead of 6.6.
_EF_SEARCH = 1000
#: Chunks that pass a filter up to which all of their vectors are compared, without the HNSW index.
_FEW = 5_000
#: Windows to read for each wanted chunk, because several windows of one chunk may be found.
_WINDOWS_PER_CHUNK = 2

# For this transaction. Iterative scans are off by default: a filter would then leave too few rows. Sorting and scanning
# of the table are avoided where the HNSW index is to be used, because the planner cannot know what a filter leaves.
# Compiling a statement (jit) takes longer than running it.
_SETTINGS = text(
    "SELECT set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', :ef, true), "
    "set_config('plan_cache_mode', 'force_custom_plan', true), set_config('jit', 'off', true), "
    "set_config('enable_sort', :exact, true), set_config('enable_seqscan', :exact, true)"
)
_ANY_KEY = text("chunk_id = ANY(:keys)").bindparams(bindparam("keys", type_=ARRAY(Integer)))


@dataclass(frozen=True)
class VectorTable:
    """The table as of one transaction."""

    name: str
    dimension: int
    #: The schema of the extension's types and operators.
    schema: str
    #: Whether there is an HNSW index that can be used.
    has_hnsw: bool

    @property
    def is_filling(self) -> bool:
        """Whether it lacks vectors of chunks that were stored before it was made."""
        return self.name.endswith("_filling")

    def add(self, connection: Connection, keys: Sequence[int], vectors: Sequence[npt.NDArray[np.float32]]) -> None:
        """Add the windows of these chunks. Raises ``StorageError`` for vectors of another dimension."""
        windows = [(key, window) for key, part in zip(keys, vectors, strict=True) for window in part]
        for _, window in windows:
            self._check_dimension(window)
        statement = text(
            f"INSERT INTO {self.name} SELECT chunk, literal::{self.schema}.halfvec "
            "FROM unnest(:chunks, :literals) AS new (chunk, literal)"
        ).bindparams(bindparam("chunks", type_=ARRAY(Integer)), bindparam("literals", type_=ARRAY(String)))
        if windows:
            values = {"chunks": [key for key, _ in windows], "literals": [_literal(window) for _, window in windows]}
            connection.execute(statement, values)

    def remove(self, connection: Connection, document_id: int) -> None:
        """Remove the windows of the document's chunks, whose rows must still exist."""
        chunks = "SELECT id FROM chunk WHERE document_id = :document"
        statement = f"DELETE FROM {self.name} WHERE chunk_id IN ({chunks})"
        connection.execute(text(statement), {"document": document_id})

    def nearest(
        self, connection: Connection, question: npt.NDArray[np.float32], limit: int, passing: Passing | None
    ) -> list[tuple[int, float]] | None:
        """``(chunk key, cosine)`` of the chunks with the most similar windows, best first.

        ``None`` if the table was removed after this transaction began. Raises ``StorageError`` for a question of
        another dimension.
        """
        self._check_dimension(question)
        keys, filters = passing or (None, None)
        if keys is not None and not len(keys):
            return []
        try:
            with connection.begin_nested():
                if self.has_hnsw and (keys is None or len(keys) > _FEW):
                    condition = None
                    if filters is not None:
                        of_row = chunk.c.id == literal_column(f"{self.name}.chunk_id")
                        condition = exists().where(of_row, filters)
                    found = self._search(connection, question, limit, condition, exact=False)
                    if len(found) == limit:
                        return found
                any_key = None if keys is None else _ANY_KEY.bindparams(keys=keys.tolist())
                return self._search(connection, question, limit, any_key, exact=True)
        except ProgrammingError as error:
            if getattr(error.orig, "sqlstate", None) == "42P01":  # undefined_table
                return None
            raise

    def _search(
        self,
        connection: Connection,
        question: npt.NDArray[np.float32],
        limit: int,
        condition: ColumnElement[bool] | TextClause | None,
        *,
        exact: bool,
    ) -> list[tuple[int, float]]:
        connection.execute(_SETTINGS, {"ef": str(_EF_SEARCH), "exact": "on" if exact else "off"})
        # An expression that is not the index's own keeps the planner from using it.
        order = f"({self._distance}) + 0" if exact else self._distance
        statement = select(text("chunk_id"), text(f"{order} AS distance")).select_from(text(self.name))
        statement = (statement if condition is None else statement.where(condition)).order_by(text("distance"))
        windows = limit * _WINDOWS_PER_CHUNK
        while True:
            rows = connection.execute(statement.limit(windows), {"question": _literal(question)}).all()
            best: dict[int, float] = {}
            for key, distance in rows:
                best.setdefault(key, 1 - distance)
            if len(best) >= limit or len(rows) < windows:
                # Ties by key: the same question always gives the same order.
                return sorted(best.items(), key=lambda item: (-item[1], item[0]))[:limit]
            windows *= 4

    def cosines(
        self, connection: Connection, question: npt.NDArray[np.float32], keys: Sequence[int]
    ) -> dict[int, float]:
        """The cosine of each of these chunks' most similar window, by key."""
        of_keys = f"FROM {self.name} WHERE chunk_id = ANY(:keys) GROUP BY chunk_id"
        statement = text(f"SELECT chunk_id, 1 - min({self._distance}) {of_keys}")
        values: dict[str, Any] = {"question": _literal(question), "keys": list(keys)}
        return {row[0]: row[1] for row in connection.execute(statement, values)}

    @property
    def _distance(self) -> str:
        return f"embedding OPERATOR({self.schema}.<=>) :question ::{self.schema}.halfvec"

    def _check_dimension(self, vector: npt.NDArray[np.float32]) -> None:
        if len(vector) != self.dimension:
            raise StorageError(
                f"a vector has {len(vector)} dimensions, and the column of {self.name} has {self.dimension}",
                hint="ragstone corpus rebuild NAME makes the corpus anew with the encoder in use",
            )


def _literal(vector: npt.NDArray[np.float32]) -> str:
    """The vector in pgvector's form. A half has eleven bits: further digits would only be read."""
    return str(np.round(vector.astype(np.float64), 6).tolist())
