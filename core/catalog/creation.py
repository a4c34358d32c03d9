"""Creates and upgrades a catalog's tables, and records the catalog's id in a marker file of the data folder."""

from __future__ import annotations

import logging
from secrets import token_hex

from sqlalchemy import Connection

from ..errors import StorageLost
from ..runtime.files import write_atomically
from .database import Database
from .plugin_tables import stored_version
from .schema import ADDED, ALL_CHECKSUMS, CATALOG_ID, SCHEMA_VERSION, VERSION, about, metadata, read_about, write_about

_log = logging.getLogger(__name__)


def create_or_upgrade(database: Database) -> None:
    """Create the catalog's tables where there are none, or upgrade them, and record the catalog's id in its marker.

    Raises ``StorageLost`` where the marker names another catalog, ``StorageError`` for a newer one.
    """
    with database.read() as connection:
        if _exists(connection) and stored_version(database, connection, VERSION, SCHEMA_VERSION) == SCHEMA_VERSION:
            _write_marker(database, read_about(connection, CATALOG_ID))
            return
    with database.write() as connection:
        database.lock_catalog(connection)
        marker = database.marker
        if _exists(connection):
            _upgrade(database, connection)
        elif marker is not None and marker.exists():
            raise StorageLost.of(database.where, marker, "holds nothing of what Ragstone stored in it")
        else:
            metadata.create_all(connection)
            database.prepare(connection)
            write_about(connection, VERSION, str(SCHEMA_VERSION))
            write_about(connection, ALL_CHECKSUMS, "yes")
        catalog_id = read_about(connection, CATALOG_ID)
        if catalog_id is None:
            catalog_id = _read_marker(database) or token_hex(16)
            write_about(connection, CATALOG_ID, catalog_id)
    _write_marker(database, catalog_id)  # after the commit: a marker must never name a catalog that was not created


def _read_marker(database: Database) -> str | None:
    try:
        return database.marker.read_text("ascii").strip() if database.marker is not None else None
    except (OSError, UnicodeDecodeError):
        return None


def _write_marker(database: Database, catalog_id: str | None) -> None:
    """Write the catalog's id to the marker file. Raises ``StorageLost`` if that names another catalog."""
    marker, known = database.marker, _read_marker(database)
    if marker is None or catalog_id is None or known == catalog_id:
        return
    if known:
        raise StorageLost.of(database.where, marker, "is not the one that was here before")
    if marker.parent.is_dir():  # a deployment with a database server may have no data folder
        try:
            write_atomically(marker, catalog_id.encode())
        except OSError as error:
            _log.warning("the catalog's id cannot be written to %s: %s", marker, error.strerror or error)


def _exists(connection: Connection) -> bool:
    return connection.dialect.has_table(connection, about.name)


def _upgrade(database: Database, connection: Connection) -> None:
    version = stored_version(database, connection, VERSION, SCHEMA_VERSION) or 0
    for older in range(version, SCHEMA_VERSION):
        column = ADDED[older]
        kind = column.type.compile(connection.dialect)
        connection.exec_driver_sql(f"ALTER TABLE {column.table.name} ADD COLUMN {column.name} {kind}")
    if version < SCHEMA_VERSION:
        database.prepare(connection)
        write_about(connection, VERSION, str(SCHEMA_VERSION))
