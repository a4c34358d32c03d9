"""The catalog: documents, chunks, vectors and full text in one database, changed one document at a time."""

from __future__ import annotations

import sqlite3
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakSet

from sqlalchemy import create_engine, delete, event, insert, make_url, select, update
from sqlalchemy.exc import ArgumentError

from ..errors import SettingsError, StorageError
from ..forks import OfOneProcess
from . import fulltext
from .failures import told
from .schema import SCHEMA_VERSION, UPGRADES, about, chunk, corpus, document, metadata, removed
from .snapshot import CorpusRow, Snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt
    from sqlalchemy import Connection, Engine

#: Another writer's transaction is one document long; whoever waits longer than this waits for something broken.
_BUSY_TIMEOUT_MS = 20_000


@dataclass(frozen=True)
class NewChunk:
    """A chunk on its way into the catalog."""

    chunk_id: str
    headings: str
    text: str
    metadata: dict[str, Any]
    #: The LlamaIndex node as ``TextNode.to_dict`` gives it, without text, metadata and vector.
    node: dict[str, Any]
    #: float32 [windows, dimension], unit rows.
    vectors: npt.NDArray[np.float32]


@dataclass(frozen=True)
class NewDocument:
    """A document on its way into the catalog, with its chunks in order."""

    doc_id: str
    hash: str
    text: str
    metadata: dict[str, Any] = field(default_factory=dict)
    chunks: Sequence[NewChunk] = ()


class Catalog:
    """Opened once by the host; every method is one transaction and safe to use from several threads.

    Whatever method returns is on the disk: it survives the process and the power. Raises ``StorageFull``,
    ``StorageDenied``, ``StorageBusy`` or ``StorageError``; after each of them what was stored before is still there.
    """

    #: Those that are open in this process, or were open in the one that it is a fork of.
    _open: ClassVar[WeakSet[OfOneProcess]] = WeakSet()

    def __init__(self, url: str | None, folder: Path) -> None:
        for other in list(Catalog._open):
            other.check()
        self._process = OfOneProcess()
        self.where = url or str(folder / "catalog.sqlite")
        with told(self.where):
            if url is None:
                folder.mkdir(parents=True, exist_ok=True)
            self._engine = _engine(url or f"sqlite:///{folder / 'catalog.sqlite'}")
            self._writing = self._engine.execution_options(ragstone_writes=True)
            self._create()
        Catalog._open.add(self._process)

    def close(self) -> None:
        """Let go of the database."""
        if not self._process.is_copy:  # closing a copied connection could take the other process's locks
            self._engine.dispose()
            Catalog._open.discard(self._process)

    @contextmanager
    def read(self) -> Iterator[Snapshot]:
        """Everything read within is of one moment, and as fresh as the last commit of any process."""
        self._process.check()
        with told(self.where), self._engine.connect() as connection, connection.begin():
            yield Snapshot(connection)

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        self._process.check()
        with told(self.where), self._writing.begin() as connection:
            yield connection

    def _create(self) -> None:
        with self._engine.connect() as connection:
            if connection.dialect.has_table(connection, about.name) and self._version(connection) == SCHEMA_VERSION:
                return
        with self._write() as connection:
            if connection.dialect.has_table(connection, about.name):
                self._upgrade(connection)
                return
            metadata.create_all(connection)
            connection.execute(insert(about).values(key="schema", value=str(SCHEMA_VERSION)))

    def _upgrade(self, connection: Connection) -> None:
        version = self._version(connection)
        for older in range(version, SCHEMA_VERSION):
            for statement in UPGRADES[older]:
                connection.exec_driver_sql(statement)
        if version < SCHEMA_VERSION:
            connection.execute(update(about).where(about.c.key == "schema").values(value=str(SCHEMA_VERSION)))

    def _version(self, connection: Connection) -> int:
        version = int(connection.execute(select(about.c.value).where(about.c.key == "schema")).scalar_one())
        if version > SCHEMA_VERSION:
            raise StorageError(
                f"was written by a newer Ragstone (schema {version}, this one knows {SCHEMA_VERSION})",
                where=self.where,
                hint="upgrade Ragstone, or name another data folder",
            )
        return version

    def create_corpus(self, name: str, fingerprint: dict[str, Any], *, state: str = "active") -> CorpusRow:
        """The corpus of that name and state, made if it is not there."""
        with self._write() as connection:
            there = select(corpus).where(corpus.c.name == name, corpus.c.state == state)
            row = connection.execute(there).first()
            if row is None:
                connection.execute(insert(corpus).values(name=name, state=state, fingerprint=fingerprint, seq=0))
                row = connection.execute(there).one()
                fulltext.create(connection, row.id)
            return CorpusRow.of(row)

    def set_calibration(self, corpus_id: int, calibration: dict[str, Any]) -> None:
        """Keep what the corpus was found to make of foreign questions. It is no change of the corpus."""
        with self._write() as connection:
            connection.execute(update(corpus).where(corpus.c.id == corpus_id).values(calibration=calibration))

    def drop_corpus(self, corpus_id: int) -> None:
        """Remove a corpus with everything in it."""
        with self._write() as connection:
            self._drop(connection, corpus_id)

    def _drop(self, connection: Connection, corpus_id: int) -> None:
        fulltext.drop(connection, corpus_id)
        # Children first: SQLite's cascade would look for each row's children one by one.
        for table in (chunk, document, removed):
            connection.execute(delete(table).where(table.c.corpus_id == corpus_id))
        connection.execute(delete(corpus).where(corpus.c.id == corpus_id))

    def swap_in(self, building: CorpusRow, expected: CorpusRow) -> bool:
        """Let the building corpus take the active one's place, if that still is as ``expected``.

        ``True`` as well when another process has already let it: then there is nothing left to do.
        """
        with self._write() as connection:
            states = {
                row.id: (row.state, row.seq)
                for row in connection.execute(select(corpus).where(corpus.c.name == building.name))
            }
            if states.get(building.id, ("gone", 0))[0] == "active":
                return True
            if building.id not in states or states.get(expected.id) != ("active", expected.seq):
                return False
            self._drop(connection, expected.id)
            connection.execute(update(corpus).where(corpus.c.id == building.id).values(state="active"))
            return True

    def put_document(self, corpus_id: int, new: NewDocument) -> int:
        """Store the document in place of its former self; returns the change's number.

        Raises ``StorageError`` when the corpus is gone or a chunk id is taken by another document.
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
                }
                for position, part in enumerate(new.chunks)
            ]
            keys: Sequence[int] = []
            if rows:
                inserted = insert(chunk).returning(chunk.c.id, sort_by_parameter_order=True)
                keys = connection.execute(inserted, rows).scalars().all()
            fulltext.add(
                connection,
                corpus_id,
                [(key, part.headings, part.text) for key, part in zip(keys, new.chunks, strict=True)],
            )
            return seq

    def remove_documents(self, corpus_id: int, doc_ids: Sequence[str]) -> int:
        """Remove the documents; returns how many there were. The others are untouched."""
        count = 0
        with self._write() as connection:
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
        fulltext.remove(connection, corpus_id, document_id)
        connection.execute(delete(chunk).where(chunk.c.document_id == document_id))
        connection.execute(delete(document).where(document.c.id == document_id))
        return True


def _engine(url: str) -> Engine:
    try:
        backend = make_url(url).get_backend_name()
    except ArgumentError as error:
        raise SettingsError("is not a database URL", where="database", hint="leave it unset for SQLite") from error
    if backend != "sqlite":
        raise SettingsError(
            f"the catalog cannot be kept in {backend} yet", where="database", hint="leave it unset for SQLite"
        )
    engine = create_engine(url)

    @event.listens_for(engine, "connect")
    def _connect(connection: sqlite3.Connection, _record: object) -> None:
        # Our own BEGIN below: the driver's begins late, and a reader that turns into a writer can deadlock.
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MS}")
        _write_ahead(connection)
        for pragma in (
            "synchronous = FULL",  # what was acknowledged survives a robot's power switch
            "foreign_keys = ON",
            "cache_size = -16000",
        ):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("ragstone_writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch the database to WAL. SQLite does not wait for the switch as it waits for a transaction: of two processes
    that make the same new database one would be refused at once."""
    ends = time.monotonic() + _BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > ends:
                raise
            time.sleep(0.01)
        else:
            return
