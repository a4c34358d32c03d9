"""Time limits of plugins' code.

A thread cannot be ended from outside. Code with a limit runs in a helper thread: when its time is over the caller goes
on without it, and the locks that it holds are taken away. What every question calls runs in the thread that asks once
it was quick a few times, and a watchdog looks after it: to hand work to another thread and back took 0.04 ms on an idle
machine, and 8 to 55 ms beside two to four threads that compute.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeVar

from .forks import LockOwner, lock_owner, take_locks_as

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

_log = logging.getLogger(__name__)

Result = TypeVar("Result")

#: Seconds between two looks at code that is not done.
_LOOK = 0.5
#: Seconds after which the log says what is waited for: of a plugin's own time, and of all, which may load LlamaIndex.
_QUIET = 3.0
_QUIET_IN_ALL = 10.0
#: Calls within calls; beyond them a hook calls itself.
_DEEPEST = 16
#: A call of fewer seconds is quick; after so many of them the next one runs in the thread that asks.
_QUICK, _QUICK_CALLS = 0.2, 3
#: The host's modules in which plugins' code waits for the host: time spent there does not count.
_HOST_AT_WORK = tuple(
    f"ragstone.core.{name}"
    for name in ("catalog", "embedding", "ingestion", "runtime.forks", "runtime.time_limits", "runtime.turns")
)


class TookTooLong(Exception):
    """A plugin's code was not done in time."""


@dataclass(frozen=True)
class TimeLimit:
    """How long a piece of a plugin's code may take."""

    plugin: str
    #: What it is, such as a hook's name.
    what: str
    #: The package whose code is the plugin's.
    package: str
    #: Of the plugin's own time; 0 is no limit.
    seconds: float
    #: Of what it spends in imports, which does not count as its own; 0 is no limit.
    importing: float
    #: Of all time, also of what the host does meanwhile; 0 is no limit.
    longest: float


class _Clock:
    """Counts the time of one piece of code, look by look."""

    def __init__(self, limit: TimeLimit, thread: int) -> None:
        self._limit = limit
        self._thread = thread
        self._begun = self._looked = time.monotonic()
        self._own = self._importing = 0.0
        self._said = False

    @property
    def interval(self) -> float:
        """Seconds until the next look."""
        return min(_LOOK, self._limit.seconds / 4)

    def excess(self) -> str | None:
        """Look; returns how the limit was passed, if it was."""
        limit, now = self._limit, time.monotonic()
        frame = sys._current_frames().get(self._thread)  # noqa: SLF001 - documented for this
        place = _place(frame, limit.package)
        if place is not None and _is_importing(frame):
            self._importing += now - self._looked
        elif place is not None:
            self._own += now - self._looked
        self._looked, total = now, now - self._begun
        if not self._said and (self._own >= _QUIET or total >= _QUIET_IN_ALL):
            self._said = True
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
    """What ``work`` returns, from a thread of its own with this thread's context. Raises ``TookTooLong``, and whatever
    ``work`` raises."""
    if not limit.seconds:
        return work()
    me = lock_owner()
    if me.depth >= _DEEPEST:
        raise RecursionError("hooks call each other without end")
    helper, context = LockOwner(me), copy_context()
    ended = threading.Event()
    outcome: list[tuple[Result | None, BaseException | None]] = []

    def run() -> None:
        take_locks_as(helper)
        try:
            outcome.append((context.run(work), None))
        except BaseException as error:
            outcome.append((None, error))
        finally:
            ended.set()

    thread = threading.Thread(target=run, name=f"{limit.plugin} {limit.what}", daemon=True)
    try:
        thread.start()
        clock = _Clock(limit, thread.ident or 0)
        while not ended.wait(clock.interval):
            if excess := clock.excess():
                raise TookTooLong(excess)
    finally:
        helper.end(is_done=ended.is_set())
    result, error = outcome.pop()
    if error is not None:
        try:
            raise error
        finally:
            del error, outcome  # its traceback holds this frame
    return result  # type: ignore[return-value]  # it is what work returned


class Watchdog:
    """Looks after code that every question calls."""

    def __init__(self, expired: Callable[[str, str], None]) -> None:
        """``expired``: called with a plugin's name and how it passed its limit."""
        self._expired = expired
        self._quick: dict[tuple[str, str], int] = {}
        self._watched: dict[object, tuple[TimeLimit, _Clock]] = {}
        self._thread: threading.Thread | None = None
        self._mutex = threading.Lock()

    def run(self, work: Callable[[], Result], limit: TimeLimit) -> Result:
        """What ``work`` returns. Raises ``TookTooLong`` as long as the code was not quick a few times."""
        key = (limit.plugin, limit.what)
        is_trusted = not limit.seconds or self._quick.get(key, 0) >= _QUICK_CALLS
        begun = time.monotonic()
        try:
            if not is_trusted:
                return run_limited(work, limit)
            with self._watching(limit):
                return work()
        finally:
            was_quick = time.monotonic() - begun < min(_QUICK, limit.seconds)
            if not was_quick or not is_trusted:
                self._quick[key] = self._quick.get(key, 0) + 1 if was_quick else 0

    @contextmanager
    def _watching(self, limit: TimeLimit) -> Iterator[None]:
        if not limit.seconds:
            yield
            return
        key = object()
        self._watched[key] = limit, _Clock(limit, threading.get_ident())
        if self._thread is None:
            self._start()
        try:
            yield
        finally:
            self._watched.pop(key, None)

    def _start(self) -> None:
        with self._mutex:
            if self._thread is None:
                self._thread = threading.Thread(target=self._look, name="ragstone watchdog", daemon=True)
                self._thread.start()

    def _look(self) -> None:
        """In the thread: look at what runs; end after a while in which nothing did."""
        idle = 0
        while True:
            watched = list(self._watched.items())
            time.sleep(min((clock.interval for _, (_, clock) in watched), default=_LOOK))
            for key, (limit, clock) in watched:
                if key in self._watched and (excess := clock.excess()):
                    self._watched.pop(key, None)
                    self._expired(limit.plugin, excess)
            idle = 0 if watched else idle + 1
            if idle > _DEEPEST:
                with self._mutex:
                    self._thread = None
                    if not self._watched:
                        return
                    self._thread = threading.current_thread()


def _place(frame: FrameType | None, package: str) -> str | None:
    """Where the plugin's code is, for people; ``None`` where the host is at work for it."""
    innermost = frame
    while frame is not None:
        module = frame.f_globals.get("__name__") or ""
        if _is_within(module, package):
            return _line(frame)
        if module == __name__ and frame.f_code.co_name != run_limited.__name__:
            break  # where the plugin's code was called
        if any(_is_within(module, known) for known in _HOST_AT_WORK):
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
