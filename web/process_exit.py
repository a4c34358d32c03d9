"""The end of a process whose threads may still compute."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress


def end_process() -> None:
    """End here if a thread still computes, an answer or a book: the host is closed, and whatever is stored is whole.

    The interpreter would stop such a thread within the encoder's native code, and that aborts the process. For
    ``atexit``.
    """
    if any(thread.daemon for thread in threading.enumerate()):
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(0)
