"""Switches a SQLite database to write-ahead mode."""

from __future__ import annotations

import sqlite3
import time

_RETRY_SECONDS = 0.01


def enable_wal(connection: sqlite3.Connection, patience: float) -> None:
    """Switch the database to WAL, retrying for ``patience`` seconds while it is locked. Raises ``OperationalError``.

    SQLite's busy timeout does not apply to this switch: of two processes that make the same new database, one would
    fail at once.
    """
    ends = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > ends:
                raise
            time.sleep(_RETRY_SECONDS)
        else:
            return
