"""A fair semaphore: waiting threads are served in the order of their arrival."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager


class FairSemaphore:
    """Admits ``count`` threads at a time, first come, first served. It is meant for computation, not for waiting.

    Threads that compute in Python at the same time do not finish sooner: they take the interpreter's lock from one
    another in the middle of their work, so that all of them end late. ``threading.Semaphore`` is not fair: a thread
    that has just released it can acquire it again before those that wait.
    """

    def __init__(self, count: int) -> None:
        self._free = count
        self._lock = threading.Lock()
        self._waiting: deque[threading.Event] = deque()

    @contextmanager
    def acquire(self) -> Iterator[None]:
        with self._lock:
            admitted = None
            if self._free:
                self._free -= 1
            else:
                admitted = threading.Event()
                self._waiting.append(admitted)
        if admitted is not None:
            admitted.wait()
        try:
            yield
        finally:
            with self._lock:
                if self._waiting:
                    self._waiting.popleft().set()  # hand the slot directly to the thread that waits longest
                else:
                    self._free += 1
