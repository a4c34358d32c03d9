"""Tables of plugins in the catalog's database, with the same guarantees as the catalog's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from sqlalchemy import Connection, MetaData

from ..errors import PluginError, StorageError
from ..runtime.forks import ProcessGuard
from .database import Database
from .schema import metadata as own
from .schema import read_about, write_about
from .snapshot import Snapshot

_PREFIX = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
#: Characters of an identifier in PostgreSQL.
_MAX_NAME = 63


@contextmanager
def translate_damage(row: str, hint: str = "restore it from a backup") -> Iterator[None]:
    """Raise ``StorageError`` where a stored value is of another form than it was written; ``row`` names its row, of
    which nothing else is shown, and ``hint`` says what to do."""
    try:
        yield
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise StorageError(f"{row} is damaged in the database", hint=hint) from error


def stored_version(database: Database, connection: Connection, key: str, newest: int) -> int | None:
    """The version of the tables that the key of ``about`` is for; ``None`` where there are none.

    Raises ``StorageError`` for one that is newer than ``newest``.
    """
    found = read_about(connection, key)
    if found is None:
        return None
    with translate_damage(f"the version {key!r} of the catalog's tables"):
        version = int(found)
    if version > newest:
        raise StorageError(
            f"was written by a newer version ({key} {version}, this one knows {newest})",
            where=database.where,
            hint="upgrade Ragstone and its plugins, or name another data folder",
        )
    return version


class PluginTables:
    """A plugin's tables, from ``Catalog.tables``; safe to use from several threads and processes.

    A transaction of ``write`` is on the disk when it returns, or has not happened. Raises what the catalog raises.
    """

    def __init__(self, process: ProcessGuard, database: Database) -> None:
        self._process = process
        self._database = database

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A read-only transaction on a consistent snapshot, as of the last commit of any process."""
        self._process.check()
        with self._database.read() as connection:
            yield connection

    @contextmanager
    def write(self, *, patience: float = 20) -> Iterator[Connection]:
        """One transaction, undone by whatever is raised within.

        In SQLite writers wait for one another; in PostgreSQL those who change the same row, which another writer may
        have changed since it was read: ``select(...).with_for_update()`` reads it and keeps it until the end.
        ``patience``: seconds of that wait in SQLite; then ``StorageBusy``.
        """
        self._process.check()
        with self._database.write(ragstone_patience_ms=int(patience * 1000)) as connection:
            yield connection

    def snapshot(self, connection: Connection) -> Snapshot:
        """The catalog as the transaction of ``read`` or ``write`` sees it."""
        return Snapshot(connection, self._database)

    def make(
        self,
        prefix: str,
        metadata: MetaData,
        version: int,
        upgrades: Mapping[int, Callable[[Connection], None]],
    ) -> PluginTables:
        """See ``Catalog.tables``."""
        _check(prefix, metadata, version, upgrades)
        name = f"tables/{prefix}"
        with self.read() as connection:
            if stored_version(self._database, connection, name, version) == version:
                return self
        with self.write() as connection:
            self._database.lock_catalog(connection)
            known = stored_version(self._database, connection, name, version)
            if known is None:
                metadata.create_all(connection, checkfirst=False)
            for older in range(known or version, version):
                upgrades[older](connection)
            write_about(connection, name, str(version))
        return self


def _check(prefix: str, metadata: MetaData, version: int, upgrades: Mapping[int, Callable[[Connection], None]]) -> None:
    """Raise ``PluginError`` for names that could collide with other tables, and for a missing upgrade."""
    if not _PREFIX.fullmatch(prefix):
        raise PluginError(f"{prefix!r} is no prefix of tables", hint="begin with the plugin's name, in a-z, 0-9 and _")
    if prefix.partition("_")[0] in {table.partition("_")[0] for table in (*own.tables, "fulltext", "posting")}:
        raise PluginError(f"the prefix {prefix!r} is the catalog's own", hint="begin with the plugin's name")
    for table in metadata.tables.values():
        named = [table.name, *(str(index.name) for index in table.indexes)]
        if table.schema or not table.name.startswith(f"{prefix}_"):
            raise PluginError(f"the table {table.fullname!r} does not begin with {prefix}_", hint="rename it")
        if any(len(each) > _MAX_NAME for each in named):
            raise PluginError(
                f"a name of the table {table.name!r} has more than {_MAX_NAME} letters", hint="shorten it"
            )
    if missing := [older for older in range(1, version) if older not in upgrades]:
        raise PluginError(f"the tables {prefix}_ have no upgrade from version {missing[0]}", hint="give one")
