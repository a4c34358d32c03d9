"""The corpus ``concept_tutor``: the chunks of all plans, each stored once; the plans' tables have their ids."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from datetime import datetime
from typing import Any, TypeVar

from llama_index.core.schema import Document, TextNode
from sqlalchemy import ColumnElement, Connection, Row, inspect, select, text

from ragstone.core import BadRequest, Host, RagstoneError, StorageBusy
from ragstone.core.catalog import PluginTables, translate_damage
from ragstone.core.ingestion import OnProgress

from . import NAME, corpus_of, stored_copy, tables
from .records import NewChunk, SourceChunk

Value = TypeVar("Value")

_NAMESPACE = uuid.UUID("7e1d4b1e-5b53-53d7-8d6e-0a4d0fb8f3c1")
#: A chunk's fields that its document's metadata have under the same names.
_FIELDS = ("page_title", "section", "source", "revision", "licence", "language")
#: Chunks that are read with one statement.
_BATCH = 500
_TRIES = 5


def chunk_id_of(slug: str, chunk: NewChunk) -> str:
    """The same for the same words under the same address in the same plan, whatever the revision."""
    place = chunk.page_url or f"{chunk.page_title}\n{chunk.section}"
    return chunk.chunk_id or str(uuid.uuid5(_NAMESPACE, f"{slug}\n{place}\n{chunk.content}"))


def document_of(slug: str, chunk: NewChunk) -> Document:
    """A chunk of the plan as a document: ``plan``, ``chunk`` (its id), and what a citation shows of it."""
    chunk_id = chunk_id_of(slug, chunk)
    return Document(
        id_=chunk_id,
        text=chunk.content,
        metadata={
            "plan": slug,
            "chunk": chunk_id,
            "url": chunk.page_url or stored_copy(chunk_id),
            "retrieved": chunk.retrieved.isoformat(timespec="seconds"),
            "categories": list(chunk.categories),
            **{name: getattr(chunk, name) for name in _FIELDS},
        },
    )


class Chunks:
    """The chunks of a host's plans, with the tables that name them. Safe to use from several threads."""

    def __init__(self, host: Host) -> None:
        self._host = host
        #: Held while the tables are made, and while chunks are stored and given to their concepts.
        self._opening, self._storing = threading.Lock(), threading.Lock()
        self._tables: PluginTables | None = None

    @property
    def tables(self) -> PluginTables:
        """The plans' tables, made when they are first needed."""
        if self._tables is None:
            with self._opening:
                made = self._host.catalog.tables(
                    tables.PREFIX,
                    tables.metadata,
                    version=tables.VERSION,
                    upgrades={1: tables.upgrade_1, 2: tables.upgrade_2},
                )
                self._move(made)
                self._tables = made
        return self._tables

    @contextmanager
    def write(
        self, slug: str, chunks: Iterable[NewChunk] = (), on_progress: OnProgress | None = None
    ) -> Iterator[Connection]:
        """A transaction on the tables: these chunks are in the corpus, and no other transaction removes any.

        What is new is embedded before, and removed if the transaction fails. Raises ``BadRequest`` for a chunk of
        another plan, or without words.
        """
        documents = {document.doc_id: document for document in (document_of(slug, chunk) for chunk in chunks)}
        if not all(document.text.strip() for document in documents.values()):
            raise BadRequest("a passage is empty")
        with self._storing if documents else nullcontext():
            self._check_plan(slug, documents)
            for _ in range(_TRIES):
                try:
                    if documents:
                        corpus_of(self._host).ingest(documents.values(), on_progress=on_progress)
                    with self.tables.write() as connection:
                        tables.lock_uses(connection)
                        if self._keys(connection, documents).keys() == documents.keys():
                            yield connection
                            return
                except Exception:
                    with suppress(RagstoneError):
                        self.remove_unused(documents)
                    raise
        raise StorageBusy("another process removes these passages", hint="try again in a moment")

    def select(self, connection: Connection, where: ColumnElement[bool]) -> list[SourceChunk]:
        """The chunks of concepts, by the concepts' positions and then by rank."""
        uses = [use for use in connection.execute(tables.select_uses(where)) if tables.is_visible(use)]
        nodes = self._nodes(connection, {use.chunk_id for use in uses})
        return [_source(use, nodes[use.chunk_id]) for use in uses if use.chunk_id in nodes]

    def remove(self, connection: Connection, chunk_ids: Collection[str]) -> None:
        """Remove those of the chunks that no concept uses, with a transaction of ``write``."""
        corpus, unused = self.tables.snapshot(connection).corpus(NAME), _unused(connection, chunk_ids)
        if corpus is not None and unused:
            self._host.catalog.documents.remove(corpus.id, unused, within=connection)

    def remove_unused(self, chunk_ids: Collection[str] | None = None) -> None:
        """Remove those of these chunks, or of all, that no concept uses: their process was killed before."""
        if chunk_ids is None:
            chunk_ids = [row.doc_id for row in corpus_of(self._host).contents.documents()]
        with self.tables.read() as connection:
            unused = _unused(connection, chunk_ids)
        if unused:
            with self.tables.write() as connection:
                tables.lock_uses(connection)
                self.remove(connection, unused)

    def _keys(self, connection: Connection, chunk_ids: Collection[str]) -> dict[str, int]:
        snapshot, found = self.tables.snapshot(connection), dict[str, int]()
        if (corpus := snapshot.corpus(NAME)) is not None:
            for batch in _batches(chunk_ids):
                found |= snapshot.chunks.keys_of(corpus.id, batch)
        return found

    def _nodes(self, connection: Connection, chunk_ids: Collection[str]) -> dict[str, TextNode]:
        keys, nodes = self._keys(connection, chunk_ids), dict[int, "TextNode"]()
        for batch in _batches(keys.values()):
            nodes |= self.tables.snapshot(connection).chunks.nodes(batch)
        return {chunk_id: nodes[key] for chunk_id, key in keys.items() if key in nodes}

    def _check_plan(self, slug: str, chunk_ids: Collection[str]) -> None:
        with self.tables.read() as connection:
            for chunk_id, node in self._nodes(connection, chunk_ids).items():
                if node.metadata["plan"] != slug:
                    raise BadRequest(
                        f"the passage {chunk_id[:80]!r} belongs to another plan", hint="give it another id"
                    )

    def _move(self, plan_tables: PluginTables) -> None:
        """Put the chunks of the tables' version 1 into the corpus, where most of them are already, with vectors."""
        with plan_tables.read() as connection:
            if not inspect(connection).has_table(tables.CHUNKS_1):
                return
            columns = f"{tables.CHUNKS_1} c JOIN concept_tutor_plan p ON p.id = c.plan_id"
            rows = connection.execute(text(f"SELECT p.slug, c.* FROM {columns}")).all()  # noqa: S608 - constants
        if rows:
            corpus_of(self._host).ingest([_document_1(row) for row in rows])
        with plan_tables.write() as connection:
            connection.execute(text(f"DROP TABLE IF EXISTS {tables.CHUNKS_1}"))


def _unused(connection: Connection, chunk_ids: Iterable[str]) -> list[str]:
    return sorted(set(chunk_ids) - set(connection.execute(select(tables.use.c.chunk_id)).scalars()))


def _batches(values: Iterable[Value]) -> Iterator[list[Value]]:
    listed = list(values)
    return (listed[start : start + _BATCH] for start in range(0, len(listed), _BATCH))


def _source(use: Row[Any], node: TextNode) -> SourceChunk:
    known = node.metadata
    with translate_damage(f"the source {use.chunk_id!r} of the plan {use.slug!r}"):
        return SourceChunk(
            plan=use.slug,
            concept=use.key,
            chunk_id=use.chunk_id,
            rank=use.rank,
            relevance=use.relevance,
            content=node.text,
            page_url=known["url"],
            retrieved=datetime.fromisoformat(known["retrieved"]),
            # What an older Ragstone stored has none.
            categories=tuple(known.get("categories") or ()),
            **{name: known[name] for name in _FIELDS},
        )


def _document_1(row: Row[Any]) -> Document:
    same = {name: getattr(row, name) for name in ("chunk_id", "content", "page_url", *_FIELDS)}
    return document_of(row.slug, NewChunk(retrieved=datetime.fromisoformat(row.retrieved), relevance=0.0, **same))
