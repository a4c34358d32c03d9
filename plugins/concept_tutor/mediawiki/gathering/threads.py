"""Threads that work together on a list."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Crew:
    """Threads that see to keys, one after another, until none is left or one of them raises."""

    def __init__(self, keys: Sequence[str], see_to: Callable[[str], None], is_over: Callable[[], bool]) -> None:
        self._left = deque(keys)
        self._see_to = see_to
        self._is_over = is_over
        self._failed: list[BaseException] = []

    def work(self, hands: int) -> None:
        """Return when all is done. Raises the first error, after the others have ended what they were at."""
        # Daemons, and not an executor's: at the end of the program nobody waits for a wiki.
        threads = [threading.Thread(target=self._work, name=f"ragstone-source-{n}", daemon=True) for n in range(hands)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self._failed:
            raise self._failed[0]

    def _work(self) -> None:
        while not self._failed and not self._is_over():
            try:
                key = self._left.popleft()
            except IndexError:
                return
            try:
                self._see_to(key)
            except BaseException as error:
                self._failed.append(error)
