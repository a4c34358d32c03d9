"""A fork copies what is open, but none of the threads that work on it, and none of the locks that the system holds.

SQLite, Chroma and ONNX Runtime all wait for ever, or do harm, when they are used on in the copy. What is opened
therefore belongs to the process that opened it and says so anywhere else.
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
                f"was opened by process {self._pid}, and process {os.getpid()} is a fork of it",
                where="host",
                hint="open a host in each process, after the fork",
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
