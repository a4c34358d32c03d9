"""Watching the root: a burst of writes is one update, and a whole look from time to time finds what was missed."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.core import MissingExtra, RagstoneError, require_extra

from ..settings import IrisMemorySettings
from .file_types import Kinds
from .memory import memory_of, root_away

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ragstone.core import Host, IngestProgress

    from .memory import Memory
    from .missing import Missing
    from .updater import UpdateReport

_log = logging.getLogger(__name__)

#: A burst is over after this many milliseconds without an event, or when it has lasted this long: a writer that never
#: rests must not keep what it wrote from being found.
_QUIET_MS = 50
_LONGEST_BURST_MS = 400
#: How often the watcher looks whether it is to stop, in milliseconds.
_WAKE_MS = 500
#: Seconds after a failure (a disk that is away, a full one) before it is tried again.
_AFTER_FAILURE = 2.0


class _Ended(Exception):
    """The watcher was told to end in the middle of an update."""


class Watcher:
    """Keeps one memory as the files are, until it is stopped. One whole update begins it."""

    def __init__(self, memory: Memory, told: Callable[[UpdateReport], None] = lambda _report: None) -> None:
        """``told`` hears of each update that changed something. Raises ``MissingExtra`` without watchfiles."""
        require_extra("memory", "watchfiles")
        self._memory = memory
        self._told = told
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        #: Set as soon as events are heard.
        self.watching = threading.Event()
        self._failed = ""
        self._missing: list[Missing] = []

    def start(self) -> None:
        """Watch in a thread of its own."""
        self._thread = threading.Thread(target=self.run, name="ragstone-memory", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Let ``run`` return when the files that are being embedded are stored. Does not wait."""
        self._stop.set()

    def stop(self) -> None:
        """End it, and wait until it has ended."""
        self.end()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def run(self) -> None:
        """Watch until ``stop`` is called. What fails is logged and tried again."""
        while not self._stop.is_set():
            try:
                for _ in self._moments():
                    report = self._memory.update(self._heed)
                    self._failed = ""
                    news = report.missing != self._missing
                    self._missing = report.missing
                    for each in report.missing if news else ():
                        _log.warning("the memory is not as the files are: %s", each)
                    if report.changed or report.left_out or news:
                        self._told(report)
            except _Ended:
                return
            except (RagstoneError, OSError) as error:  # an OSError: the system gives no more watches
                if str(error) != self._failed:  # once is enough while a disk is away
                    _log.warning("the memory is not as the files are: %s", error)
                self._failed = str(error)
                self._stop.wait(_AFTER_FAILURE)
            self.watching.clear()

    def _heed(self, _progress: IngestProgress) -> None:
        """Do not wait until a large update is over: what was stored stays, the next one goes on."""
        if self._stop.is_set():
            raise _Ended

    def _moments(self) -> Iterator[None]:
        """Moments at which to look: at once, after each burst, and every ``rescan_seconds``; until the root is another.

        Whoever puts another folder in its place is heard no more: watches are on the folder and not on its name.
        """
        from watchfiles import watch

        settings = self._memory.settings
        matters = _Matters(self._memory)
        due, root = 0.0, self._memory.root
        watched = _identity(root)
        heard = watch(
            root,
            watch_filter=matters,
            debounce=_LONGEST_BURST_MS,
            step=_QUIET_MS,
            stop_event=self._stop,
            rust_timeout=_WAKE_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
            ignore_permission_denied=True,
        )
        with contextlib.closing(heard):
            for changes in heard:
                self.watching.set()
                if changes or time.monotonic() >= due:
                    yield
                    due = time.monotonic() + settings.rescan_seconds
                if _identity(root) != watched:
                    return


def _identity(root: Path) -> tuple[int, int]:
    try:
        found = root.stat()
    except FileNotFoundError as error:
        raise root_away(root) from error
    return found.st_dev, found.st_ino


class _Matters:
    """Whether a change at a path may change what is remembered. What Ragstone itself writes never does."""

    def __init__(self, memory: Memory) -> None:
        settings = memory.settings
        self._root = memory.root
        self._kinds = Kinds(settings.map, settings.exclude)
        self._own = (memory.host.settings.data_dir.resolve(), memory.host.settings.cache_dir.resolve())

    def __call__(self, _change: object, path: str) -> bool:
        changed = Path(path)
        if any(changed.is_relative_to(folder) for folder in self._own) or not changed.is_relative_to(self._root):
            return False
        relative = changed.relative_to(self._root)
        above = [parent.as_posix() for parent in relative.parents[:-1]]
        return not any(self._kinds.excluded(each) for each in (*above, relative.as_posix()))


class _Background:
    """The watcher of a host that lives long."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._watcher: Watcher | None = None

    def start(self) -> None:
        try:
            self._watcher = Watcher(memory_of(self._host))
        except MissingExtra as error:
            _log.warning("the memory is not watched: %s", error)
        else:
            self._watcher.start()

    def stop(self) -> None:
        if self._watcher is not None:
            self._watcher.stop()


def watch_while_open(host: Host) -> None:
    """Watch the memory's root until the host closes, if the settings say so."""
    settings = host.options(IrisMemorySettings)
    if settings.watch and settings.root is not None:
        host.once(_Background).start()


def stop_watching(host: Host) -> None:
    """End what ``watch_while_open`` began."""
    host.once(_Background).stop()
