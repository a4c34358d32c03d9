"""The hosts that are open in this process: a function that is called without a host uses the first one.

Where a host is open already (a server's, a command's), no second one is opened: each has an encoder of its own.
"""

from __future__ import annotations

import atexit
import os
import threading
from typing import TYPE_CHECKING
from weakref import WeakSet, WeakValueDictionary

if TYPE_CHECKING:
    from .host import Host

_hosts: WeakValueDictionary[int, Host] = WeakValueDictionary()
#: Those that ``first_host`` has opened.
_own: WeakSet[Host] = WeakSet()


#: Held while a host is opened; its hooks run in other threads, so ``add_host`` does not take it.
_opening = threading.RLock()


def _renew_lock() -> None:
    """In a fork, a thread that does not exist there may hold the lock."""
    global _opening  # noqa: PLW0603
    _opening = threading.RLock()


os.register_at_fork(after_in_child=_renew_lock)


def open_hosts(plugin: str) -> tuple[Host, ...]:
    """The open hosts whose deployment enables the plugin, the one that was opened first at the front.

    In a fork of a process with an open host, that host raises ``StorageError`` when it is used.
    """
    return tuple(
        host
        for host in list(_hosts.values())
        if host in _own or any(each.name == plugin and each.state != "disabled" for each in host.plugins)
    )


def first_host(plugin: str) -> Host:
    """The first of ``open_hosts``; without any, one is opened until the process ends.

    Raises ``SettingsError``, ``StorageError``.
    """
    from .host import Host

    with _opening:
        for host in open_hosts(plugin):
            return host
        host = Host.open()
        _own.add(host)
        atexit.register(host.close)
        return host


def add_host(host: Host) -> None:
    """A host is being opened."""
    _hosts[id(host)] = host


def remove_host(host: Host) -> None:
    """A host is being closed."""
    _hosts.pop(id(host), None)
