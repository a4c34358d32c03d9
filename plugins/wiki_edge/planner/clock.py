"""What the time is, and whether it can be believed. A robot without a battery-backed clock starts in the past."""

from __future__ import annotations

import ctypes
import sys
import time
from contextlib import suppress
from pathlib import Path

#: Seconds since 1970 at 2026-01-01: this code is younger, so a clock before it was never set.
EARLIEST = 1_767_225_600
_SYNCHRONISED = Path("/run/systemd/timesync/synchronized")
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
#: adjtimex(2): what it returns while the kernel's clock is not synchronised.
_TIME_ERROR = 5
#: Bytes of ``struct timex`` and more, on every architecture.
_TIMEX = 512


class Clock:
    """The machine's clock. Tests give another one."""

    def now(self) -> float:
        """Seconds since 1970, UTC, as the machine believes."""
        return time.time()

    def since_boot(self) -> float:
        """Seconds since the machine was started, its sleep included; nobody can set it."""
        return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()

    def boot(self) -> str:
        """Which start of the machine ``since_boot`` counts from; empty where the system does not tell."""
        with suppress(OSError):
            return _BOOT_ID.read_text("ascii").strip()
        return ""

    def synchronised(self) -> bool | None:
        """Whether a time server has set the clock since the start; ``None`` where the system does not tell."""
        if _SYNCHRONISED.exists():
            return True
        state = _adjtimex()
        return None if state is None else state != _TIME_ERROR


def _adjtimex() -> int | None:
    """The kernel's own word on its clock; asking changes nothing and needs no right."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        state = libc.adjtimex(ctypes.create_string_buffer(_TIMEX))
    except (OSError, AttributeError):
        return None
    return state if isinstance(state, int) and state >= 0 else None


def day_of(seconds: float) -> str:
    """The day in UTC, ``2026-01-31``."""
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))


__all__ = ["EARLIEST", "Clock", "day_of"]
