"""Threads that work through a list."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import wait
from typing import TypeVar

from ragstone.core.runtime import in_background

Item = TypeVar("Item")


def run_in_threads(
    items: Iterable[Item], work: Callable[[Item], None], count: int, is_stopped: Callable[[], bool] = lambda: False
) -> None:
    """Call ``work`` with each item, in ``count`` threads; returns when all are done, or ``is_stopped()``.

    Raises an error of ``work``, after the other threads have finished their items.
    """
    left, failed = iter([*items]), threading.Event()  # of a list: several threads may take from it

    def run() -> None:
        for item in left:
            if failed.is_set() or is_stopped():
                return
            try:
                work(item)
            except BaseException:
                failed.set()
                raise

    # Daemons, and not an executor's: the end of the program does not wait for a wiki.
    threads = [in_background(run, f"ragstone-sources-{number}") for number in range(count)]
    wait(threads)
    for thread in threads:
        thread.result()
