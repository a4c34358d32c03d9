"""The host that the module's functions use when they are given none: one in a process, opened when it is first needed.

This is the one place with state of the module's own. Where a host is open already (a server's, a command's), it is
that one: two encoders in one process would be one too many.
"""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from typing import TYPE_CHECKING

from ragstone.core import Host, StorageError

if TYPE_CHECKING:
    from pathlib import Path


class Resident:
    """Safe to use from several threads. In a fork of a process that has a host there is none: fork first, ask then."""

    def __init__(self) -> None:
        #: Held while a host is opened: its hooks come here from threads of their own, and must not wait for it.
        self._opening = threading.RLock()
        #: Held for a moment, to look at what is open or to change it.
        self._lock = threading.Lock()
        self._own: Host | None = None
        self._opened_in: int | None = None
        self._visitors: list[tuple[int, weakref.ref[Host]]] = []
        os.register_at_fork(after_in_child=self._after_fork)

    def host(self) -> Host:
        """The open host: the first that somebody opened and that is still open, else one of its own.

        Raises ``SettingsError``, ``StorageError``.
        """
        with self._opening:
            with self._lock:
                if self._is_fork:
                    raise StorageError(
                        f"process {os.getpid()} is a fork of one that has it open",
                        where="memory",
                        hint="fork first and ask then",
                    )
                found = self._visitor()
            return found if found is not None else self.open()

    def open(self, config: Path | str | None = None) -> Host:
        """A host of its own; ``config`` as for ``Host.open``, which counts only while there is none yet."""
        with self._opening:
            if self._own is None:
                self._opened_in = os.getpid()
                try:
                    self._own = Host.open(config)
                except BaseException:
                    self._opened_in = None
                    raise
                atexit.register(self.close)
            return self._own

    @property
    def open_host(self) -> Host | None:
        """The open host, if there is one; none is opened for it."""
        with self._lock:
            return None if self._is_fork else self._visitor() or self._own

    def close(self) -> None:
        """Close its own host; hosts of others are theirs."""
        with self._lock:
            own, self._own, opened_in = self._own, None, self._opened_in
            self._opened_in = None
        if own is not None and opened_in == os.getpid():
            own.close()
        atexit.unregister(self.close)

    def arrives(self, host: Host) -> None:
        """Somebody has opened a host."""
        with self._lock:
            self._visitors.append((os.getpid(), weakref.ref(host)))

    def leaves(self, host: Host) -> None:
        """A host is about to close."""
        with self._lock:
            self._visitors = [each for each in self._visitors if each[1]() not in {None, host}]
            if host is self._own:  # closed by somebody else than this
                self._own = self._opened_in = None

    @property
    def _is_fork(self) -> bool:
        """Whether a host was open in the process that this one is a fork of: nothing more may be opened here then."""
        visited = (pid for pid, reference in self._visitors if reference() is not None)
        return any(pid != os.getpid() for pid in (self._opened_in, *visited) if pid is not None)

    def _visitor(self) -> Host | None:
        return next((host for _, reference in self._visitors if (host := reference()) is not None), None)

    def _after_fork(self) -> None:
        """Another thread may have held the locks; it is not here to release them."""
        self._opening, self._lock = threading.RLock(), threading.Lock()


RESIDENT = Resident()
