"""From WSGI, where a request has a thread, to the SDK's ASGI application, where all share an event loop.

The SDK's streamable HTTP is made for ASGI alone, and this server is WSGI. One thread runs the event loop; a request's
own thread hands it the body, and passes on what comes back, piece by piece. The SDK's server runs without
sessions: nothing is kept between two requests, so that several web workers are as good as one, and a client that dies
leaves nothing behind. That needs a hundredth of what a general bridge does (a2wsgi bridges more, and knows nothing of a
client of waitress that goes while it waits).
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from ragstone.core import Host, RagstoneError

from ..keys.access import Access
from .server import SCOPE, server_of

#: Seconds between two checks whether the client is still there.
_LOOK = 0.5
#: Seconds for the event loop to begin, and to end.
_LONGEST = 10.0
#: What is for one connection alone; WSGI servers see to it themselves.
_HOP_BY_HOP = frozenset({"connection", "keep-alive", "transfer-encoding", "upgrade", "te", "trailer"})


class BridgeClosed(RagstoneError):
    """The host is closing."""

    status = 503
    title = "Not now"


@dataclass(frozen=True)
class Sent:
    """A request."""

    headers: list[tuple[bytes, bytes]]
    body: bytes
    access: Access
    #: Whether the client has hung up.
    left: Callable[[], bool]


class Bridge:
    """One of a host; made by ``host.once``. Its event loop begins with the first request."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._stop: asyncio.Event | None = None
        self._manager: StreamableHTTPSessionManager | None = None
        self._closed = False

    def answer(self, sent: Sent) -> tuple[int, list[tuple[str, str]], Iterator[bytes]]:
        """Status, headers, and the body as it comes; closing the iterator stops the work on it."""
        loop = self._running()
        messages: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        working = asyncio.run_coroutine_threadsafe(self._exchange(sent, messages.put), loop)
        start = _next(messages, sent.left)
        if start is None:
            working.cancel()
            raise BridgeClosed("the answer was given up: the client has gone, or the server stops")
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in start["headers"]]
        kept = [(name, value) for name, value in headers if name.lower() not in _HOP_BY_HOP]
        return start["status"], kept, _body(messages, sent.left, working)

    def close(self) -> None:
        """Stop the event loop; what is under way ends unanswered."""
        with self._lock:
            self._closed = True
            loop, thread, stop = self._loop, self._thread, self._stop
        if loop is not None and stop is not None and thread is not None:
            with suppress(RuntimeError):  # it has ended by itself
                loop.call_soon_threadsafe(stop.set)
            thread.join(_LONGEST)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._closed:
                raise BridgeClosed("the server stops")
            if self._loop is None:
                ready = threading.Event()
                self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(ready)), name="mcp", daemon=True)
                self._thread.start()
                if not ready.wait(_LONGEST) or self._loop is None:
                    raise BridgeClosed("the event loop of MCP did not begin")
            return self._loop

    async def _serve(self, ready: threading.Event) -> None:
        # Host and Origin are looked at before a request comes here, as for every page: one place, one setting.
        self._manager = StreamableHTTPSessionManager(app=server_of(self._host), stateless=True)
        async with self._manager.run():
            self._stop = asyncio.Event()
            self._loop = asyncio.get_running_loop()
            ready.set()
            await self._stop.wait()

    async def _exchange(self, sent: Sent, put: Callable[[dict[str, Any] | None], None]) -> None:
        given = False
        for_ever = asyncio.Event()

        async def receive() -> dict[str, Any]:
            nonlocal given
            if given:
                await for_ever.wait()  # a client that goes cancels the whole exchange
            given = True
            return {"type": "http.request", "body": sent.body, "more_body": False}

        async def send(message: Any) -> None:
            put(message)

        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": "/mcp",
            "raw_path": b"/mcp",
            "query_string": b"",
            "root_path": "",
            "headers": sent.headers,
            SCOPE: sent.access,
        }
        assert self._manager is not None  # noqa: S101 - for the type checker: it was made before the loop began
        try:
            await self._manager.handle_request(scope, receive, send)
        finally:
            put(None)


def _next(messages: queue.SimpleQueue[dict[str, Any] | None], left: Callable[[], bool]) -> dict[str, Any] | None:
    """Return the next message; ``None`` when none will come, or the client has left."""
    while not left():
        with suppress(queue.Empty):
            return messages.get(timeout=_LOOK)
    return None


def _body(
    messages: queue.SimpleQueue[dict[str, Any] | None], left: Callable[[], bool], working: Future[None]
) -> Iterator[bytes]:
    try:
        while (message := _next(messages, left)) is not None:
            if piece := message.get("body", b""):
                yield piece
            if not message.get("more_body", False):
                return
    finally:
        working.cancel()
