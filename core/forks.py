"""A fork copies what is open, but none of the threads that work on it, and none of the locks that the system holds.

Chroma and ONNX Runtime wait for ever when they are used on in the copy. SQLite keeps one account of locks for all
connections of a process: in the copy it tells of locks that are not held, and even a new connection would rely on it
(https://www.sqlite.org/howtocorrupt.html, section 2.7). What is opened therefore belongs to the process that opened it
and says so anywhere else, and nothing more is opened in a copy of it.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from .errors import StorageError

if TYPE_CHECKING:
    from types import TracebackType


class OfOneProcess:
    """Remembers in which process it was made."""

    def __init__(self) -> None:
        self._pid = os.getpid()

    @property
    def is_copy(self) -> bool:
        """Whether this is a fork of the process that it was made in."""
        return os.getpid() != self._pid

    def check(self) -> None:
        """Raise ``StorageError`` in any other process."""
        if self.is_copy:
            raise StorageError(
                f"is open in process {self._pid}, of which process {os.getpid()} is a fork",
                where="host",
                hint="fork first and open then, or start the process anew (spawn, not fork)",
            )


class OwnLock(OfOneProcess):
    """An ``RLock`` that raises in a fork instead of waiting for a thread that is not there."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self.check()
        self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()
