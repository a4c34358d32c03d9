"""Reads vectors of documents and chunks. Imported where vectors are needed: most commands do without NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import gcd
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import Connection, func, select

from ..errors import StorageError
from .checksums import RESTORE
from .schema import chunk, document
from .vector_table import VectorTable

if TYPE_CHECKING:
    import numpy.typing as npt
    from llama_index.core.vector_stores.types import MetadataFilters

    from .database import Database

_BATCH_DOCUMENTS = 500
#: The first byte of packed sentences: increased whenever the same text would have other units.
_SENTENCES_VERSION = 1


@dataclass(frozen=True)
class DocumentVectors:
    """The vectors of one document's chunks, windows in order."""

    chunk_keys: npt.NDArray[np.int64]
    #: Number of windows of each chunk.
    windows: npt.NDArray[np.int64]
    #: float32 [sum(windows), dimension].
    vectors: npt.NDArray[np.float32]


class VectorReader:
    """Reads vectors within one transaction. Got from ``Snapshot.vectors``."""

    def __init__(self, connection: Connection, database: Database) -> None:
        self._connection = connection
        self._database = database
        #: The corpus that was looked up last, and its table.
        self._found: tuple[int, VectorTable | None] | None = None

    def dimension(self, corpus_id: int) -> int:
        """The dimension of the corpus's vectors, from their sizes: of a few chunks it may be a multiple."""
        size = func.length(chunk.c.vectors)
        sizes = self._connection.execute(select(size).where(chunk.c.corpus_id == corpus_id).distinct()).scalars()
        return gcd(*sizes) // 4 or 1

    def of_document(self, document_key: int, dimension: int) -> DocumentVectors:
        return self.of_documents([document_key], dimension)[document_key]

    def of_documents(self, document_keys: Sequence[int], dimension: int) -> dict[int, DocumentVectors]:
        """The vectors of many documents by key, in few queries of the database server."""
        found: dict[int, DocumentVectors] = {}
        for start in range(0, len(document_keys), _BATCH_DOCUMENTS):
            batch = document_keys[start : start + _BATCH_DOCUMENTS]
            rows = self._connection.execute(
                select(chunk.c.document_id, chunk.c.id, chunk.c.chunk_id, chunk.c.vectors)
                .where(chunk.c.document_id.in_(batch))
                .order_by(chunk.c.document_id, chunk.c.position)
            )
            found |= {key: self._vectors([], dimension) for key in batch}
            found |= {
                key: self._vectors(list(of_one), dimension)
                for key, of_one in groupby(rows, lambda row: row.document_id)
            }
        return found

    def of_chunks(self, keys: Sequence[int], dimension: int) -> dict[int, npt.NDArray[np.float32]]:
        """Vectors of single chunks, [windows, dimension], by key."""
        columns = (chunk.c.id, chunk.c.chunk_id, chunk.c.vectors)
        rows = self._connection.execute(select(*columns).where(chunk.c.id.in_(keys))).all()
        return {row.id: np.frombuffer(self._blob(row, dimension), "<f4").reshape(-1, dimension) for row in rows}

    def nearest(
        self,
        corpus_id: int,
        question: npt.NDArray[np.float32],
        limit: int,
        passing: tuple[MetadataFilters, npt.NDArray[np.int64]] | None = None,
    ) -> list[tuple[int, float]] | None:
        """``(chunk key, cosine)``, best first, from the database's own index; ``None`` if the corpus has none.

        ``passing``: filters, and the keys of the chunks that pass them.
        """
        from .filters import condition

        table = self._table(corpus_id)
        if table is None:
            return None
        found = None if passing is None else (passing[1], condition(passing[0], self._database.columns))
        return table.nearest(self._connection, question, limit, found)

    def cosines(
        self, corpus_id: int, question: npt.NDArray[np.float32], keys: Sequence[int]
    ) -> dict[int, float] | None:
        """Cosines of these chunks by key, from the database's own index; ``None`` if the corpus has none."""
        table = self._table(corpus_id)
        return None if table is None else table.cosines(self._connection, question, keys) if keys else {}

    def _table(self, corpus_id: int) -> VectorTable | None:
        """The corpus's complete table of vectors."""
        if self._database.vectors is None:
            return None
        if self._found is None or self._found[0] != corpus_id:
            self._found = corpus_id, self._database.vectors.find(self._connection, corpus_id)
        table = self._found[1]
        return None if table is None or table.is_filling else table

    def by_text(
        self, corpus_id: int, doc_id: str, dimension: int
    ) -> dict[tuple[str, str], tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]]:
        """The vectors of windows and sentences of the document's chunks that have both, by their headings and text."""
        rows = self._connection.execute(
            select(chunk.c.headings, chunk.c.text, chunk.c.vectors, chunk.c.sentences)
            .join(document, document.c.id == chunk.c.document_id)
            .where(document.c.corpus_id == corpus_id, document.c.doc_id == doc_id)
        )
        return {
            (row.headings, row.text): (np.frombuffer(row.vectors, "<f4").reshape(-1, dimension), sentences)
            for row in rows
            if _holds_windows(row.vectors, dimension)
            and (sentences := unpack_sentences(row.sentences, dimension)) is not None
        }

    def _vectors(self, rows: Sequence[Any], dimension: int) -> DocumentVectors:
        blobs = [self._blob(row, dimension) for row in rows]
        return DocumentVectors(
            np.array([row.id for row in rows], np.int64),
            np.array([len(blob) // (4 * dimension) for blob in blobs], np.int64),
            np.frombuffer(b"".join(blobs), "<f4").reshape(-1, dimension),
        )

    def _blob(self, row: Any, dimension: int) -> bytes:
        """Raises ``StorageError`` for what is no vectors of that dimension."""
        if not _holds_windows(row.vectors, dimension):
            raise StorageError(
                f"the stored vectors of the passage {row.chunk_id!r} are damaged",
                where=self._database.where,
                hint=RESTORE,
            )
        return bytes(row.vectors)


def pack_sentences(vectors: npt.NDArray[np.float32]) -> bytes:
    """The directions of the vectors as 8-bit integers, each row scaled to its largest number. Cosines change by less
    than 0.01."""
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=np.finfo(np.float32).tiny)
    numbers: npt.NDArray[np.int8] = np.rint(vectors / largest * 127).astype(np.int8)
    return bytes([_SENTENCES_VERSION]) + numbers.tobytes()


def unpack_sentences(packed: bytes | None, dimension: int) -> npt.NDArray[np.float32] | None:
    """Unit rows, [units, dimension]; ``None`` for what another version packed, or nothing."""
    if not isinstance(packed, bytes) or not packed or packed[0] != _SENTENCES_VERSION or (len(packed) - 1) % dimension:
        return None
    numbers = np.frombuffer(packed, np.int8, offset=1).reshape(-1, dimension).astype(np.float32)
    unit: npt.NDArray[np.float32] = numbers / np.maximum(np.linalg.norm(numbers, axis=1, keepdims=True), 1)
    return unit


def _holds_windows(blob: Any, dimension: int) -> bool:
    return isinstance(blob, bytes) and len(blob) > 0 and len(blob) % (4 * dimension) == 0
