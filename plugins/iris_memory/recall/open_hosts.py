"""The hosts that are open in this process: functions that are called without a host use the first one.

The one place with state of a module. Where a host is open already (a server's, a command's), no second one is opened:
each has an encoder of its own.
"""

from __future__ import annotations

import atexit
import os
import threading
import weakref

from ragstone.core import Host


class OpenHosts:
    """Safe to use from several threads. In a fork of a process with an open host, that host raises ``StorageError``."""

    def __init__(self) -> None:
        self._hosts: dict[int, weakref.ref[Host]] = {}
        self._renew_lock()
        os.register_at_fork(after_in_child=self._renew_lock)

    def _renew_lock(self) -> None:
        """In a fork, a thread that does not exist there may hold the lock."""
        #: Held while a host is opened; its hooks run in other threads, so ``add`` does not take it.
        self._opening = threading.RLock()

    @property
    def first(self) -> Host | None:
        """The host that was opened first and is still open."""
        hosts = (reference() for reference in list(self._hosts.values()))
        return next((host for host in hosts if host is not None), None)

    def first_or_new(self) -> Host:
        """The same; without any, one is opened until the process ends. Raises ``SettingsError``, ``StorageError``."""
        with self._opening:
            host = self.first
            if host is None:
                host = Host.open()
                self.add(host)  # also where the deployment has disabled the plugin
                atexit.register(host.close)
            return host

    def add(self, host: Host) -> None:
        """A host has been opened."""
        self._hosts[id(host)] = weakref.ref(host)

    def discard(self, host: Host) -> None:
        """A host is about to close."""
        self._hosts.pop(id(host), None)


OPEN_HOSTS = OpenHosts()
