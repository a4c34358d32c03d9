"""A fair semaphore: a number of threads at once, the others in the order in which they came."""

from __future__ import annotations

import threading
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Turns:
    """Lets ``at_once`` threads through, first come, first served; work that waits for nothing but the processor.

    Threads that compute in Python at the same time get nothing done sooner: they take the interpreter's lock from one
    another in the middle of their work, so that all of them end late. A semaphore would let the one that has just been
    through pass again before those that wait.
    """

    def __init__(self, at_once: int) -> None:
        self._free = at_once
        self._lock = threading.Lock()
        self._waiting: deque[threading.Event] = deque()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn and have it."""
        with self._lock:
            mine = None
            if self._free:
                self._free -= 1
            else:
                mine = threading.Event()
                self._waiting.append(mine)
        if mine is not None:
            mine.wait()
        try:
            yield
        finally:
            with self._lock:
                if self._waiting:
                    self._waiting.popleft().set()  # the turn goes straight to whoever waits longest
                else:
                    self._free += 1
