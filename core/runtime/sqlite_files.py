"""Switches a SQLite database to write-ahead mode."""

from __future__ import annotations

import sqlite3
import time

#: Between two tries.
_PAUSE_S = 0.01


def write_ahead(connection: sqlite3.Connection, patience: float) -> None:
    """Switch the database to WAL, waiting up to ``patience`` seconds for others who do. Raises ``OperationalError``.

    SQLite does not wait for the switch as it waits for a transaction: of two processes that make the same new database
    one would be refused at once.
    """
    ends = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > ends:
                raise
            time.sleep(_PAUSE_S)
        else:
            return
