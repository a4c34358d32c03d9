"""The HTTP server: waitress with limits on time, connections and queued requests.

What it adds to waitress, by subclasses of the classes that waitress is made of:

- A request with a body is admitted or refused when its headers are complete (``admission``); no byte of the body of a
  refused request is kept.
- Headers and body have a total time, however slowly they are sent. When connections run out, the one that has waited
  longest without a complete request is closed, so that a new client always finds a place.
- ``Content-Length`` together with ``Transfer-Encoding`` is answered with 400, and the connection is closed.
- Requests are answered by ``threads`` threads. A request that would have to wait for longer than ``queue_seconds``, as
  the requests before it go, is answered with 503 at once. ``/health`` has a thread of its own.
"""

from __future__ import annotations

import resource
import socket
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from flask import Flask
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.server import MultiSocketServer, TcpWSGIServer

from . import admission
from .http_channel import Channel
from .lanes import OVERLOADED, Lanes
from .settings import WebSettings

_ACCEPTED_AT_ONCE = 16


def _application(app: Flask) -> Callable[..., Any]:
    """``app`` as a WSGI application, which also answers requests that were refused for want of time."""

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        if OVERLOADED in environ:
            return admission.error_response(app, environ, admission.Overloaded())(environ, start_response)
        return app(environ, start_response)

    return answer


class _Listener(TcpWSGIServer):  # type: ignore[misc]  # waitress has no types
    channel_class = Channel
    options: WebSettings
    lanes: Lanes
    app: Flask
    most_connections: int

    def handle_accept(self) -> None:
        """Accept what waits to be. Where there are too many, close the one that waits longest for its client."""
        for _ in range(_ACCEPTED_AT_ONCE):
            before = len(self.active_channels)
            super().handle_accept()
            if len(self.active_channels) == before:
                return
            if before >= self.most_connections:
                waiting = [each for each in self.active_channels.values() if not each.requests and not each.will_close]
                if waiting:
                    min(waiting, key=lambda channel: channel.waits_since).will_close = True

    def maintenance(self, now: float) -> None:
        """Close connections on which nothing moves or whose time is over; refuse what has waited for too long."""
        super().maintenance(now)
        monotonic = time.monotonic()
        for channel in self.active_channels.values():
            if channel.is_overdue(monotonic):
                channel.will_close = True
        self.lanes.refuse_late()


class HTTPServer(MultiSocketServer):  # type: ignore[misc]  # waitress has no types
    """Serves ``app`` on listening sockets; ``run()`` blocks until ``KeyboardInterrupt``, ``SystemExit`` or ``stop``."""

    def __init__(self, app: Flask, sockets: Sequence[socket.socket], options: WebSettings, *, most_body: int) -> None:
        """``most_body``: bytes of a request beyond which it is not read to its end, whatever the app would answer."""
        adjustments = Adjustments(
            sockets=list(sockets),
            threads=options.threads,
            # a connection on which nothing moves; one whose question is being answered does not count as such
            channel_timeout=60,
            cleanup_interval=1,
            # keeps reading while an answer is made, and so sees at once that the client has gone
            channel_request_lookahead=1,
            max_request_body_size=most_body,
            max_request_header_size=64 * 1024,
            ident=None,
            server_name="localhost",
        )
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        most = options.connections if files == resource.RLIM_INFINITY else min(options.connections, files // 2)
        adjustments.connection_limit = 2 * most  # never reached: see handle_accept
        self.lanes = Lanes(app, options)
        application = _application(app)
        found: dict[int, Any] = {}
        for each in sockets:
            listener = _Listener(
                application,
                found,
                True,
                each,
                dispatcher=self.lanes,
                adj=adjustments,
                bind_socket=False,
                sockinfo=(each.family, each.type, each.proto, each.getsockname()),
            )
            listener.options, listener.lanes, listener.app, listener.most_connections = options, self.lanes, app, most
            self._trigger = listener.trigger
        self._stopping = threading.Lock()  # the trigger is not closed while it is pulled
        self._stopped = False
        places = [each.getsockname()[:2] for each in sockets]
        super().__init__(found, adjustments, places, self.lanes, None)

    def stop(self) -> None:
        """End ``run()`` from another thread."""
        with self._stopping:
            if not self._stopped:
                self._stopped = True
                self._trigger.pull_trigger()

    def run(self) -> None:
        try:
            while not self._stopped:
                wasyncore.poll2(self.adj.asyncore_loop_timeout, self.map)
        except (SystemExit, KeyboardInterrupt):
            pass
        with self._stopping:
            self._stopped = True
        self.close()
