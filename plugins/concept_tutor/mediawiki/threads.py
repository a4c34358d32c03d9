"""Threads that work through a list."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Item = TypeVar("Item")


def run_in_threads(
    items: Iterable[Item], work: Callable[[Item], None], count: int, is_stopped: Callable[[], bool] = lambda: False
) -> None:
    """Call ``work`` with each item, in ``count`` threads; returns when all are done, or ``is_stopped()``.

    Raises the first error of ``work``, after the other threads have finished their items.
    """
    left = deque(items)
    errors: list[BaseException] = []

    def run() -> None:
        while not errors and not is_stopped():
            try:
                item = left.popleft()
            except IndexError:
                return
            try:
                work(item)
            except BaseException as error:
                errors.append(error)

    # Daemons, and not an executor's: the end of the program does not wait for a wiki.
    threads = [threading.Thread(target=run, name=f"ragstone-sources-{number}", daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
