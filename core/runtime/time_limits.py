"""Time limits of plugins' code.

A thread cannot be ended from outside. Code with a limit runs in a helper thread: when its time is over, the caller
continues without it, and its locks are released. Code that every question calls runs in the caller's own thread once it
was quick a few times, supervised by a watchdog: to hand work to another thread and back took 0.04 ms on an idle
machine, but 8 to 55 ms beside two to four threads that compute.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import PurePath
from types import FrameType
from typing import TypeVar

from ..errors import PluginError
from .background import in_background
from .forks import LockOwner, lock_owner, take_locks_as

_log = logging.getLogger(__name__)

Result = TypeVar("Result")

#: Seconds between two samples of code that is running.
_SAMPLE_SECONDS = 0.5
#: Seconds after which a warning is logged: of the plugin's own time, and of total time, which may load LlamaIndex.
_WARN_OWN, _WARN_TOTAL = 3.0, 10.0
#: Nested calls; beyond this depth a hook calls itself.
_MAX_DEPTH = 16
#: Samples without supervised code after which the watchdog's thread ends.
_IDLE_SAMPLES = 16
#: A call of fewer seconds is quick; after so many of them the next one runs in the caller's thread.
_QUICK, _QUICK_CALLS = 0.2, 3
#: The host's modules in which plugins' code waits for the host: time spent there does not count.
_HOST_MODULES = tuple(
    f"ragstone.core.{name}"
    for name in ("catalog", "embedding", "ingestion", "runtime.forks", "runtime.time_limits", "runtime.fair_semaphore")
)


class TookTooLong(Exception):
    """A plugin's code exceeded its time limit."""


class PluginTimeout(PluginError):
    """A plugin took too long for one question, which fails; it stays loaded."""

    status = 503
    title = "A plugin took too long"


@dataclass(frozen=True)
class TimeLimit:
    """The time that one call of a plugin's code may take, in seconds; 0 means no limit."""

    plugin: str
    #: What is called, such as a hook's name.
    what: str
    #: The package that the plugin's code is in.
    package: str
    #: Of the plugin's own time.
    seconds: float
    #: Of imports, which do not count as its own time.
    importing: float
    #: Of all time, including the host's own work.
    longest: float
    #: The question that the call is for, where the code gets its words.
    question: str = ""


class _Clock:
    """Measures the time of one call by samples of its stack."""

    def __init__(self, limit: TimeLimit) -> None:
        self._limit = limit
        #: That of the call: this one, unless another takes it over.
        self.thread = threading.get_ident()
        self._started = self._sampled = time.monotonic()
        self._own = self._importing = 0.0
        self._warned = False

    @property
    def interval(self) -> float:
        return min(_SAMPLE_SECONDS, self._limit.seconds / 4)

    def excess(self) -> str | None:
        """Take a sample; returns a message if a limit is exceeded."""
        limit, now = self._limit, time.monotonic()
        frame = sys._current_frames().get(self.thread)  # noqa: SLF001 - documented for this
        place = _place(frame, limit.package)
        if place is not None and _is_importing(frame):
            self._importing += now - self._sampled
        elif place is not None:
            self._own += now - self._sampled
        self._sampled, total = now, now - self._started
        if not self._warned and (self._own >= _WARN_OWN or total >= _WARN_TOTAL):
            self._warned = True
            where = f" at {place}" if place else ""
            _log.warning(
                "waiting for the plugin %s: %s%s, %g s at most", limit.plugin, limit.what, where, limit.seconds
            )
        if self._own >= limit.seconds:
            return f"{limit.what} took more than {limit.seconds:g} s{f', at {place}' if place else ''}"
        if limit.importing and self._importing >= limit.importing:
            return f"{limit.what} took more than {limit.importing:g} s to import{f', at {place}' if place else ''}"
        if limit.longest and total >= limit.longest:
            return f"{limit.what} took more than {limit.longest:g} s"
        return None


def run_limited(work: Callable[[], Result], limit: TimeLimit) -> Result:
    """Run ``work`` in a helper thread, in a copy of this context. Raises ``TookTooLong``, and what ``work`` raises."""
    if not limit.seconds:
        return work()
    me = lock_owner()
    if me.depth >= _MAX_DEPTH:
        raise RecursionError("hooks call each other without end")
    helper, context, clock = LockOwner(me), copy_context(), _Clock(limit)

    def run() -> Result:
        clock.thread = threading.get_ident()
        take_locks_as(helper)
        return context.run(work)

    running = in_background(run, f"{limit.plugin} {limit.what}")
    try:
        while not wait([running], clock.interval).done:
            if excess := clock.excess():
                raise TookTooLong(excess)
        return running.result()
    finally:
        helper.end(is_done=running.done())
        del running  # the traceback of its error holds this frame


class Watchdog:
    """Supervises code that every question calls."""

    def __init__(self, expired: Callable[[TimeLimit, str], object]) -> None:
        """``expired``: called with the limit and a message when one is exceeded in the caller's own thread."""
        self._expired = expired
        self._quick: dict[tuple[str, str], int] = {}
        self._watched: dict[object, tuple[TimeLimit, _Clock]] = {}
        self._thread: threading.Thread | None = None
        self._mutex = threading.Lock()

    def run(self, work: Callable[[], Result], limit: TimeLimit) -> Result:
        """Run ``work``. Raises ``TookTooLong`` as long as the code has not been quick a few times."""
        if not limit.seconds:
            return work()
        key = (limit.plugin, limit.what)
        is_trusted = self._quick.get(key, 0) >= _QUICK_CALLS
        started = time.monotonic()
        try:
            if not is_trusted:
                return run_limited(work, limit)
            with self._supervised(limit):
                return work()
        finally:
            was_quick = time.monotonic() - started < min(_QUICK, limit.seconds)
            if not was_quick or not is_trusted:
                self._quick[key] = self._quick.get(key, 0) + 1 if was_quick else 0

    @contextmanager
    def _supervised(self, limit: TimeLimit) -> Iterator[None]:
        key = object()
        self._watched[key] = limit, _Clock(limit)
        if self._thread is None:
            self._start()
        try:
            yield
        finally:
            self._watched.pop(key, None)

    def _start(self) -> None:
        with self._mutex:
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="ragstone watchdog", daemon=True)
                self._thread.start()

    def _watch(self) -> None:
        """The thread's work: sample what runs; end after a while in which nothing did."""
        idle = 0
        while True:
            watched = list(self._watched.items())
            time.sleep(min((clock.interval for _, (_, clock) in watched), default=_SAMPLE_SECONDS))
            for key, (limit, clock) in watched:
                if key in self._watched and (excess := clock.excess()):
                    self._watched.pop(key, None)
                    self._quick[limit.plugin, limit.what] = 0  # the next call is in a helper thread, which can be left
                    self._expired(limit, excess)
            idle = 0 if watched else idle + 1
            if idle > _IDLE_SAMPLES:
                with self._mutex:
                    self._thread = None
                    if not self._watched:
                        return
                    self._thread = threading.current_thread()


def _place(frame: FrameType | None, package: str) -> str | None:
    """File and line of the plugin's code, for messages; ``None`` while the host works for it."""
    innermost = frame
    while frame is not None:
        module = frame.f_globals.get("__name__") or ""
        if _is_within(module, package):
            return _line(frame)
        if module == __name__ and frame.f_code.co_name != run_limited.__name__:
            break  # the caller of the plugin's code
        if any(_is_within(module, known) for known in _HOST_MODULES):
            return None
        frame = frame.f_back
    return "?" if innermost is None else _line(innermost)


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_globals.get("__name__") != __name__:
        if frame.f_globals.get("__name__") == "importlib._bootstrap":
            return True
        frame = frame.f_back
    return False


def _is_within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def _line(frame: FrameType) -> str:
    return f"{'/'.join(PurePath(frame.f_code.co_filename).parts[-2:])}:{frame.f_lineno}"
