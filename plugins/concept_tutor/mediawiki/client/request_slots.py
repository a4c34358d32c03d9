"""How much a wiki is asked: three requests at once over the whole process, and none while it asks for a rest.

Wikimedia allows three at once for each of its users (https://www.mediawiki.org/wiki/Wikimedia_APIs/Rate_limits), and a
process is one user however many clients it opens: this is the one thing here that belongs to the process. A fork has
an account of its own, as the threads that would give the places back are not in it.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .errors import WikiAway, WikiBusy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .deadline import Deadline

AT_ONCE = 3
#: Seconds of rest that are believed: a server that says a year is asked again after an hour.
_LONGEST_REST = 3600.0


class Traffic:
    """Places for requests, and the hosts that asked for a rest."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._places = threading.BoundedSemaphore(at_once)
        self._lock = threading.Lock()
        self._rests: dict[str, float] = {}

    @contextmanager
    def place(self, host: str, deadline: Deadline, where: str) -> Iterator[None]:
        """One request's place: waits for it, and for the end of the host's rest, but not past the deadline."""
        while True:
            self._wait(host, deadline, where)
            if not self._places.acquire(timeout=deadline.left()):
                raise WikiAway(f"had no place among {AT_ONCE} requests within {deadline.seconds:g} s", where=where)
            if not self._rest(host):
                break
            self._places.release()  # another request was told to wait meanwhile
        try:
            yield
        finally:
            self._places.release()

    def rest(self, host: str, seconds: float) -> None:
        """Ask this host nothing for so long."""
        with self._lock:
            until = time.monotonic() + min(seconds, _LONGEST_REST)
            self._rests[host] = max(until, self._rests.get(host, 0.0))

    def _rest(self, host: str) -> float:
        with self._lock:
            left = self._rests.get(host, 0.0) - time.monotonic()
            if left <= 0:
                self._rests.pop(host, None)
            return max(0.0, left)

    def _wait(self, host: str, deadline: Deadline, where: str) -> None:
        while left := self._rest(host):
            if left >= deadline.left():
                raise WikiBusy(left, where=where)
            time.sleep(left)


class _OfThisProcess:
    def __init__(self) -> None:
        self._traffic = Traffic()
        os.register_at_fork(after_in_child=self._anew)

    def _anew(self) -> None:
        self._traffic = Traffic()

    def __call__(self) -> Traffic:
        return self._traffic


#: The process's own.
traffic = _OfThisProcess()
