"""Reads chunks: as they are stored, as nodes, and what they are found by."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, bindparam, func, select

from ..errors import StorageError
from ..text.sanitizing import strip_hidden
from .checksums import ChunkCheck, DamagedChunk, is_intact, is_object, is_text_intact
from .fts5 import after
from .schema import ALL_CHECKSUMS, chunk, document, read_about

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from llama_index.core.schema import TextNode
    from llama_index.core.vector_stores.types import MetadataFilters

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
_CHECKED = (document.c.doc_id, chunk.c.chunk_id, chunk.c.headings, chunk.c.text, chunk.c.metadata, chunk.c.node)
_NODES = select(*_NODE).where(_KEYS)
_STORED = select(*_NODE, chunk.c.words, chunk.c.sentences).where(_KEYS)
_WORDS = select(chunk.c.id, chunk.c.words).where(_KEYS)
_TEXTS = select(chunk.c.id, chunk.c.text).where(_KEYS)


@dataclass(frozen=True)
class StoredChunk:
    """A chunk with what an answer is made of."""

    node: TextNode
    #: ``None`` in rows of an older Ragstone.
    terms: ChunkTerms | None
    #: The vectors of its units, unit rows, [units, dimension]; ``None`` in rows of an older Ragstone.
    sentences: npt.NDArray[np.float32] | None


#: Tuples of metadata values, each with its count.
Facets = list[tuple[tuple[Any, ...], int]]


def named(corpus_id: int, prefix: str) -> list[Any]:
    """The conditions of the corpus's documents whose ids begin with the prefix."""
    within = [document.c.doc_id >= prefix, document.c.doc_id < after(prefix)] if prefix else []
    return [document.c.corpus_id == corpus_id, *within]


class ChunkReader:
    """Reads chunks within one transaction. Got from ``Snapshot.chunks``."""

    def __init__(self, connection: Connection, database: Database) -> None:
        self._connection = connection
        self._database = database

    def has_any(self, corpus_id: int, prefix: str) -> bool:
        """Whether a document whose id begins with the prefix has a chunk."""
        keys = select(document.c.id).where(*named(corpus_id, prefix))
        wanted = select(chunk.c.id).where(chunk.c.document_id.in_(keys)).limit(1)
        return self._connection.execute(wanted).first() is not None

    def keys(self, corpus_id: int, filters: MetadataFilters) -> npt.NDArray[np.int64]:
        """Keys of the chunks that pass the filters, ascending."""
        import numpy as np

        from .filters import condition

        passing = condition(filters, self._database.columns)
        rows = self._connection.execute(select(chunk.c.id).where(chunk.c.corpus_id == corpus_id, passing))
        return np.array(sorted(rows.scalars()), np.int64)

    def values(self, corpus_id: int, filters: MetadataFilters, keys: Sequence[str]) -> list[tuple[Any, ...]]:
        """Chunk id, document id, and as text the values of these metadata keys, of the chunks that pass the filters; by
        document, in their order."""
        from .filters import condition

        wanted = (
            select(chunk.c.chunk_id, document.c.doc_id, *(self._database.columns.text(key) for key in keys))
            .join(document, document.c.id == chunk.c.document_id)
            .where(chunk.c.corpus_id == corpus_id, condition(filters, self._database.columns))
            .order_by(document.c.doc_id, chunk.c.position)
        )
        return [tuple(row) for row in self._connection.execute(wanted)]

    def facets(self, corpus_id: int, keys: Sequence[str]) -> Facets:
        """The numbers of chunks by their values of these metadata keys."""
        # Labelled, not repeated: to PostgreSQL the same expression with other parameters is another expression.
        columns = [self._database.columns.text(key).label(f"facet_{number}") for number, key in enumerate(keys)]
        values = select(*columns).where(chunk.c.corpus_id == corpus_id).subquery()
        rows = self._connection.execute(select(*values.c, func.count()).group_by(*values.c))
        return [(tuple(row[:-1]), int(row[-1])) for row in rows]

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

    def stored(self, keys: Iterable[int], dimension: int) -> dict[int, StoredChunk]:
        """Chunks by key; keys that are gone are left out."""
        from ..text.packed_terms import unpack
        from .vectors import unpack_sentences

        rows = self._connection.execute(_STORED, {"keys": list(keys)}).all()
        return {
            row[0]: StoredChunk(self._node(row), unpack(words), unpack_sentences(sentences, dimension))
            for row in rows
            for words, sentences in [row[-2:]]
        }

    def texts(self, keys: Sequence[int]) -> dict[int, str]:
        """The chunks' texts, unchecked, by key in the given order; keys that are gone or have no text are left out."""
        rows = self._connection.execute(_TEXTS, {"keys": list(keys)})
        found = {row.id: row.text for row in rows if isinstance(row.text, str)}
        return {key: found[key] for key in keys if key in found}

    def packed_words(self, keys: Sequence[int]) -> dict[int, bytes]:
        """The chunks' words by key as ``packed_terms.pack`` packs them; keys that are gone are left out."""
        from ..text.packed_terms import is_packed, pack
        from ..text.stated_kinds import packed_in

        rows = self._connection.execute(_WORDS, {"keys": list(keys)}).all()
        found = {row.id: row.words for row in rows}
        older = [key for key, words in found.items() if not is_packed(words)]
        if older:
            texts = select(chunk.c.id, chunk.c.headings, chunk.c.text, chunk.c.metadata).where(chunk.c.id.in_(older))
            found |= {
                row.id: pack(row.headings, row.text, packed_in(row.metadata)) for row in self._connection.execute(texts)
            }
        return found

    def of_document(self, document_key: int) -> Iterator[TextNode]:
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

    def check(self, corpus_id: int, seconds: float | None = None) -> ChunkCheck:
        """Compare the corpus's chunks with their checksums, for at most ``seconds``, by default all of them; and find
        documents whose metadata is no JSON object."""
        found = ChunkCheck()
        ends = None if seconds is None else time.monotonic() + seconds
        has_all_checksums = read_about(self._connection, ALL_CHECKSUMS) is not None
        raw = [self._database.columns.raw(column).label(column.name) for column in _CHECKED]
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
                elif not is_intact(row):
                    found.damaged.append(DamagedChunk(_display(row["doc_id"]), _display(row["chunk_id"])))
        own = [self._database.columns.raw(document.c[name]) for name in ("doc_id", "metadata", "kinds")]
        statement = select(*own).where(document.c.corpus_id == corpus_id)
        if found.complete:
            with self._connection.execute(statement, execution_options={"yield_per": _CHECK_BATCH}) as rows:
                for doc_id, known, kinds in map(tuple, rows):
                    if not (is_object(known) and (kinds is None or is_object(kinds))):
                        found.damaged.append(DamagedChunk(_display(doc_id)))
        return found


def _display(name: Any) -> str:
    text = name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)
    return strip_hidden(text)
