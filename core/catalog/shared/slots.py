"""Slots that the processes of one catalog share: a few at a time, by PostgreSQL's advisory locks."""

from __future__ import annotations

import logging
import threading
import time
from hashlib import sha256
from typing import Any

_log = logging.getLogger(__name__)

#: Seconds between two looks for a free slot; before a lost server is tried again, slots being this process's meanwhile.
_POLL, _RECONNECT = 0.05, 5.0


class SharedSlots:
    """``count`` slots of a name, for all processes. Thread-safe; in a fork make another one.

    The locks are those of one connection: they are free when the process ends, however it does. With a catalog in a
    file, or while the server is away, each process has ``count`` slots of its own.
    """

    def __init__(self, server: tuple[str, str] | None, name: str, count: int) -> None:
        """``server``: see ``Database.server``."""
        self._server = server
        schema = "" if server is None else server[1]
        self._key = int.from_bytes(sha256(f"{schema}/{name}".encode()).digest()[:4], "big", signed=True)
        self._free = set(range(count))
        self._lock = threading.Condition()
        self._connection: Any = None
        self._retry_at = 0.0

    def acquire(self, seconds: float) -> int | None:
        """A slot, or ``None`` if none is free within so many seconds."""
        ends = time.monotonic() + seconds
        while True:
            with self._lock:
                for slot in sorted(self._free):
                    if self._ask("SELECT pg_try_advisory_lock(%s, %s)", slot) is not False:
                        self._free.remove(slot)
                        return slot
                left = ends - time.monotonic()
                if left <= 0:
                    return None
                self._lock.wait(left if self._server is None else min(left, _POLL))

    def release(self, slot: int) -> None:
        with self._lock:
            self._ask("SELECT pg_advisory_unlock(%s, %s)", slot)
            self._free.add(slot)
            self._lock.notify()

    def close(self) -> None:
        """Free all slots of this process."""
        with self._lock:
            self._retry_at = float("inf")
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _ask(self, statement: str, slot: int) -> bool | None:
        """The server's answer; ``None`` without one."""
        if self._server is None or time.monotonic() < self._retry_at:
            return None
        import psycopg

        try:
            if self._connection is None:
                self._connection = psycopg.connect(self._server[0], autocommit=True)
            row = self._connection.execute(statement, (self._key, slot)).fetchone()
            return bool(row[0])
        except psycopg.Error as error:  # the server is away, or was: its locks went with the connection
            _log.warning("the slots are this process's own for a while: %s", error)
            if self._connection is not None:
                self._connection.close()
            self._connection, self._retry_at = None, time.monotonic() + _RECONNECT
            return None
