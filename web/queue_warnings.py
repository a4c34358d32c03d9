"""Warnings about requests that wait for a thread: at most one a minute, not one for every request."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: Where waitress warns of each request that has to wait.
LOGGER = "waitress.queue"
#: Seconds between two such lines.
_PAUSE = 60.0


class RareWarnings(logging.Filter):
    """Lets at most one warning a minute through, and adds what it means."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._lock = threading.Lock()
        self._next = float("-inf")

    def filter(self, record: logging.LogRecord) -> bool:
        with self._lock:
            now = self._clock()
            if now < self._next:
                return False
            self._next = now + _PAUSE
        record.msg = "requests wait for one of the server's threads ([plugins.web] threads): " + str(record.msg)
        return True


@contextmanager
def rare_warnings() -> Iterator[None]:
    """Filter the server's warnings within the block."""
    logger, rare = logging.getLogger(LOGGER), RareWarnings()
    logger.addFilter(rare)
    try:
        yield
    finally:
        logger.removeFilter(rare)
