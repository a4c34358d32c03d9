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

from ..errors import StorageBusy, StorageError

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


class LockOwner:
    """A thread as an owner of locks. A helper thread may also enter the locks of the thread that waits for it."""

    def __init__(self, waiting: LockOwner | None = None) -> None:
        """``waiting``: the owner that waits for this one, which is then a helper."""
        self.waiting = waiting
        #: How many owners wait for this one, each for the next.
        self.depth: int = 0 if waiting is None else waiting.depth + 1
        self.abandoned = False
        #: At work for this one.
        self.helpers: list[LockOwner] = []
        self._entered: list[OwnLock] = []
        self._mutex = threading.Lock()
        if waiting is not None:
            waiting.helpers.append(self)

    def may_join(self, owner: LockOwner) -> bool:
        """Whether a lock of that owner is open to this one."""
        each: LockOwner | None = self
        while each is not None and each is not owner:
            each = each.waiting
        return each is not None

    def enter(self, lock: OwnLock) -> None:
        """Enter a lock that is free, or open to this helper. Raises ``StorageBusy`` once it is abandoned."""
        with self._mutex:
            if self.abandoned:
                raise StorageBusy("this work took too long and was given up", where="host")
            self._entered.append(lock)
            lock.push(self)

    def leave(self, lock: OwnLock) -> None:
        """Leave a lock, unless it was taken away."""
        with self._mutex:
            if lock in self._entered:
                self._entered.remove(lock)
                lock.pop()

    def end(self, *, is_done: bool) -> None:
        """Nobody waits for this helper any more; what is not done is abandoned."""
        if self.waiting is not None:
            self.waiting.helpers.remove(self)
        if not is_done:
            self.abandon()

    def abandon(self) -> None:
        """Take all locks away from this helper, and from its own helpers, for good."""
        for helper in self.helpers[::-1]:
            helper.abandon()
        with self._mutex:
            self.abandoned = True
            for lock in reversed(self._entered):
                lock.pop()
            self._entered.clear()
        self.waiting = None


class _OwnerOfThread(threading.local):
    def __init__(self) -> None:
        self.owner = LockOwner()


_this_thread = _OwnerOfThread()


def lock_owner() -> LockOwner:
    """The owner as which this thread takes locks."""
    return _this_thread.owner


def take_locks_as(owner: LockOwner) -> None:
    """Make this thread, which is new, take locks as that owner."""
    _this_thread.owner = owner


class OwnLock(OfOneProcess):
    """A re-entrant lock that raises in a fork instead of waiting for a thread that is not there.

    Unlike an ``RLock`` it belongs to a ``LockOwner``: a helper thread may enter it while the thread that waits for the
    helper holds it, and it can be taken away from a helper that is abandoned.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._owner: LockOwner | None = None
        #: The owners before, one for each time that it was entered.
        self._before: list[LockOwner | None] = []

    def __enter__(self) -> None:
        self.check()
        me, owner = _this_thread.owner, self._owner
        joined = owner is me or (owner is not None and me.waiting is not None and me.may_join(owner))
        if not joined:
            self._lock.acquire()
        if not me.depth:
            self.push(me)
            return
        try:
            me.enter(self)
        except StorageBusy:
            if not joined:
                self._lock.release()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        me = _this_thread.owner
        if me.depth:
            me.leave(self)
        else:
            self.pop()

    def push(self, owner: LockOwner) -> None:
        """Let it be this owner's, who holds it or may join who does."""
        self._before.append(self._owner)
        self._owner = owner

    def pop(self) -> None:
        """Undo the last entry."""
        self._owner = self._before.pop()
        if self._owner is None:
            self._lock.release()
