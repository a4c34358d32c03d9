"""Reads from the catalog within one transaction, a consistent snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, bindparam, func, select, type_coerce

from ..errors import StorageError
from .checksums import RESTORE, is_intact
from .chunks import ChunkReader, named
from .database import Database
from .documents import NewChunk, NewDocument
from .schema import CATALOG_ID, JSON, chunk, corpus, document, read_about, removed

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .vectors import VectorReader

# Built once, as in ``chunks``.
_CORPUS = select(corpus).where(corpus.c.name == bindparam("name"), corpus.c.state == bindparam("state"))
#: A document's own metadata, where damage is an error: it is copied or rebuilt.
_METADATA = type_coerce(document.c.metadata, JSON).label("metadata")


@dataclass(frozen=True)
class CorpusRow:
    """A row of the corpus table, its columns in their order."""

    id: int
    name: str
    state: str
    fingerprint: dict[str, Any]
    seq: int
    calibration: dict[str, Any] | None
    created_at: datetime


@dataclass(frozen=True)
class StoredDocument:
    """A document without its chunks."""

    key: int
    doc_id: str
    hash: str
    seq: int
    metadata: dict[str, Any]
    #: How many units of each kind of text its chunks have; ``None`` where an older Ragstone stored it.
    kinds: dict[str, int] | None


@dataclass(frozen=True)
class WordScores:
    """The BM25 scores that one stem contributes to the chunks of a corpus."""

    #: Keys of the chunks that contain the stem, ascending.
    keys: npt.NDArray[np.integer[Any]]
    #: Scores in the database's precision.
    scores: npt.NDArray[np.floating[Any]]

    @property
    def nbytes(self) -> int:
        return self.keys.nbytes + self.scores.nbytes


class Snapshot:
    """Reads within one transaction. Created by ``Catalog.read``."""

    def __init__(self, connection: Connection, database: Database) -> None:
        self._connection = connection
        self._database = database
        self.chunks = ChunkReader(connection, database)

    @cached_property
    def vectors(self) -> VectorReader:
        from .vectors import VectorReader

        return VectorReader(self._connection, self._database)

    def corpora(self) -> list[CorpusRow]:
        """Every corpus, ordered by name and then state, the active one first."""
        rows = self._connection.execute(select(corpus).order_by(corpus.c.name, corpus.c.state))
        return [CorpusRow(*row) for row in rows]

    def corpus(self, name: str, *, state: str = "active") -> CorpusRow | None:
        row = self._connection.execute(_CORPUS, {"name": name, "state": state}).first()
        return None if row is None else CorpusRow(*row)

    def sizes(self, corpus_id: int) -> tuple[int, int]:
        """The numbers of the corpus's documents and chunks."""
        wanted = (
            select(func.count()).select_from(each).where(each.c.corpus_id == corpus_id) for each in (document, chunk)
        )
        documents, chunks = (self._connection.execute(each).scalar_one() for each in wanted)
        return documents, chunks

    def documents(self, corpus_id: int, prefix: str = "") -> list[StoredDocument]:
        """The corpus's documents whose ids begin with the prefix, ordered by id, without their texts."""
        names = ("id", "doc_id", "hash", "seq", "metadata", "kinds")
        wanted = select(*(document.c[name] for name in names)).where(*named(corpus_id, prefix))
        return [StoredDocument(*row) for row in self._connection.execute(wanted.order_by(document.c.doc_id))]

    def document_hashes(self, corpus_id: int, prefix: str = "") -> dict[str, str]:
        """The hashes of the corpus's documents whose ids begin with the prefix, by id."""
        rows = self._connection.execute(select(document.c.doc_id, document.c.hash).where(*named(corpus_id, prefix)))
        return {row.doc_id: row.hash for row in rows}

    def document_text(self, corpus_id: int, doc_id: str) -> str | None:
        return self._connection.execute(
            select(document.c.text).where(document.c.corpus_id == corpus_id, document.c.doc_id == doc_id)
        ).scalar()

    def stored_document(self, corpus_id: int, doc_id: str, dimension: int) -> NewDocument | None:
        """The document with everything that is stored of it. Raises ``StorageError`` for a damaged chunk."""
        import numpy as np

        one = self._connection.execute(
            select(document.c.id, document.c.hash, document.c.text, _METADATA).where(
                document.c.corpus_id == corpus_id, document.c.doc_id == doc_id
            )
        ).first()
        if one is None:
            return None
        wanted = select(chunk).where(chunk.c.document_id == one.id).order_by(chunk.c.position)
        chunks = []
        for row in self._connection.execute(wanted).mappings():
            if row["checksum"] is not None and not is_intact(row):
                raise StorageError(
                    f"the passage {row['chunk_id']!r} of {doc_id!r} is damaged",
                    where=self._database.where,
                    hint=RESTORE,
                )
            vectors = np.frombuffer(row["vectors"], "<f4").reshape(-1, dimension)
            texts = (row["chunk_id"], row["headings"], row["text"], row["metadata"], row["node"])
            chunks.append(NewChunk(*texts, vectors, row["sentences"]))
        return NewDocument(doc_id, one.hash, one.text, one.metadata, chunks)

    def catalog_id(self) -> str | None:
        """The catalog's id; every catalog has another one."""
        return read_about(self._connection, CATALOG_ID)

    def changes(self, corpus_id: int, since: int) -> tuple[list[tuple[str, int, int]], list[str]]:
        """Changes after ``since``: ``(doc_id, key, seq)`` of documents that exist, in order, and ids of others."""
        now = self._connection.execute(
            select(document.c.doc_id, document.c.id, document.c.seq)
            .where(document.c.corpus_id == corpus_id, document.c.seq > since)
            .order_by(document.c.seq)
        )
        gone = self._connection.execute(
            select(removed.c.doc_id).where(removed.c.corpus_id == corpus_id, removed.c.seq > since)
        ).scalars()
        return [(row.doc_id, row.id, row.seq) for row in now], list(gone)

    def word_scores(self, corpus_id: int, words: Sequence[str]) -> dict[str, WordScores]:
        import numpy as np

        found = self._database.full_text.scores(self._connection, corpus_id, words)
        return {word: WordScores(np.array(keys, np.int64), np.array(scores)) for word, (keys, scores) in found.items()}

    def terms(self, corpus_id: int, prefix: str) -> dict[str, int]:
        """The stems of the corpus's chunks that begin with the prefix, and how many chunks contain each."""
        return self._database.full_text.terms(self._connection, corpus_id, prefix)
