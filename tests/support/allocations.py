"""How much memory a piece of work allocates at most."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable


def peak_bytes(work: Callable[[], object]) -> int:
    """The most bytes that Python held for ``work`` at once, beside what it held before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
