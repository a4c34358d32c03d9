"""The memory budget that open shards share."""

from __future__ import annotations

import threading

import numpy as np

#: For the intermediate results of a search, whatever the size of the shards.
_WORKING = 6_000_000
#: Bytes of the largest block that is freed without giving it back to the system.
_REUSED = 2**22


class MemoryBudget:
    """Counts bytes in memory; what does not fit is read from disk each time. Safe to use from several threads."""

    def __init__(self, megabytes: float) -> None:
        self.limit = int(megabytes * 1e6)
        self._used = _WORKING
        self._lock = threading.Lock()
        # glibc gives larger blocks than were ever freed back at once (mallopt(3), M_MMAP_THRESHOLD). The next question
        # then got them page by page, some 400 of them, which took a third of its time. So one is freed here.
        np.empty(_REUSED, np.uint8)

    @property
    def used(self) -> int:
        """Reserved bytes, with those that a search itself needs."""
        return self._used

    def reserve(self, size: int) -> bool:
        """Reserve so many bytes; whether the budget allows them."""
        with self._lock:
            if self._used + size > self.limit:
                return False
            self._used += size
            return True

    def release(self, size: int) -> None:
        """Release reserved bytes."""
        with self._lock:
            self._used -= size
