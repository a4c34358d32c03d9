"""One HTTP request to a language model's server, which can be cut from another thread.

A thread that waits for a server's next byte cannot be stopped, and closing its socket does not wake it: shutting the
socket down does. httpcore's trace extension reports every connection that it opens.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import httpx

from .keys import Key
from .redaction import CleanStream, refuse_compressed

#: The header that carries the key, and the text before the key.
Header = tuple[str, str]
#: The SDKs refuse to start without a key; this one is taken out of every request.
NO_KEY = "-"
_STRIPPED = ("authorization", "x-goog-api-key", "openai-organization", "openai-project")


class Call:
    """One request, from its first connection to its end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        #: Whether ``end`` was called: its result is not needed any more.
        self.ended = False
        #: The key that was sent, to be removed from the server's answer.
        self.key: Key | None = None
        #: Whether the request goes through a client of ours, so that we know which key it carries.
        self.known = False

    def end(self) -> None:
        """Cut every connection; a thread that reads from one sees its end."""
        with self._lock:
            self.ended = True
            open_ones = [*self._sockets]
        for connection in open_ones:
            _shut(connection)

    def close(self) -> None:
        """Cut and close every connection; only the thread that reads from them may close them.

        An SDK's generators may keep a response open until they are collected, and the server in its writing.
        """
        self.end()
        for connection in self._sockets:
            with contextlib.suppress(OSError):
                connection.close()

    def opened(self, connection: socket.socket) -> None:
        """Note a connection, or cut it where the call has ended meanwhile."""
        with self._lock:
            if not self.ended:
                self._sockets.append(connection)
                return
        _shut(connection)

    def traced(self, event: str, info: dict[str, Any]) -> None:
        """For httpx's request extension ``trace``."""
        if event.endswith(("connect_tcp.complete", "start_tls.complete", "connect_unix_socket.complete")):
            stream = info.get("return_value")
            connection = stream.get_extra_info("socket") if stream is not None else None
            if isinstance(connection, socket.socket):
                self.opened(connection)


#: The call of the current thread.
current: ContextVar[Call | None] = ContextVar("ragstone_llm_call", default=None)


def _shut(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it may have been closed already
        # Not the method of ``SSLSocket``, which takes its own state away from the thread that reads.
        socket.socket.shutdown(connection, socket.SHUT_RDWR)


def clients(
    key: Callable[[], Key | None], header: Header, timeout: float, *, proxies: bool = True
) -> tuple[httpx.Client, httpx.AsyncClient]:
    """httpx clients whose requests carry the key and can be cut.

    ``key`` is read with every request, so that no SDK ever holds it. ``header``: its name, and the text before the
    key. ``timeout``: seconds without a byte. ``proxies``: whether the environment's are used. No redirects: the key is
    sent to the address in the settings and nowhere else. No connection is kept: every answer has its own to cut.
    """
    name, prefix = header

    def prepare(request: httpx.Request) -> None:
        for stripped in _STRIPPED:
            request.headers.pop(stripped, None)
        found = key()
        if found is not None:
            request.headers[name] = f"{prefix}{found.reveal()}"
        call = current.get()
        if call is not None:
            call.key, call.known = found, True
            request.extensions["trace"] = call.traced
        request.headers["Accept-Encoding"] = "identity"  # the key could not be found in compressed bytes

    def clean(response: httpx.Response) -> None:
        refuse_compressed(response)
        if isinstance(response.stream, httpx.SyncByteStream):
            response.stream = CleanStream(response.stream, key())

    async def prepare_async(request: httpx.Request) -> None:
        prepare(request)
        request.extensions.pop("trace", None)  # an asynchronous request is cut by cancelling its task

    async def clean_async(response: httpx.Response) -> None:
        refuse_compressed(response)

    verify = httpx.create_ssl_context()
    limits = httpx.Limits(max_keepalive_connections=0)
    options: dict[str, Any] = {"timeout": timeout, "limits": limits, "verify": verify, "trust_env": proxies}
    return (
        httpx.Client(**options, event_hooks={"request": [prepare], "response": [clean]}),
        httpx.AsyncClient(**options, event_hooks={"request": [prepare_async], "response": [clean_async]}),
    )
