"""How much the wikis are asked: three requests at once, and none to a wiki that asked for a pause."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ragstone.core.catalog import Shared, SharedSlots
from ragstone.core.runtime import Deadline

from .errors import WikiRateLimited, WikiUnavailable

#: Wikimedia's limit for each of its users, whichever of its wikis they ask
#: (https://www.mediawiki.org/wiki/Wikimedia_APIs/Rate_limits).
_AT_ONCE = 3
#: Seconds of a pause at most: a server that asks for a year gets the next request after an hour.
_LONGEST_PAUSE = 3600.0
#: Of the slots and messages that the processes of a catalog share.
_NAME = "concept_tutor/wikis"


class RequestSlots:
    """The slots of the requests of all processes, and the wikis that asked for a pause. Thread-safe.

    Without ``shared``, with a catalog in SQLite and in a fork they are this process's own.
    """

    def __init__(self, count: int = _AT_ONCE, shared: Shared | None = None) -> None:
        self._count = count
        self._shared = shared
        self._reset()
        if shared is not None:
            self._free = shared.slots(_NAME, count)
            shared.notices.subscribe(_NAME, lambda message: self._note_pause(str(message[0]), float(message[1])))

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._free = SharedSlots(None, _NAME, self._count)
        #: When each pause ends, on the monotonic clock.
        self._pauses: dict[str, float] = {}

    @contextmanager
    def acquire(self, wiki: str, deadline: Deadline) -> Iterator[None]:
        """Hold a slot for one request, after the wiki's pause.

        Raises ``WikiUnavailable`` if no slot is free, and ``WikiRateLimited`` if the pause lasts, until the deadline.
        """
        if self._pid != os.getpid():  # the threads that would release the slots are not in the fork
            self._reset()
        while True:
            self._wait(wiki, deadline)
            slot = self._free.acquire(deadline.left)
            if slot is None:
                raise WikiUnavailable(f"had no place among {self._count} requests within {deadline.seconds:g} s")
            if not self._pause_left(wiki):
                break
            self._free.release(slot)  # another request waits by now
        try:
            yield
        finally:
            self._free.release(slot)

    def pause(self, wiki: str, seconds: float) -> None:
        """Let no request to this wiki begin for so long."""
        self._note_pause(wiki, seconds)
        if self._shared is not None:
            self._shared.notices.send(_NAME, [wiki, seconds])

    def _note_pause(self, wiki: str, seconds: float) -> None:
        until = time.monotonic() + min(seconds, _LONGEST_PAUSE)
        self._pauses[wiki] = max(until, self._pauses.get(wiki, 0.0))

    def _pause_left(self, wiki: str) -> float:
        return max(0.0, self._pauses.get(wiki, 0.0) - time.monotonic())

    def _wait(self, wiki: str, deadline: Deadline) -> None:
        while left := self._pause_left(wiki):
            if left >= deadline.left:
                raise WikiRateLimited(left)
            time.sleep(left)
