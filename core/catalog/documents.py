"""Stores and removes documents, one transaction for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, delete, insert, select, update

from ..errors import StorageError
from .checksums import checksum
from .database import Database, translate_db_errors
from .schema import ALL_CHECKSUMS, chunk, corpus, document, read_about, removed, write_about

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


_CHECKSUM_BATCH = 500


@dataclass(frozen=True)
class NewChunk:
    """A chunk to be stored."""

    chunk_id: str
    headings: str
    text: str
    metadata: dict[str, Any]
    #: The LlamaIndex node by ``TextNode.to_dict``, without text, metadata and vector.
    node: dict[str, Any]
    #: float32 [windows, dimension], unit rows.
    vectors: npt.NDArray[np.float32]
    #: Of the units by ``analyze_chunk``, float32 [units, dimension], only their directions are stored; or as packed.
    sentences: npt.NDArray[np.float32] | bytes | None = None


@dataclass(frozen=True)
class NewDocument:
    """A document to be stored, with its chunks in order."""

    doc_id: str
    hash: str
    text: str
    metadata: dict[str, Any] = field(default_factory=dict)
    chunks: Sequence[NewChunk] = ()


class DocumentWriter:
    """Got from ``Catalog.documents``, whose promises and errors it has."""

    def __init__(self, database: Database, write: Callable[[], AbstractContextManager[Connection]]) -> None:
        """``write``: begins a transaction."""
        self._database = database
        self._write = write

    def put(self, corpus_id: int, new: NewDocument, *, seq: int | None = None) -> int:
        """Store the document in the place of its older version; returns the change number.

        ``seq``: the change number of a copied document.

        Raises ``StorageError`` if the corpus is gone or a chunk id belongs to another document.
        """
        with translate_db_errors(self._database):  # before the transaction: writers of a corpus wait for one another
            rows = [_row(corpus_id, position, part) for position, part in enumerate(new.chunks)]
        from ..text.packed_terms import count_kinds

        kinds = count_kinds(row["words"] for row in rows)
        with self._write() as connection:
            advanced = self._advance(connection, corpus_id)
            seq = advanced if seq is None else seq
            self._remove_one(connection, corpus_id, new.doc_id)
            connection.execute(delete(removed).where(removed.c.corpus_id == corpus_id, removed.c.doc_id == new.doc_id))
            known = {"doc_id": new.doc_id, "hash": new.hash, "text": new.text, "metadata": new.metadata}
            stored = insert(document).values(corpus_id=corpus_id, seq=seq, kinds=kinds, **known)
            document_id = connection.execute(stored.returning(document.c.id)).scalar_one()
            for row in rows:
                row["document_id"] = document_id
            keys: Sequence[int] = []
            if rows:
                inserted = insert(chunk).returning(chunk.c.id, sort_by_parameter_order=True)
                keys = connection.execute(inserted, rows).scalars().all()
            self._database.full_text.add(
                connection,
                corpus_id,
                [(key, part.headings, part.text) for key, part in zip(keys, new.chunks, strict=True)],
            )
            if self._database.vectors is not None:
                self._database.vectors.put(connection, corpus_id, keys, [part.vectors for part in new.chunks])
            return seq

    def add_checksums(self, corpus_id: int) -> int:
        """Compute the checksums of chunks that an older Ragstone stored without one; returns their number."""
        count = 0
        wanted = (chunk.c.corpus_id == corpus_id, chunk.c.checksum.is_(None))
        while True:
            with self._write() as connection:
                rows = connection.execute(select(chunk).where(*wanted).limit(_CHECKSUM_BATCH)).mappings().all()
                for row in rows:
                    one = update(chunk).where(chunk.c.id == row["id"])
                    connection.execute(one.values(checksum=checksum(row)))
                left = select(chunk.c.id).where(chunk.c.checksum.is_(None)).limit(1)
                if connection.execute(left).first() is None and read_about(connection, ALL_CHECKSUMS) is None:
                    write_about(connection, ALL_CHECKSUMS, "yes")
            count += len(rows)
            if len(rows) < _CHECKSUM_BATCH:
                return count

    def annotate(self, corpus_id: int, metadata_by_id: Mapping[str, dict[str, Any]]) -> None:
        """Replace the documents' own metadata, not their chunks', without a new change number.

        Documents that do not exist are ignored.
        """
        with self._write() as connection:
            for doc_id, known in metadata_by_id.items():
                one = (document.c.corpus_id == corpus_id, document.c.doc_id == doc_id)
                connection.execute(update(document).where(*one).values(metadata=known))

    def remove(self, corpus_id: int, doc_ids: Sequence[str], within: Connection | None = None) -> int:
        """Remove the documents; returns how many of them existed.

        ``within``: a transaction of ``PluginTables.write``, with which the removal is committed or undone.
        """
        count = 0
        with self._write() if within is None else nullcontext(within) as connection:
            seq = self._advance(connection, corpus_id)
            for doc_id in doc_ids:
                if self._remove_one(connection, corpus_id, doc_id):
                    count += 1
                    connection.execute(insert(removed).values(corpus_id=corpus_id, doc_id=doc_id, seq=seq))
        return count

    def _advance(self, connection: Connection, corpus_id: int) -> int:
        seq = connection.execute(
            update(corpus).where(corpus.c.id == corpus_id).values(seq=corpus.c.seq + 1).returning(corpus.c.seq)
        ).scalar()
        if seq is None:
            where = self._database.where
            raise StorageError("the corpus was replaced or removed meanwhile", where=where, hint="try again")
        return int(seq)

    def _remove_one(self, connection: Connection, corpus_id: int, doc_id: str) -> bool:
        document_id = connection.execute(
            select(document.c.id).where(document.c.corpus_id == corpus_id, document.c.doc_id == doc_id)
        ).scalar()
        if document_id is None:
            return False
        self._database.full_text.remove(connection, corpus_id, document_id)
        if self._database.vectors is not None:
            self._database.vectors.remove(connection, corpus_id, document_id)
        connection.execute(delete(chunk).where(chunk.c.document_id == document_id))
        connection.execute(delete(document).where(document.c.id == document_id))
        return True


def _row(corpus_id: int, position: int, part: NewChunk) -> dict[str, Any]:
    """The chunk's row without the key of its document."""
    from ..text.packed_terms import pack
    from ..text.stated_kinds import packed_in
    from .vectors import pack_sentences

    sentences = part.sentences
    row = {
        "corpus_id": corpus_id,
        "chunk_id": part.chunk_id,
        "position": position,
        "headings": part.headings,
        "text": part.text,
        "metadata": part.metadata,
        "node": part.node,
        "vectors": part.vectors.astype("<f4").tobytes(),
        "words": pack(part.headings, part.text, packed_in(part.metadata)),
        "sentences": sentences if isinstance(sentences, bytes | None) else pack_sentences(sentences),
    }
    return {**row, "checksum": checksum(row)}
