"""The catalog: documents, chunks, vectors and full text in one database, one transaction for each document."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakSet

from sqlalchemy import delete, insert, select, update

from ..errors import StorageError
from ..runtime.forks import ProcessGuard
from ..text.packed_terms import pack
from ..text.stated_kinds import packed_in
from .checksums import checksum
from .creation import ALL_CHECKSUMS, create_or_upgrade
from .database import SCHEMA
from .database_url import database_from_url
from .errors import translate_db_errors
from .plugin_tables import PluginTables
from .schema import about, chunk, corpus, document, removed
from .snapshot import CorpusRow, Snapshot
from .vectors import pack_sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt
    from sqlalchemy import Connection, MetaData


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
    #: Of the units by ``analyze_chunk``, float32 [units, dimension]; only their directions are stored.
    sentences: npt.NDArray[np.float32] | None = None


@dataclass(frozen=True)
class NewDocument:
    """A document to be stored, with its chunks in order."""

    doc_id: str
    hash: str
    text: str
    metadata: dict[str, Any] = field(default_factory=dict)
    chunks: Sequence[NewChunk] = ()


class Catalog:
    """The database; the host opens it once. Every method is one transaction and safe to use from several threads.

    When a method returns, its changes are on the disk and survive a loss of power. Raises ``StorageFull``,
    ``StorageDenied``, ``StorageBusy`` or ``StorageError``; after an error all that was stored before is still there.
    """

    #: The catalogs that are open in this process, or were open in the process that it is a fork of.
    _open: ClassVar[WeakSet[ProcessGuard]] = WeakSet()

    def __init__(self, url: str | None, folder: Path, *, schema: str = SCHEMA, is_cache: bool = False) -> None:
        """``url``: see ``Settings.database``. ``schema``: the catalog's own schema in PostgreSQL.

        ``is_cache``: whether it may be removed at any time and is then created again. Otherwise a marker in the data
        folder records its id, and a missing catalog raises ``StorageLost``.
        """
        for other in list(Catalog._open):
            other.check()
        self._process = ProcessGuard()
        self._database = database_from_url(url, folder, schema)
        if is_cache:
            self._database.marker = None
        self.where = self._database.where
        with translate_db_errors(self._database):
            self._engine = self._database.engine()
            self._read_engine = self._database.read_engine(self._engine)
            self._write_engine = self._database.write_engine(self._engine)
            try:
                create_or_upgrade(self._database, self._read_engine, self._write_engine)
            except BaseException:
                self._engine.dispose()
                raise
        Catalog._open.add(self._process)

    def close(self) -> None:
        if not self._process.is_fork:  # closing a copied connection could release the other process's locks
            self._engine.dispose()
            Catalog._open.discard(self._process)

    @contextmanager
    def read(self) -> Iterator[Snapshot]:
        """A consistent snapshot, as of the last commit of any process."""
        self._process.check()
        with translate_db_errors(self._database), self._read_engine.connect() as connection, connection.begin():
            yield Snapshot(connection, self._database)

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        self._process.check()
        with translate_db_errors(self._database), self._write_engine.begin() as connection:
            yield connection

    def probe(self) -> None:
        """Read a few rows by a new connection, without the pages that open connections have cached.

        Raises ``StorageError`` if the file was overwritten, replaced or removed since it was opened.
        """
        self._process.check()
        self._database.probe()

    def fault(self, seconds: float) -> str | None:
        """The result of the database's own integrity check; ``None`` if it is in order.

        A database so large that this may take longer than ``seconds`` is not checked.
        """
        self._process.check()
        with translate_db_errors(self._database), self._read_engine.connect() as connection, connection.begin():
            return self._database.fault(connection, seconds)

    def tables(
        self,
        prefix: str,
        metadata: MetaData,
        *,
        version: int = 1,
        upgrades: Mapping[int, Callable[[Connection], None]] | None = None,
    ) -> PluginTables:
        """A plugin's own tables in this database, created on first use.

        ``prefix``: the plugin's name, with a further word for a part of it; the name of every table of ``metadata``
        begins with it and an underscore. Increase ``version`` whenever the tables change, and give a function that
        upgrades each older version to the next: ``upgrades[1]`` gets the connection of a transaction that is rolled
        back if it raises. Raises ``PluginError`` for other names, ``StorageError`` if a newer version wrote the tables.
        """
        tables = PluginTables(self._process, self._database, self._read_engine, self._write_engine)
        return tables.make(prefix, metadata, version, upgrades or {})

    def create_corpus(self, name: str, fingerprint: dict[str, Any], *, state: str = "active") -> CorpusRow:
        """The corpus of that name and state, created if it does not exist."""
        with self._write() as connection:
            self._database.lock_catalog(connection)
            wanted = select(corpus).where(corpus.c.name == name, corpus.c.state == state)
            row = connection.execute(wanted).first()
            if row is None:
                connection.execute(insert(corpus).values(name=name, state=state, fingerprint=fingerprint, seq=0))
                row = connection.execute(wanted).one()
                self._database.full_text.create(connection, row.id)
            return CorpusRow.of(row)

    def set_calibration(self, corpus_id: int, calibration: dict[str, Any]) -> None:
        """Store the corpus's calibration, without a new change number."""
        with self._write() as connection:
            connection.execute(update(corpus).where(corpus.c.id == corpus_id).values(calibration=calibration))

    def drop_corpus(self, corpus_id: int) -> None:
        """Remove a corpus with everything in it."""
        with self._write() as connection:
            # A concurrent writer ends first or finds the corpus gone: nothing is stored into a half removed corpus.
            connection.execute(select(corpus.c.id).where(corpus.c.id == corpus_id).with_for_update())
            self._drop(connection, corpus_id)

    def _drop(self, connection: Connection, corpus_id: int) -> None:
        self._database.full_text.drop(connection, corpus_id)
        # Children first: SQLite's cascade would search each row's children one by one.
        for table in (chunk, document, removed):
            connection.execute(delete(table).where(table.c.corpus_id == corpus_id))
        connection.execute(delete(corpus).where(corpus.c.id == corpus_id))

    def swap_in(self, building: CorpusRow, expected: CorpusRow) -> bool:
        """Replace the active corpus by the building one if the active one is still as ``expected``; returns success.

        ``True`` also if another process has already done it.
        """
        with self._write() as connection:
            self._database.lock_catalog(connection)
            both = select(corpus).where(corpus.c.name == building.name).order_by(corpus.c.id).with_for_update()
            states = {row.id: (row.state, row.seq) for row in connection.execute(both)}
            if states.get(building.id, ("gone", 0))[0] == "active":
                return True
            if building.id not in states or states.get(expected.id) != ("active", expected.seq):
                return False
            self._drop(connection, expected.id)
            connection.execute(update(corpus).where(corpus.c.id == building.id).values(state="active"))
            return True

    def put_document(self, corpus_id: int, new: NewDocument) -> int:
        """Store the document in the place of its older version; returns the change number.

        Raises ``StorageError`` if the corpus is gone or a chunk id belongs to another document.
        """
        with self._write() as connection:
            seq = self._advance(connection, corpus_id)
            self._remove(connection, corpus_id, new.doc_id)
            connection.execute(delete(removed).where(removed.c.corpus_id == corpus_id, removed.c.doc_id == new.doc_id))
            document_id = connection.execute(
                insert(document)
                .values(
                    corpus_id=corpus_id,
                    doc_id=new.doc_id,
                    hash=new.hash,
                    seq=seq,
                    text=new.text,
                    metadata=new.metadata,
                )
                .returning(document.c.id)
            ).scalar_one()
            rows = [
                {
                    "corpus_id": corpus_id,
                    "document_id": document_id,
                    "chunk_id": part.chunk_id,
                    "position": position,
                    "headings": part.headings,
                    "text": part.text,
                    "metadata": part.metadata,
                    "node": part.node,
                    "vectors": part.vectors.astype("<f4").tobytes(),
                    "words": pack(part.headings, part.text, packed_in(part.metadata)),
                    "sentences": None if part.sentences is None else pack_sentences(part.sentences),
                }
                for position, part in enumerate(new.chunks)
            ]
            for row in rows:
                row["checksum"] = checksum(row)
            keys: Sequence[int] = []
            if rows:
                inserted = insert(chunk).returning(chunk.c.id, sort_by_parameter_order=True)
                keys = connection.execute(inserted, rows).scalars().all()
            self._database.full_text.add(
                connection,
                corpus_id,
                [(key, part.headings, part.text) for key, part in zip(keys, new.chunks, strict=True)],
            )
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
                is_last = (
                    connection.execute(select(chunk.c.id).where(chunk.c.checksum.is_(None)).limit(1)).first() is None
                )
                if is_last and connection.execute(select(about).where(about.c.key == ALL_CHECKSUMS)).first() is None:
                    connection.execute(insert(about).values(key=ALL_CHECKSUMS, value="yes"))
            count += len(rows)
            if len(rows) < _CHECKSUM_BATCH:
                return count

    def annotate_documents(self, corpus_id: int, metadata_by_id: Mapping[str, dict[str, Any]]) -> None:
        """Replace the documents' own metadata, not their chunks', without a new change number.

        Documents that do not exist are ignored.
        """
        with self._write() as connection:
            for doc_id, known in metadata_by_id.items():
                one = (document.c.corpus_id == corpus_id, document.c.doc_id == doc_id)
                connection.execute(update(document).where(*one).values(metadata=known))

    def remove_documents(self, corpus_id: int, doc_ids: Sequence[str], within: Connection | None = None) -> int:
        """Remove the documents; returns how many of them existed.

        ``within``: a transaction of ``PluginTables.write``, with which the removal is committed or undone.
        """
        count = 0
        with self._write() if within is None else nullcontext(within) as connection:
            seq = self._advance(connection, corpus_id)
            for doc_id in doc_ids:
                if self._remove(connection, corpus_id, doc_id):
                    count += 1
                    connection.execute(insert(removed).values(corpus_id=corpus_id, doc_id=doc_id, seq=seq))
        return count

    def _advance(self, connection: Connection, corpus_id: int) -> int:
        seq = connection.execute(
            update(corpus).where(corpus.c.id == corpus_id).values(seq=corpus.c.seq + 1).returning(corpus.c.seq)
        ).scalar()
        if seq is None:
            raise StorageError("the corpus was replaced or removed meanwhile", where=self.where, hint="try again")
        return int(seq)

    def _remove(self, connection: Connection, corpus_id: int, doc_id: str) -> bool:
        document_id = connection.execute(
            select(document.c.id).where(document.c.corpus_id == corpus_id, document.c.doc_id == doc_id)
        ).scalar()
        if document_id is None:
            return False
        self._database.full_text.remove(connection, corpus_id, document_id)
        connection.execute(delete(chunk).where(chunk.c.document_id == document_id))
        connection.execute(delete(document).where(document.c.id == document_id))
        return True
