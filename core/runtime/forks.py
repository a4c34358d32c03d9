"""Guards against the use of open resources after a fork, locks that raise there instead of waiting, and properties that
are computed under such a lock.

A fork copies open resources, but neither the threads that work on them nor the file locks of the system. Chroma and
ONNX Runtime would wait for ever. SQLite keeps one table of locks for all connections of a process: in the fork it lists
locks that are not held, and even a new connection would rely on it (https://www.sqlite.org/howtocorrupt.html, section
2.7). So a resource belongs to the process that opened it, and raises in any other one.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

from ..errors import StorageBusy, StorageError

Value = TypeVar("Value")


class ProcessGuard:
    """Remembers the process that it was created in."""

    def __init__(self) -> None:
        self._pid = os.getpid()

    @property
    def is_fork(self) -> bool:
        """Whether this process is a fork of the one that it was created in."""
        return os.getpid() != self._pid

    def check(self) -> None:
        """Raise ``StorageError`` in a fork."""
        if self.is_fork:
            raise StorageError(
                f"is open in process {self._pid}, of which process {os.getpid()} is a fork",
                where="host",
                hint="fork first and open then, or start a new process (spawn, not fork)",
            )


class LockOwner:
    """A thread as the owner of locks. A helper thread may also enter the locks of the thread that waits for it."""

    def __init__(self, waiting: LockOwner | None = None) -> None:
        """``waiting``: the owner that waits for this one; this one is then its helper."""
        self.waiting = waiting
        #: Length of the chain of owners that wait for this one.
        self.depth: int = 0 if waiting is None else waiting.depth + 1
        self.abandoned = False
        self.helpers: list[LockOwner] = []
        self._entered: list[ForkSafeLock] = []
        self._mutex = threading.Lock()
        if waiting is not None:
            waiting.helpers.append(self)

    def may_join(self, owner: LockOwner) -> bool:
        """Whether this owner may enter that owner's locks: it is the same, or one of its helpers."""
        each: LockOwner | None = self
        while each is not None and each is not owner:
            each = each.waiting
        return each is not None

    def enter(self, lock: ForkSafeLock) -> None:
        """Enter a lock that is free or may be joined. Raises ``StorageBusy`` once this owner is abandoned."""
        with self._mutex:
            if self.abandoned:
                raise StorageBusy("this work took too long and was given up", where="host")
            self._entered.append(lock)
            lock.push(self)

    def leave(self, lock: ForkSafeLock) -> None:
        """Leave a lock, unless ``abandon`` has released it."""
        with self._mutex:
            if lock in self._entered:
                self._entered.remove(lock)
                lock.pop()

    def end(self, *, is_done: bool) -> None:
        """Detach this helper from the thread that waited for it; abandon it unless its work is done."""
        if self.waiting is not None:
            self.waiting.helpers.remove(self)
        if not is_done:
            self.abandon()

    def abandon(self) -> None:
        """Release all locks of this helper and of its own helpers, and let them enter no other."""
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
    """The lock owner of this thread."""
    return _this_thread.owner


def take_locks_as(owner: LockOwner) -> None:
    """Set the lock owner of this thread, before it has entered any lock."""
    _this_thread.owner = owner


class ForkSafeLock(ProcessGuard):
    """A re-entrant lock that raises in a fork instead of waiting for a thread that does not exist there.

    Unlike an ``RLock`` it belongs to a ``LockOwner``: a helper thread may enter it while the thread that waits for the
    helper holds it, and it is released when the helper is abandoned.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._owner: LockOwner | None = None
        #: The previous owners, one for each entry.
        self._previous: list[LockOwner | None] = []

    def __enter__(self) -> None:
        self.check()
        me, owner = _this_thread.owner, self._owner
        joined = owner is not None and me.may_join(owner)
        if not joined:
            self._lock.acquire()
        try:
            me.enter(self)
        except StorageBusy:
            if not joined:
                self._lock.release()
            raise

    def __exit__(self, *_: object) -> None:
        _this_thread.owner.leave(self)

    def push(self, owner: LockOwner) -> None:
        """Record an entry by this owner, who holds the lock or may join its holder."""
        self._previous.append(self._owner)
        self._owner = owner

    def pop(self) -> None:
        self._owner = self._previous.pop()
        if self._owner is None:
            self._lock.release()


class lazily(Generic[Value]):  # noqa: N801 - it is used as a decorator
    """Like ``functools.cached_property``, but computed under the owner's ``_lock``, a ``ForkSafeLock``.

    Until Python 3.12 the standard one uses a lock of the whole class besides the owner's: two threads can take them in
    opposite orders, which is a deadlock.
    """

    def __init__(self, make: Callable[[Any], Value]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> lazily[Value]: ...
    @overload
    def __get__(self, owner: object, kind: type) -> Value: ...
    def __get__(self, owner: Any, kind: type) -> lazily[Value] | Value:
        if owner is None:
            return self
        with owner._lock:  # noqa: SLF001 - the contract of this decorator
            made = owner.__dict__
            if self._name not in made:
                made[self._name] = self._compute(owner)
            value: Value = made[self._name]
            return value

    def _compute(self, owner: Any) -> Value:
        """Compute the value. Raises ``RecursionError`` if a plugin requires the value to compute it."""
        being_made = owner.__dict__.setdefault("_being_made", {})
        before, me = being_made.get(self._name), lock_owner()
        if before is not None and me.may_join(before):
            raise RecursionError(f"{self._name.strip('_')} is asked for while it is made")
        being_made[self._name] = me
        try:
            return self._make(owner)
        finally:
            being_made.pop(self._name, None)
