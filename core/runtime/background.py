"""Work in the background: a call in a thread of its own, or jobs one at a time whose progress can be followed."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Generic, TypeVar

Job = TypeVar("Job")
Key = TypeVar("Key")
Progress = TypeVar("Progress")
Result = TypeVar("Result")

_log = logging.getLogger(__name__)


def in_background(call: Callable[[], Result], name: str) -> Future[Result]:
    """Call it in a daemon thread of that name, for which neither the caller nor the end of the process has to wait."""
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name=name, daemon=True).start()
    return future


class JobQueue(Generic[Job]):
    """Jobs that wait, and the one that is running. Thread-safe.

    The thread is a daemon: what a job stores must be whole at every moment, and a record of it that survives the
    process is the caller's. The ``close`` of an object that ``host.once`` made stops its queue.
    """

    def __init__(self, name: str, run: Callable[[Job], None]) -> None:
        """``name``: of the thread. ``run`` reports a job's failure itself; what it raises is logged."""
        self._name = name
        self._run = run
        self._changed = threading.Condition()
        self._changes = 0
        self._waiting: deque[Job] = deque()
        self._running: Job | None = None
        self._thread: threading.Thread | None = None
        #: Whether ``stop`` was called: a long job may look and end early.
        self.is_stopped = False

    def add(self, job: Job, most: int | None = None) -> bool:
        """Queue a job; returns False if ``most`` wait already. After ``stop`` it is not begun."""
        with self.locked():
            if most is not None and len(self._waiting) >= most:
                return False
            if not self.is_stopped:
                self._waiting.append(job)
                if self._thread is None:
                    self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                    self._thread.start()
        return True

    def stop(self) -> None:
        """Begin no other job. Does not wait for the one that is running."""
        with self.locked():
            self.is_stopped = True
            self._waiting.clear()

    def jobs(self) -> tuple[Job, ...]:
        """The job that is running and those that wait, in order."""
        with self._changed:
            return (*(() if self._running is None else (self._running,)), *self._waiting)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the queue's lock, which may be entered again; afterwards ``follow`` looks for changes."""
        with self._changed:
            yield
            self._changes += 1
            self._changed.notify_all()

    def notify(self) -> None:
        """Let ``follow`` look for changes."""
        with self.locked():
            pass

    def follow(
        self, look: Callable[[], tuple[Mapping[Key, Progress], bool]], pause: float, poll: float = 3600.0
    ) -> Iterator[Progress | None]:
        """Yield each value that ``look`` returns, then those that change, until it returns ``True`` with them.

        It is called after every ``locked``, and every ``poll`` seconds for what other processes change. ``None`` is
        yielded when nothing has changed for ``pause`` seconds.
        """
        known: dict[Key, Progress] = {}
        quiet = time.monotonic()
        while True:
            with self._changed:
                changes = self._changes
            values, is_over = look()
            for key, value in dict(values).items():
                if key not in known or known[key] != value:
                    known[key] = value
                    yield value
                    quiet = time.monotonic()
            if is_over:
                return
            left = quiet + pause - time.monotonic()
            if left <= 0:
                yield None
                quiet = time.monotonic()
                continue
            with self._changed:
                if self._changes == changes:
                    self._changed.wait(min(poll, left))

    def _work(self) -> None:
        while True:
            with self.locked():
                if not self._waiting:
                    self._running = self._thread = None
                    return
                self._running = self._waiting.popleft()
            try:
                self._run(self._running)
            except Exception:
                _log.exception("a job of %s failed", self._name)
