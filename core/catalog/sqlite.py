"""The catalog in SQLite: a file in the data folder, in write-ahead mode, with FTS5 for full text."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from sqlalchemy import URL, ColumnElement, Connection, Engine, LargeBinary, cast, create_engine, event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import DBAPIError

from ..errors import StorageBusy, StorageDenied, StorageError, StorageFull, StorageLost
from ..runtime.files import enable_wal
from . import fts5
from .database import Database, redact
from .schema import chunk

#: Another writer's transaction is one document long; a longer wait means that something is broken.
_BUSY_TIMEOUT_MS = 20_000
#: Lowest reading speed of a memory card.
_BYTES_A_SECOND = 25_000_000
#: The first and the last chunk, with the index pages that lead to them.
_PROBES = ("SELECT * FROM chunk ORDER BY id LIMIT 1", "SELECT * FROM chunk ORDER BY id DESC LIMIT 1")
_DOCTOR = "ragstone doctor finds damage; if there is some, restore the database from a backup"
#: After these words SQLite and its driver quote content of the file.
_UNDECODABLE = "Could not decode to UTF-8 column"
_QUOTING = re.compile(rf"(malformed database schema|{_UNDECODABLE}).*", re.DOTALL)


def _ascii_message(message: object) -> str:
    """SQLite's message in ASCII, without quoted content of a damaged file."""
    return redact(_QUOTING.sub(r"\1", str(message)), None).encode("ascii", "replace").decode()


def _is_full(path: str) -> bool:
    """Whether the file system of the database has no space for a few pages."""
    try:
        return os.statvfs(os.path.dirname(path) or ".").f_bavail < 16  # noqa: PTH120 - it may be no path at all
    except OSError:
        return False


class _Columns:
    def raw(self, column: ColumnElement[Any]) -> ColumnElement[Any]:
        """The bytes: a damaged text cannot be decoded."""
        return cast(column, LargeBinary)

    def text(self, key: str) -> ColumnElement[str]:
        """SQLite's own cast of a JSON value: ``true`` is "1"."""
        value: ColumnElement[str] = chunk.c.metadata[key].as_string()
        return value

    def number(self, key: str) -> ColumnElement[float]:
        """SQLite's own cast of a JSON value: a text counts as the number that it begins with."""
        value: ColumnElement[float] = chunk.c.metadata[key].as_float()
        return value


class SQLite(Database):
    """A database in one file, for the processes of one machine."""

    full_text = fts5
    columns = _Columns()
    #: Transactions take the write lock when they begin.
    _writing: ClassVar = {"ragstone_writes": True}

    def __init__(self, url: URL) -> None:
        self._url = url
        self._folder: Path | None = None
        #: Device and inode of the opened file; ``None`` for a database in memory.
        self._file: tuple[int, int] | None = None
        self.where = url.database or str(url)
        self.marker = (
            Path(f"{url.database}.id") if url.database and not url.database.startswith((":", "file:")) else None
        )

    @classmethod
    def in_folder(cls, folder: Path) -> SQLite:
        """The database in the data folder; ``engine`` creates both."""
        database = cls(URL.create("sqlite", database=str(folder / "catalog.sqlite")))
        database._folder = folder
        return database

    @cached_property
    def engine(self) -> Engine:
        """See ``Database``: creates the data folder too."""
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
        engine = create_engine(self._url, json_deserializer=self._json)

        @event.listens_for(engine, "do_connect")
        def _before(*_: object) -> None:
            if self.marker is not None and self.marker.exists() and not self._size():
                raise StorageLost.of(self.where, self.marker, "is missing or empty")

        @event.listens_for(engine, "connect")
        def _connect(connection: sqlite3.Connection, _record: object) -> None:
            # Explicit BEGIN below: the driver's comes late, and a reader that becomes a writer can deadlock.
            connection.isolation_level = None
            try:
                connection.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MS}")
                enable_wal(connection, _BUSY_TIMEOUT_MS / 1000)
                for pragma in (
                    "synchronous = FULL",  # acknowledged changes survive a loss of power
                    "foreign_keys = ON",
                    "cache_size = -16000",
                ):
                    connection.execute(f"PRAGMA {pragma}")
            except UnicodeDecodeError:
                raise self._damaged("its schema is no text") from None
            if self.marker is not None and self._file is None:
                self._file = self._identity()

        @event.listens_for(engine, "handle_error")
        def _undecodable(context: ExceptionContext) -> None:
            # The driver's message quotes content of the file that is no text.
            if isinstance(context.original_exception, UnicodeDecodeError):
                raise self._damaged("what it holds is no text") from None

        @event.listens_for(engine, "begin")
        def _begin(connection: Connection) -> None:
            options = connection.get_execution_options()
            patience = options.get("ragstone_patience_ms", _BUSY_TIMEOUT_MS)
            if connection.info.get("patience_ms", _BUSY_TIMEOUT_MS) != patience:
                connection.exec_driver_sql(f"PRAGMA busy_timeout = {patience}")
                connection.info["patience_ms"] = patience
            if options.get("ragstone_writes"):
                self._check_file()
            connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("ragstone_writes") else "BEGIN")

        return engine

    def translate_error(self, error: DBAPIError) -> StorageError:
        name = getattr(error.orig, "sqlite_errorname", "") or ""
        message, where = _ascii_message(error.orig), self.where
        # SQLite reports a full disk under its journal as an input/output error.
        is_full = "disk is full" in message or (name.startswith("SQLITE_IOERR") and _is_full(where))
        if name.startswith("SQLITE_FULL") or is_full:
            return StorageFull("no space is left on the disk", where=where, hint="make space and try again")
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return StorageBusy("another process holds the database", where=where, hint="try again in a moment")
        if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
            return StorageDenied(
                f"the database cannot be opened or written: {message}",
                where=where,
                hint="check the folder's owner and permissions, or set RAGSTONE_DATA_DIR",
            )
        if name.startswith("SQLITE_IOERR"):
            # A write beyond a quota or a limit of file sizes is the same error.
            hint = "check the disk, a quota, and the limit of file sizes (ulimit -f); " + _DOCTOR
            return StorageError(f"the disk failed: {message}", where=where, hint=hint)
        if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
            return self._damaged(message)
        if message.startswith((_UNDECODABLE, "malformed JSON")):
            return StorageError(f"a row is damaged: {message}", where=where, hint="ragstone corpus check names it")
        return StorageError(f"the database refused: {message}", where=where, hint=_DOCTOR)

    def fault(self, connection: Connection, seconds: float) -> str | None:
        """The result of SQLite's ``quick_check``, which reads every page."""
        pages, size = (connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("page_count", "page_size"))
        if int(pages or 0) * int(size or 0) > seconds * _BYTES_A_SECOND:  # before 3.43 it could not be interrupted
            return None
        message = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
        return None if message == "ok" else f"is damaged: {_ascii_message(message)}"

    def probe(self) -> None:
        """See ``Catalog.probe``: a new connection, because open ones answer from cached pages."""
        if self._file is None:
            return
        self._check_file()
        try:
            # Never opened as a plain file: closing that would release the locks that SQLite holds on it.
            uri, patience = f"{Path(self.where).resolve().as_uri()}?mode=ro", _BUSY_TIMEOUT_MS / 1000
            with closing(sqlite3.connect(uri, uri=True, timeout=patience)) as connection:
                for query in _PROBES:
                    connection.execute(query).fetchall()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            if getattr(error, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
                raise StorageBusy("another process holds the database", where=self.where) from None
            raise self._damaged(_ascii_message(error)) from None

    def _check_file(self) -> None:
        """Raises ``StorageLost`` unless the opened file is still there: what is written would be lost with it."""
        try:
            if self._file is None or self._identity() == self._file:
                return
            what, advice = "another file took its place", "start again to use that one"
        except FileNotFoundError:
            what, advice = "the file is gone", "restore it from a backup, then start again"
        raise StorageLost(f"is not a readable database: {what}", where=self.where, hint=advice)

    def _identity(self) -> tuple[int, int]:
        found = os.stat(self.where)  # noqa: PTH116 - as SQLite takes it
        return found.st_dev, found.st_ino

    def _size(self) -> int:
        try:
            return os.stat(self.where).st_size  # noqa: PTH116 - as SQLite takes it
        except FileNotFoundError:
            return 0

    def _damaged(self, what: str) -> StorageError:
        return StorageError(f"is not a readable database: {what}", where=self.where, hint="restore it from a backup")

    def _json(self, text: str) -> Any:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            hint = "ragstone corpus check names it"
            raise StorageError("a row is damaged: its metadata is no JSON", where=self.where, hint=hint) from None
