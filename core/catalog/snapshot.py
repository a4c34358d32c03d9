"""Reads from the catalog within one transaction, a consistent snapshot."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import bindparam, func, select

from ..errors import StorageError
from ..text.packed_terms import is_packed, pack, unpack
from ..text.sanitizing import strip_hidden
from ..text.stated_kinds import packed_in
from .checksums import ChunkCheck, DamagedChunk, checksum, is_text_intact
from .schema import about, chunk, corpus, document, removed
from .vectors import VectorReader, unpack_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    import numpy.typing as npt
    from llama_index.core.schema import TextNode
    from llama_index.core.vector_stores.types import MetadataFilters
    from sqlalchemy import Connection, Row

    from ..text.chunk_terms import ChunkTerms
    from .database import Database


#: The columns that a node is made from, with the checksum of its text.
_NODE: tuple[Any, ...] = (
    chunk.c.id,
    chunk.c.text,
    chunk.c.metadata,
    chunk.c.node,
    chunk.c.headings,
    chunk.c.checksum,
    chunk.c.chunk_id,
)
_CHECK_BATCH = 200

# Statements for every question are built once: SQLAlchemy takes as long to build one as SQLite to execute it.
_KEYS = chunk.c.id.in_(bindparam("keys", expanding=True))
_HAS_ALL_CHECKSUMS = select(about.c.key).where(about.c.key == "sealed")
_CHECKED = (document.c.doc_id, chunk.c.chunk_id, chunk.c.headings, chunk.c.text, chunk.c.metadata, chunk.c.node)
_CORPUS = select(corpus).where(corpus.c.name == bindparam("name"), corpus.c.state == bindparam("state"))
_NODES = select(*_NODE).where(_KEYS)
_CHUNKS = select(*_NODE, chunk.c.words, chunk.c.sentences).where(_KEYS)
_WORDS = select(chunk.c.id, chunk.c.words).where(_KEYS)
_TEXTS = select(chunk.c.id, chunk.c.text).where(_KEYS)


@dataclass(frozen=True)
class CorpusRow:
    """A row of the corpus table."""

    id: int
    name: str
    state: str
    fingerprint: dict[str, Any]
    seq: int
    created_at: datetime
    calibration: dict[str, Any] | None = None

    @classmethod
    def of(cls, row: Row[Any]) -> CorpusRow:
        return cls(row.id, row.name, row.state, row.fingerprint, row.seq, row.created_at, row.calibration)


@dataclass(frozen=True)
class StoredDocument:
    """A document without its chunks."""

    key: int
    doc_id: str
    hash: str
    seq: int
    metadata: dict[str, Any]


@dataclass(frozen=True)
class StoredChunk:
    """A chunk with what an answer is made of."""

    node: TextNode
    #: ``None`` in rows of an older Ragstone.
    terms: ChunkTerms | None
    #: The vectors of its units, unit rows, [units, dimension]; ``None`` in rows of an older Ragstone.
    sentences: npt.NDArray[np.float32] | None


@dataclass(frozen=True)
class WordScores:
    """The BM25 scores that one stem contributes to the chunks of a corpus."""

    #: Keys of the chunks that contain the stem, ascending.
    keys: npt.NDArray[np.integer[Any]]
    #: Scores in the database's precision.
    scores: npt.NDArray[np.floating[Any]]

    @property
    def nbytes(self) -> int:
        """Bytes of both arrays."""
        return self.keys.nbytes + self.scores.nbytes


#: Tuples of metadata values, each with its count.
Facets = list[tuple[tuple[Any, ...], int]]


class Snapshot:
    """Reads within one transaction. Created by ``Catalog.read``."""

    def __init__(self, connection: Connection, database: Database) -> None:
        self._connection = connection
        self._database = database
        self.vectors = VectorReader(connection)

    def corpora(self) -> list[CorpusRow]:
        """Every corpus, ordered by name and then state, the active one first."""
        rows = self._connection.execute(select(corpus).order_by(corpus.c.name, corpus.c.state))
        return [CorpusRow.of(row) for row in rows]

    def corpus(self, name: str, *, state: str = "active") -> CorpusRow | None:
        row = self._connection.execute(_CORPUS, {"name": name, "state": state}).first()
        return None if row is None else CorpusRow.of(row)

    def sizes(self, corpus_id: int) -> tuple[int, int]:
        """The numbers of the corpus's documents and chunks."""
        return tuple(  # type: ignore[return-value]
            self._connection.execute(
                select(func.count()).select_from(table).where(table.c.corpus_id == corpus_id)
            ).scalar_one()
            for table in (document, chunk)
        )

    def documents(self, corpus_id: int) -> list[StoredDocument]:
        """The corpus's documents ordered by id, without their texts."""
        columns = (document.c.id, document.c.doc_id, document.c.hash, document.c.seq, document.c.metadata)
        rows = self._connection.execute(
            select(*columns).where(document.c.corpus_id == corpus_id).order_by(document.c.doc_id)
        )
        return [StoredDocument(row.id, row.doc_id, row.hash, row.seq, row.metadata) for row in rows]

    def document_text(self, corpus_id: int, doc_id: str) -> str | None:
        """The document's original text."""
        return self._connection.execute(
            select(document.c.text).where(document.c.corpus_id == corpus_id, document.c.doc_id == doc_id)
        ).scalar()

    def changes(self, corpus_id: int, since: int) -> tuple[list[tuple[str, int]], list[str]]:
        """Changes after ``since``: ``(doc_id, key)`` of documents that exist, and ids of removed ones."""
        now = self._connection.execute(
            select(document.c.doc_id, document.c.id)
            .where(document.c.corpus_id == corpus_id, document.c.seq > since)
            .order_by(document.c.seq)
        )
        gone = self._connection.execute(
            select(removed.c.doc_id).where(removed.c.corpus_id == corpus_id, removed.c.seq > since)
        ).scalars()
        return [(row.doc_id, row.id) for row in now], list(gone)

    def chunk_keys(self, corpus_id: int, filters: MetadataFilters) -> npt.NDArray[np.int64]:
        """Keys of the chunks that pass the filters, ascending."""
        from .filters import condition

        passing = condition(filters, self._database)
        rows = self._connection.execute(select(chunk.c.id).where(chunk.c.corpus_id == corpus_id, passing))
        return np.array(sorted(rows.scalars()), np.int64)

    def facets(self, corpus_id: int, keys: Sequence[str]) -> Facets:
        """The numbers of chunks by their values of these metadata keys."""
        # Labelled, not repeated: to PostgreSQL the same expression with other parameters is another expression.
        columns = [self._database.text(key).label(f"facet_{number}") for number, key in enumerate(keys)]
        values = select(*columns).where(chunk.c.corpus_id == corpus_id).subquery()
        rows = self._connection.execute(select(*values.c, func.count()).group_by(*values.c))
        return [(tuple(row[:-1]), int(row[-1])) for row in rows]

    def key_of(self, corpus_id: int, chunk_id: str) -> int | None:
        """The key of the chunk with that id."""
        return self._connection.execute(
            select(chunk.c.id).where(chunk.c.corpus_id == corpus_id, chunk.c.chunk_id == chunk_id)
        ).scalar()

    def keys_of(self, corpus_id: int, chunk_ids: Sequence[str]) -> dict[str, int]:
        """Keys by chunk id; unknown ids are left out."""
        rows = self._connection.execute(
            select(chunk.c.chunk_id, chunk.c.id).where(chunk.c.corpus_id == corpus_id, chunk.c.chunk_id.in_(chunk_ids))
        )
        return {row.chunk_id: row.id for row in rows}

    def nodes(self, keys: Iterable[int]) -> dict[int, TextNode]:
        """LlamaIndex nodes by key; keys that are gone are left out."""
        rows = self._connection.execute(_NODES, {"keys": list(keys)}).all()
        return {row[0]: self._node(row) for row in rows}

    def chunks(self, keys: Iterable[int], dimension: int) -> dict[int, StoredChunk]:
        """Chunks by key; keys that are gone are left out."""
        rows = self._connection.execute(_CHUNKS, {"keys": list(keys)}).all()
        return {
            row[0]: StoredChunk(self._node(row), unpack(words), unpack_sentences(sentences, dimension))
            for row in rows
            for words, sentences in [row[-2:]]
        }

    def texts(self, keys: Sequence[int]) -> dict[int, str]:
        """The chunks' texts, unchecked, by key in the given order; keys that are gone are left out."""
        found = {row.id: row.text for row in self._connection.execute(_TEXTS, {"keys": list(keys)})}
        return {key: found[key] for key in keys if key in found}

    def packed_words(self, keys: Sequence[int]) -> dict[int, bytes]:
        """The chunks' words by key as ``packed_terms.pack`` packs them; keys that are gone are left out."""
        rows = self._connection.execute(_WORDS, {"keys": list(keys)}).all()
        found = {row.id: row.words for row in rows}
        older = [key for key, words in found.items() if not is_packed(words)]
        if older:
            texts = select(chunk.c.id, chunk.c.headings, chunk.c.text, chunk.c.metadata).where(chunk.c.id.in_(older))
            found |= {
                row.id: pack(row.headings, row.text, packed_in(row.metadata)) for row in self._connection.execute(texts)
            }
        return found

    def document_nodes(self, document_key: int) -> Iterator[TextNode]:
        """The document's nodes in order."""
        rows = self._connection.execute(
            select(*_NODE).where(chunk.c.document_id == document_key).order_by(chunk.c.position)
        )
        return (self._node(row) for row in rows)

    def _node(self, row: Sequence[Any]) -> TextNode:
        """Raises ``StorageError`` for a text that does not match its checksum."""
        _, text, metadata, node, headings, stored, chunk_id = row[: len(_NODE)]  # unpacked: faster than access by name
        if not is_text_intact(stored, headings, text):
            raise StorageError(
                f"the stored text of the passage {chunk_id!r} is damaged",
                where=self._database.where,
                hint="restore the catalog from a backup, or remove its document and add it again",
            )
        from llama_index.core.schema import TextNode

        return TextNode.from_dict({**node, "metadata": metadata, "text": text})

    def check_chunks(self, corpus_id: int, seconds: float | None = None) -> ChunkCheck:
        """Compare the corpus's chunks with their checksums, for at most ``seconds``; by default all of them."""
        found = ChunkCheck()
        ends = None if seconds is None else time.monotonic() + seconds
        has_all_checksums = self._connection.execute(_HAS_ALL_CHECKSUMS).first() is not None
        raw = [self._database.raw(column).label(column.name) for column in _CHECKED]
        statement = (
            select(*raw, chunk.c.position, chunk.c.vectors, chunk.c.words, chunk.c.sentences, chunk.c.checksum)
            .select_from(chunk)
            .outerjoin(document, document.c.id == chunk.c.document_id)
            .where(chunk.c.corpus_id == corpus_id)
        )
        with self._connection.execute(statement, execution_options={"yield_per": _CHECK_BATCH}) as rows:
            for row in rows.mappings():
                if ends is not None and time.monotonic() > ends:
                    found.complete = False
                    break
                found.checked += 1
                if row["checksum"] is None and not has_all_checksums:
                    found.unsealed += 1
                elif not _is_intact(row):
                    found.damaged.append(DamagedChunk(_display(row["doc_id"]), _display(row["chunk_id"])))
        return found

    def word_scores(self, corpus_id: int, words: Sequence[str]) -> dict[str, WordScores]:
        found = self._database.full_text.scores(self._connection, corpus_id, words)
        return {word: WordScores(np.array(keys, np.int64), np.array(scores)) for word, (keys, scores) in found.items()}

    def terms(self, corpus_id: int, prefix: str) -> dict[str, int]:
        """The stems of the corpus's chunks that begin with the prefix, and how many chunks contain each."""
        return self._database.full_text.terms(self._connection, corpus_id, prefix)


def _is_intact(row: Mapping[Any, Any]) -> bool:
    """Whether the row matches its checksum."""
    try:
        return bool(checksum(row) == row["checksum"])
    except (ValueError, TypeError, RecursionError):
        return False


def _display(name: Any) -> str:
    text = name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)
    return strip_hidden(text)
