"""Watches the root: one update for a burst of writes, and a whole scan from time to time for missed events."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ragstone.core import Host, MissingExtra, RagstoneError, require_extra
from ragstone.core.ingestion import IngestProgress

from .memory import Memory, memory_of
from .missing import Missing
from .scan import FileTypes
from .updater import UpdateReport

_log = logging.getLogger(__name__)

#: A burst ends after this many milliseconds without an event, or when it has lasted this long: what a process writes
#: continuously must be found too.
_QUIET_MS = 50
_LONGEST_BURST_MS = 400
#: Milliseconds between two checks whether to stop.
_WAKE_MS = 500
#: Seconds until the next try after a failure, such as a full disk.
_AFTER_FAILURE = 2.0


class _Stopped(Exception):
    """The watcher was stopped during an update."""


class Watcher:
    """Updates one memory whenever its files change, until it is stopped; at the start once in any case."""

    def __init__(self, memory: Memory, on_update: Callable[[UpdateReport], None] = lambda _report: None) -> None:
        """``on_update`` is called with each report that has news. Raises ``MissingExtra`` without watchfiles."""
        require_extra("memory", "watchfiles")
        self._memory = memory
        self._on_update = on_update
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        #: Set while events are received.
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

    def close(self) -> None:
        """End it, and wait until it has ended."""
        self.end()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def run(self) -> None:
        """Watch until ``end`` or ``close`` is called. What fails is logged and tried again."""
        while not self._stop.is_set():
            try:
                for _ in self._triggers():
                    report = self._memory.update(self._raise_if_stopped)
                    self._failed = ""
                    news = report.missing != self._missing
                    self._missing = report.missing
                    for each in report.missing if news else ():
                        _log.warning("the memory is not as the files are: %s", each)
                    if report.changed or report.left_out or news:
                        self._on_update(report)
            except _Stopped:
                return
            except (RagstoneError, OSError) as error:  # an OSError: the system gives no more watches
                if str(error) != self._failed:  # once is enough while a disk is away
                    again = f"tried again every {_AFTER_FAILURE:g} seconds"
                    _log.warning("the memory is not as the files are (%s): %s", again, error)
                self._failed = str(error)
                self._stop.wait(_AFTER_FAILURE)
            self.watching.clear()

    def _raise_if_stopped(self, _progress: IngestProgress) -> None:
        """Interrupt a large update: what is stored stays, and the next update continues."""
        if self._stop.is_set():
            raise _Stopped

    def _triggers(self) -> Iterator[None]:
        """Yield at once, after each burst, and every ``rescan_seconds``; end when another folder has the root's name.

        Watches are on the folder, not on its name: they do not see a folder that takes its place.
        """
        from watchfiles import watch

        settings = self._memory.settings
        due, root = 0.0, self._memory.root
        watched = self._identity(root)
        events = watch(
            root,
            watch_filter=watch_filter(self._memory),
            debounce=_LONGEST_BURST_MS,
            step=_QUIET_MS,
            stop_event=self._stop,
            rust_timeout=_WAKE_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
            ignore_permission_denied=True,
        )
        with contextlib.closing(events):
            for changes in events:
                self.watching.set()
                if changes or time.monotonic() >= due:
                    yield
                    due = time.monotonic() + settings.rescan_seconds
                if self._identity(root) != watched:
                    return

    def _identity(self, root: Path) -> tuple[int, int]:
        try:
            found = root.stat()
        except FileNotFoundError as error:
            raise self._memory.missing_root() from error
        return found.st_dev, found.st_ino


def watch_filter(memory: Memory) -> Callable[[object, str], bool]:
    """Whether a change at a path may change the memory. A change of Ragstone's own files never does."""
    root, own = memory.root, memory.own_folders()
    types = FileTypes(memory.settings.map, memory.settings.exclude)

    def concerns(_change: object, path: str) -> bool:
        changed = Path(path)
        if any(changed.is_relative_to(folder) for folder in own) or not changed.is_relative_to(root):
            return False
        relative = changed.relative_to(root)
        return not any(types.excluded(each.as_posix()) for each in (relative, *relative.parents[:-1]))

    return concerns


def background_watcher(host: Host) -> Watcher | None:
    """The watcher of a server, if the settings say so; for ``host.once``, as the host closes it."""
    memory = memory_of(host)
    if not memory.settings.watch or memory.settings.root is None:
        return None
    try:
        watcher = Watcher(memory)
    except MissingExtra as error:
        _log.warning("the memory is not watched: %s", error)
        return None
    watcher.start()
    return watcher
