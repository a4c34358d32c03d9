"""Reads vectors of documents and chunks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import select

from .schema import chunk, document

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    from sqlalchemy import Connection

_BATCH_DOCUMENTS = 500


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

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def of_document(self, document_key: int, dimension: int) -> DocumentVectors:
        """The vectors of the document's chunks, in order."""
        return self.of_documents([document_key], dimension)[document_key]

    def of_documents(self, document_keys: Sequence[int], dimension: int) -> dict[int, DocumentVectors]:
        """The vectors of many documents by key, in few queries of the database server."""
        found: dict[int, DocumentVectors] = {}
        for start in range(0, len(document_keys), _BATCH_DOCUMENTS):
            batch = document_keys[start : start + _BATCH_DOCUMENTS]
            rows = self._connection.execute(
                select(chunk.c.document_id, chunk.c.id, chunk.c.vectors)
                .where(chunk.c.document_id.in_(batch))
                .order_by(chunk.c.document_id, chunk.c.position)
            )
            found |= {key: _vectors([], dimension) for key in batch}
            found |= {
                key: _vectors(list(of_one), dimension) for key, of_one in groupby(rows, lambda row: row.document_id)
            }
        return found

    def of_chunks(self, keys: Sequence[int], dimension: int) -> dict[int, npt.NDArray[np.float32]]:
        """Vectors of single chunks, [windows, dimension], by key."""
        rows = self._connection.execute(select(chunk.c.id, chunk.c.vectors).where(chunk.c.id.in_(keys)))
        return {row.id: np.frombuffer(row.vectors, "<f4").reshape(-1, dimension) for row in rows}

    def by_text(self, corpus_id: int, doc_id: str, dimension: int) -> dict[tuple[str, str], npt.NDArray[np.float32]]:
        """The vectors of the document's chunks, float32 [windows, dimension], by their headings and text."""
        rows = self._connection.execute(
            select(chunk.c.headings, chunk.c.text, chunk.c.vectors)
            .join(document, document.c.id == chunk.c.document_id)
            .where(document.c.corpus_id == corpus_id, document.c.doc_id == doc_id)
        )
        return {(row.headings, row.text): np.frombuffer(row.vectors, "<f4").reshape(-1, dimension) for row in rows}


def _vectors(rows: Sequence[Any], dimension: int) -> DocumentVectors:
    blobs = [row.vectors for row in rows]
    return DocumentVectors(
        np.array([row.id for row in rows], np.int64),
        np.array([len(blob) // (4 * dimension) for blob in blobs], np.int64),
        np.frombuffer(b"".join(blobs), "<f4").reshape(-1, dimension),
    )
