"""The catalog: documents, chunks, vectors and full text in one database, one transaction for each document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakSet

from sqlalchemy import Connection, MetaData, delete, insert, make_url, select, update
from sqlalchemy.exc import ArgumentError

from ..errors import SettingsError
from ..runtime.forks import ProcessGuard
from .creation import create_or_upgrade
from .database import SCHEMA, Database, translate_db_errors
from .documents import DocumentWriter
from .plugin_tables import PluginTables
from .schema import chunk, corpus, document, removed
from .shared import Shared
from .snapshot import CorpusRow, Snapshot
from .sqlite import SQLite

if TYPE_CHECKING:
    from .vector_filling import VectorFilling


class Catalog:
    """The database; the host opens it once. Every method is one transaction and safe to use from several threads.

    When a method returns, its changes are on the disk and survive a loss of power. Raises ``StorageFull``,
    ``StorageDenied``, ``StorageBusy`` or ``StorageError``; after an error all that was stored before is still there.
    """

    #: The catalogs that are open in this process, or were open in the process that it is a fork of.
    _open: ClassVar[WeakSet[ProcessGuard]] = WeakSet()

    def __init__(
        self, url: str | None, folder: Path, *, schema: str = SCHEMA, is_cache: bool = False, pgvector: bool = False
    ) -> None:
        """``url``: see ``Settings.database``. ``schema``: the catalog's own schema in PostgreSQL.

        ``is_cache``: whether it may be removed at any time and is then created again. Otherwise a marker in the data
        folder records its id, and a missing catalog raises ``StorageLost``. ``pgvector``: whether new corpora get a
        table of vectors in PostgreSQL.
        """
        for other in list(Catalog._open):
            other.check()
        self._process = ProcessGuard()
        self._database = _database_of(url, folder, schema, pgvector=pgvector)
        if is_cache:
            self._database.marker = None
        self.where = self._database.where
        #: ``None`` unless new corpora get a table of vectors.
        self.vector_filling: VectorFilling | None = None
        with translate_db_errors(self._database):
            engine = self._database.engine
            try:
                create_or_upgrade(self._database)
                vectors = self._database.vectors
                if vectors is not None and vectors.wanted:
                    from .vector_filling import VectorFilling

                    with self._database.write() as connection:
                        vectors.require_extension(connection, self.where)
                    self.vector_filling = VectorFilling(self._database, vectors)
            except BaseException:
                engine.dispose()
                raise
        self._tables = PluginTables(self._process, self._database)
        #: Stores and removes documents.
        self.documents = DocumentWriter(self._database, self._tables.write)
        #: Queues, messages and slots that the catalog's processes share.
        self.shared = Shared(self._tables, self._database)
        Catalog._open.add(self._process)

    def close(self) -> None:
        if not self._process.is_fork:  # closing a copied connection could release the other process's locks
            self.shared.close()
            self._database.engine.dispose()
            Catalog._open.discard(self._process)

    @contextmanager
    def read(self) -> Iterator[Snapshot]:
        """A consistent snapshot, as of the last commit of any process."""
        self._process.check()
        with self._database.read() as connection:
            yield Snapshot(connection, self._database)

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
        with self._tables.read() as connection:
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
        return self._tables.make(prefix, metadata, version, upgrades or {})

    def create_corpus(self, name: str, fingerprint: dict[str, Any], *, state: str = "active") -> CorpusRow:
        """The corpus of that name and state, created if it does not exist."""
        with self._tables.write() as connection:
            self._database.lock_catalog(connection)
            wanted = select(corpus).where(corpus.c.name == name, corpus.c.state == state)
            row = connection.execute(wanted).first()
            if row is None:
                connection.execute(insert(corpus).values(name=name, state=state, fingerprint=fingerprint, seq=0))
                row = connection.execute(wanted).one()
                self._database.full_text.create(connection, row.id)
            return CorpusRow(*row)

    def set_calibration(self, corpus_id: int, calibration: dict[str, Any]) -> None:
        """Store the corpus's calibration, without a new change number."""
        with self._tables.write() as connection:
            connection.execute(update(corpus).where(corpus.c.id == corpus_id).values(calibration=calibration))

    def drop_corpus(self, corpus_id: int) -> None:
        with self._tables.write() as connection:
            # A concurrent writer ends first or finds the corpus gone: nothing is stored into a half removed corpus.
            connection.execute(select(corpus.c.id).where(corpus.c.id == corpus_id).with_for_update())
            self._drop(connection, corpus_id)

    def _drop(self, connection: Connection, corpus_id: int) -> None:
        self._database.full_text.drop(connection, corpus_id)
        if self._database.vectors is not None:
            self._database.vectors.drop(connection, corpus_id)
        # Children first: SQLite's cascade would search each row's children one by one.
        for table in (chunk, document, removed):
            connection.execute(delete(table).where(table.c.corpus_id == corpus_id))
        connection.execute(delete(corpus).where(corpus.c.id == corpus_id))

    def swap_in(self, building: CorpusRow, expected: CorpusRow) -> bool:
        """Replace the active corpus by the building one if the active one is still as ``expected``; returns success.

        ``True`` also if another process has already done it.
        """
        with self._tables.write() as connection:
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

    def adopt_copy(self, copy: CorpusRow, source: CorpusRow) -> bool:
        """Let the corpus be used that was copied from ``source``, unless there is one of its name; returns success."""
        kept = {"seq": source.seq, "calibration": source.calibration, "created_at": source.created_at}
        with self._tables.write() as connection:
            self._database.lock_catalog(connection)
            active = select(corpus.c.id).where(corpus.c.name == copy.name, corpus.c.state == "active")
            if connection.execute(active).first() is not None:
                return False
            connection.execute(update(corpus).where(corpus.c.id == copy.id).values(state="active", **kept))
            return True


def _database_of(url: str | None, folder: Path, schema: str, *, pgvector: bool) -> Database:
    """The database of the URL; without a URL SQLite in the folder.

    ``schema``: the catalog's own schema in PostgreSQL. ``pgvector``: whether new corpora get a table of vectors. Raises
    ``SettingsError``, and ``MissingExtra`` for PostgreSQL without its driver.
    """
    if pgvector and not is_server(url):
        raise SettingsError(
            "pgvector keeps vectors in PostgreSQL, and this catalog is in SQLite",
            where="[index] store",
            hint='set `database` to a PostgreSQL URL, or store to "auto"',
        )
    if url is None:
        return SQLite.in_folder(folder)
    try:
        parsed = make_url(url)
        kind = parsed.drivername
    except (ArgumentError, ValueError):
        # Without its cause, which may quote a part of the URL with a password.
        raise _unusable("is not a database URL") from None
    if kind.split("+")[0] == "sqlite":
        return SQLite(parsed)
    if kind in ("postgresql+psycopg", "postgresql", "postgres"):
        from .pgvector import VectorTables
        from .postgresql import PostgreSQL

        return PostgreSQL(parsed, schema, folder, VectorTables(wanted=pgvector))
    raise _unusable(f"the catalog cannot be kept in {kind}")


def is_server(url: str | None) -> bool:
    """Whether the URL names a database server, not a file."""
    return url is not None and not url.startswith("sqlite")


def _unusable(what: str) -> SettingsError:
    return SettingsError(
        what, where="database", hint="postgresql+psycopg://USER:PASSWORD@HOST/NAME, or leave it unset for SQLite"
    )
