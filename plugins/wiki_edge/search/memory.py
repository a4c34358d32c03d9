"""A budget of memory that shards share."""

from __future__ import annotations

import threading

import numpy as np

#: For the intermediate results of a search, whatever the size of the shards.
_WORKING = 6_000_000
#: Bytes of the largest block that is freed without giving it back to the system.
_REUSED = 2**22


class Memory:
    """Counts what is held in memory; what does not fit is read from disk each time. Safe for several threads."""

    def __init__(self, megabytes: float) -> None:
        self.limit = int(megabytes * 1e6)
        self._taken = _WORKING
        self._lock = threading.Lock()
        # glibc gives larger blocks than were ever freed back at once (mallopt(3), M_MMAP_THRESHOLD). The next question
        # then got them page by page, some 400 of them, which took a third of its time. So one is freed here.
        np.empty(_REUSED, np.uint8)

    @property
    def taken(self) -> int:
        """Bytes that are held, with those that searching itself needs."""
        return self._taken

    def take(self, size: int) -> bool:
        """Whether so many bytes may be held from now on."""
        with self._lock:
            if self._taken + size > self.limit:
                return False
            self._taken += size
            return True

    def give_back(self, size: int) -> None:
        """They are not held any more."""
        with self._lock:
            self._taken -= size
