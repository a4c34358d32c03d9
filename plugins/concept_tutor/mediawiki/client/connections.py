"""A session of ``requests`` for one exchange: it connects to checked addresses only, and its sockets are watched.

It takes nothing from the environment (no proxy, no netrc), keeps no cookie and has no way to authenticate.
"""

from __future__ import annotations

import socket
from http.cookiejar import DefaultCookiePolicy
from typing import TYPE_CHECKING, Any, cast

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import NewConnectionError

if TYPE_CHECKING:
    from collections.abc import Callable

    from .deadline import Deadline, Watch

    #: Host and port to an open socket. Raises ``OSError``.
    Dial = Callable[[str, int], socket.socket]


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
                opened = socket.create_connection((address, port), max(0.001, deadline.left() / 2))
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
