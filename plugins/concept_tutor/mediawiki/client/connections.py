"""One exchange: a deadline for all that it does, and a session of ``requests`` that connects to checked addresses only.

The session takes nothing from the environment (no proxy, no netrc), keeps no cookie and has no way to authenticate.
What ``requests`` calls a timeout is the longest pause between two reads: a server that sends a byte now and then
outlives it. So the sockets are watched: at the deadline they are shut, which wakes the thread that reads from them,
within a TLS handshake as well.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable
from http.cookiejar import DefaultCookiePolicy
from typing import Any, cast

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import NewConnectionError

from ragstone.core.runtime import Deadline

#: Host and port to an open socket. Raises ``OSError``.
Dial = Callable[[str, int], socket.socket]


class Watch:
    """Shuts the sockets that it was given when the deadline is over: a context around one exchange."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._over = False
        #: Whether something was cut off: what came then looks like all there is, but is not.
        self.cut = False
        self._timer = threading.Timer(deadline.left, self._shut)
        self._timer.daemon = True

    def __enter__(self) -> Watch:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True
            for held in self._sockets:
                held.close()
            self._sockets.clear()

    def hold(self, opened: socket.socket) -> None:
        """Watch this one too. A copy of it is kept: TLS takes the socket itself away."""
        with self._lock:
            if self._over:
                opened.close()
                raise TimeoutError("the deadline is over")
            self._sockets.append(opened.dup())

    def wait_for_the_end(self, seconds: float) -> None:
        """Until the other side has closed what it was asked to close, but no longer than ``seconds``.

        A server that has sent its answer may still be busy with the request. What it sends meanwhile is dropped.
        """
        ends = time.monotonic() + min(seconds, self._deadline.left / 2)  # what was got must not come too late
        with self._lock:
            held = list(self._sockets)
        for one in held:
            with contextlib.suppress(OSError, ValueError):  # it has ended by itself
                while (left := ends - time.monotonic()) > 0:
                    one.settimeout(left)
                    if not one.recv(65_536):
                        break

    def _shut(self) -> None:
        with self._lock:
            if self._over:
                return
            self._over = self.cut = True
            for held in self._sockets:
                with contextlib.suppress(OSError):  # it has ended by itself
                    held.shutdown(socket.SHUT_RDWR)


def session(dial: Dial) -> requests.Session:
    """A session whose connections are opened by ``dial``; to be closed after one exchange."""
    made = _Session()
    made.trust_env = False
    made.headers.clear()
    made.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    adapter = _Dialling(dial)
    made.mount("https://", adapter)
    made.mount("http://", adapter)
    return made


def dialler(addresses: tuple[str, ...], host: str, deadline: Deadline, watch: Watch) -> Dial:
    """Connects to one of ``addresses`` for ``host``, and to any other name (a proxy's) as the system says."""

    def dial(name: str, port: int) -> socket.socket:
        failed: OSError = OSError("no address")
        for address in addresses if name.strip("[]").lower() == host else (name,):
            try:
                # Not more than its part of the time: the next address may be the one that answers.
                opened = socket.create_connection((address, port), max(0.001, deadline.left / 2))
            except OSError as error:
                failed = error
            else:
                watch.hold(opened)
                return opened
        raise failed

    return dial


class _Session(requests.Session):
    def get_redirect_target(self, resp: requests.Response) -> None:
        """None: it would be parsed, and its address made ready, whether redirects are followed or not."""


class _Dialled:
    dial: Dial

    def _new_conn(self) -> socket.socket:
        connection = cast("HTTPConnection", self)
        try:
            opened = type(self).dial(connection.host, connection.port or connection.default_port)
        except OSError as error:
            raise NewConnectionError(connection, f"cannot connect: {error}") from error
        opened.settimeout(connection.timeout if isinstance(connection.timeout, int | float) else None)
        return opened


class _Dialling(HTTPAdapter):
    def __init__(self, dial: Dial) -> None:
        super().__init__(max_retries=0)
        kinds = {"http": HTTPConnection, "https": HTTPSConnection}
        self._kinds: dict[str, Any] = {
            scheme: type(f"Dialled{kind.__name__}", (_Dialled, kind), {"dial": staticmethod(dial)})
            for scheme, kind in kinds.items()
        }

    def get_connection_with_tls_context(self, *arguments: Any, **options: Any) -> Any:
        pool = super().get_connection_with_tls_context(*arguments, **options)
        cast("Any", pool).ConnectionCls = self._kinds[pool.scheme]
        return pool
