"""Messages between the processes of one catalog in PostgreSQL, by LISTEN and NOTIFY.

They are for what is worth a moment's delay and no row: a process that is not connected misses them.
"""

from __future__ import annotations

import json
import logging
import threading
from collections import deque
from collections.abc import Callable
from hashlib import sha256
from typing import Any
from uuid import uuid4

_log = logging.getLogger(__name__)

#: Seconds until a message is sent at the latest, and until a lost server is tried again.
_PAUSE, _RECONNECT = 0.1, 2.0
#: Messages that wait while the server is away; PostgreSQL's limit of a message in bytes.
_MOST_WAITING, _MOST_BYTES = 1000, 7900


class Notices:
    """Sends and receives messages in a thread of its own, from the first one on. Thread-safe.

    With a catalog in a file there are no other processes to tell, and nothing happens.
    """

    def __init__(self, server: tuple[str, str] | None) -> None:
        """``server``: see ``Database.server``."""
        self._server = server
        self._from = uuid4().hex
        self._outbox: deque[str] = deque(maxlen=_MOST_WAITING)
        self._listeners: dict[str, list[Callable[[Any], None]]] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    def subscribe(self, topic: str, on_message: Callable[[Any], None]) -> None:
        """Call this, in the thread of the messages, with each message of the topic that another process sends."""
        with self._lock:
            self._listeners.setdefault(topic, []).append(on_message)
        self._begin()

    def send(self, topic: str, message: Any) -> None:
        """Send the message, JSON of at most some 7 kB, to all other processes; returns at once."""
        payload = json.dumps([self._from, topic, message])
        if len(payload) < _MOST_BYTES:  # ASCII: as many bytes
            self._outbox.append(payload)
        self._begin()

    def close(self) -> None:
        """End the thread; what waits is not sent."""
        self._closed.set()

    def _begin(self) -> None:
        with self._lock:
            if self._server is not None and self._thread is None:
                self._thread = threading.Thread(target=self._run, name="ragstone-notices", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        import psycopg

        assert self._server is not None  # noqa: S101 - `_begin` has looked
        conninfo, schema = self._server
        channel = f"ragstone_{sha256(schema.encode()).hexdigest()[:16]}"
        while not self._closed.is_set():
            try:
                with psycopg.connect(conninfo, autocommit=True) as connection:
                    connection.execute(f"LISTEN {channel}".encode())
                    while not self._closed.is_set():
                        while self._outbox:
                            connection.execute("SELECT pg_notify(%s, %s)", (channel, self._outbox[0]))
                            self._outbox.popleft()
                        for notice in connection.notifies(timeout=_PAUSE, stop_after=1):
                            self._receive(notice.payload)
            except psycopg.Error as error:
                _log.debug("other processes cannot be told: %s", error)
                self._closed.wait(_RECONNECT)

    def _receive(self, payload: str) -> None:
        try:
            sender, topic, message = json.loads(payload)
            if sender != self._from:
                for on_message in self._listeners.get(topic, ()):
                    on_message(message)
        except Exception:  # of another version, or by another user of the database: no reason to stop
            _log.exception("a message of another process could not be used")
