"""The hosts that are open in this process: a function that is called without a host uses the first one.

Where a host is open already (a server's, a command's), no second one is opened: each has an encoder of its own.
"""

from __future__ import annotations

import atexit
import os
import threading
from weakref import WeakSet

from .host import HOSTS, Host

#: Those that ``first_host`` has opened.
_own: WeakSet[Host] = WeakSet()
#: By process, for in a fork nobody may be there to release it. Held while a host is opened.
_opening: dict[int, threading.RLock] = {}


def open_hosts(plugin: str) -> tuple[Host, ...]:
    """The open hosts whose deployment enables the plugin, the one that was opened first at the front.

    In a fork of a process with an open host, that host raises ``StorageError`` when it is used.
    """
    return tuple(
        host
        for host in list(HOSTS.values())
        if host in _own or any(each.name == plugin and each.state != "disabled" for each in host.plugins)
    )


def first_host(plugin: str) -> Host:
    """The first of ``open_hosts``; without any, one is opened until the process ends.

    Raises ``SettingsError``, ``StorageError``.
    """
    with _opening.setdefault(os.getpid(), threading.RLock()):
        for host in open_hosts(plugin):
            return host
        host = Host.open()
        _own.add(host)
        atexit.register(host.close)
        return host
