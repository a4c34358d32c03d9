"""The machine's clock, and whether a time server has set it."""

from __future__ import annotations

import ctypes
import sys
import time
from pathlib import Path

#: systemd makes it when a time server has set the clock.
_SYNCHRONISED = Path("/run/systemd/timesync/synchronized")
#: What adjtimex(2) returns while the kernel's clock is not synchronised.
_TIME_ERROR = 5
#: Bytes of ``struct timex`` and more, on every architecture.
_TIMEX = 512


class Clock:
    """The machine's clock. Tests replace it."""

    def now(self) -> float:
        """Seconds since 1970, UTC."""
        return time.time()

    def is_synchronised(self) -> bool | None:
        """Whether a time server has set the clock since the machine's start; ``None`` where that is unknown."""
        if _SYNCHRONISED.exists():
            return True
        if not sys.platform.startswith("linux"):
            return None
        try:  # the call changes nothing and needs no right
            state = int(ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(_TIMEX)))
        except (OSError, AttributeError):
            return None
        return state != _TIME_ERROR if state >= 0 else None
