"""The HTTP server: waitress with limits on time, connections and queued requests.

What it adds to waitress, by subclasses of the classes that waitress is made of:

- A request with a body is admitted or refused when its headers are complete (``admission``); no byte of the body of a
  refused request is kept.
- Headers and body have a total time, however slowly they come in. When connections run out, the one that has waited
  longest without a complete request is closed, so that a new client always finds a place.
- ``Content-Length`` together with ``Transfer-Encoding`` is answered with 400, and the connection is closed.
- Requests are answered by ``threads`` threads. A request that would have to wait for longer than ``queue_seconds``, as
  the requests before it go, is answered with 503 at once. ``/health`` has a thread of its own.
"""

from __future__ import annotations

import logging
import resource
import socket
import threading
import time
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import MultiSocketServer, TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher, WSGITask
from werkzeug.exceptions import ServiceUnavailable

from . import admission

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from flask import Flask, Response

    from .settings import WebSettings

#: The address that has a thread of its own.
HEALTH = "/health"
#: Seconds in which a client whose request was refused early may read the response, and bytes that are read meanwhile.
_LINGER_SECONDS, _LINGER_BYTES = 2.0, 1_000_000
_ACCEPTED_AT_ONCE = 16
#: Key of the WSGI environment of a request that is refused because too many wait.
_OVERLOADED = "ragstone.overloaded"
#: A request that was let into the queue leaves it unanswered after so many times the longest wait.
_LATE = 1.5
#: Share of the latest request in the moving average of the service time.
_LATEST = 0.1


_quiet = logging.getLogger(f"{__name__}.quiet")
_quiet.setLevel(logging.CRITICAL)


class Overloaded(ServiceUnavailable):
    """More requests are waiting than can be answered in time."""

    def __init__(self) -> None:
        super().__init__(retry_after=5)

    description = "The server has more requests than it can answer in time. Please try again in a moment."


class Refusal:
    """A response to a request's headers alone, as waitress's ``ErrorTask`` sends it before it closes the connection."""

    def __init__(self, response: Response) -> None:
        self._response = response

    def to_response(self, ident: str | None = None) -> tuple[str, list[tuple[str, str]], bytes]:  # noqa: ARG002
        """Status line, headers, body."""
        return self._response.status, list(self._response.headers.items()), self._response.get_data()


class RequestParser(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    """Waitress's parser, which stops behind the headers of a request with a body until it is released."""

    #: What came behind the headers before the request was admitted; ``None`` while nothing is held back.
    held: bytes | None = None
    #: What the request's admission has put into the WSGI environment.
    found: Mapping[str, Any] = MappingProxyType({})
    expect_continue: bool
    _admitted = False
    _expects_continue = False

    def received(self, data: bytes) -> int:
        """Take ``data`` and return how much of it was taken."""
        if self.held is not None:
            self.held += data
            return len(data)
        consumed: int = super().received(data)
        rest = data[consumed:]
        if self.headers_finished and not self.chunked and self.content_length <= len(rest):
            self._admitted = True  # the body is here, of one packet: the app decides, with the same checks
        if self.headers_finished and not self.completed and not self._admitted:
            self.held = rest
            self._expects_continue, self.expect_continue = self.expect_continue, False
            return len(data)
        return consumed

    def release(self) -> bytes:
        """Go on with the body; returns what has been held back."""
        held, self.held = self.held or b"", None
        self.expect_continue = self._expects_continue
        self._admitted = True
        return held

    def parse_header(self, header_plus: bytes) -> None:
        """Parse the headers. Raises ``ParsingError`` also for two statements of the body's length (RFC 9112, 6.1)."""
        super().parse_header(header_plus)
        if "TRANSFER_ENCODING" in self.headers:  # left there of HTTP/1.0, which does not know it
            raise ParsingError("Transfer-Encoding came with a version that does not know it")
        if self.chunked and "CONTENT_LENGTH" in self.headers:
            raise ParsingError("Content-Length and Transfer-Encoding exclude each other")

    def refuse(self, refusal: Refusal) -> None:
        """End the request here, with an error."""
        self.held = None
        self.error = refusal
        self.completed = True


class _Admission:
    """The task that decides on a channel's request whose headers are complete."""

    def __init__(self, channel: Channel, request: RequestParser) -> None:
        self._channel = channel
        self._request = request

    def service(self) -> None:
        task = WSGITask(self._channel, self._request)
        response = admission.refusal(self._channel.server.app, task.get_environment())
        if response is None:
            self._channel.go_on(self._request, task.environ)
        else:
            self._channel.refuse(self._request, Refusal(response))

    def refuse(self, app: Flask) -> None:
        """Give the request up: there was no time to decide."""
        environ = WSGITask(self._channel, self._request).get_environment()
        self._channel.refuse(self._request, Refusal(admission.error_response(app, environ, Overloaded())))

    def cancel(self) -> None:
        self._channel.cancel()


class _Task(WSGITask):  # type: ignore[misc]  # waitress has no types
    """A request to the app, with what its admission has found."""

    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        environ.update(self.request.found)
        return environ


class Channel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """A connection, with a clock for what its client is to send."""

    parser_class = RequestParser
    task_class = _Task
    close_when_flushed: bool

    def __init__(self, *arguments: Any, **options: Any) -> None:
        #: The request and the part of it that is being waited for, and since when. The first headers are waited for
        #: from the moment that the connection was accepted.
        self._awaited: tuple[RequestParser | None, str | None] = (None, "headers")
        self.waits_since = time.monotonic()
        self._lingers_until: float | None = None
        self._discarded = 0
        super().__init__(*arguments, **options)

    def received(self, data: bytes) -> bool:
        """Take what the client has sent."""
        taken: bool = super().received(data)
        request = cast("RequestParser | None", self.request)
        asked = request is not None and request.held is not None and (request, "admission") != self._awaited
        self._restart_clock()
        if asked and request is not None:
            self.server.lanes.admission.add_task(_Admission(self, request))
        return taken

    def go_on(self, request: RequestParser, environ: dict[str, Any]) -> None:
        """Read the body of an admitted request."""
        with self.requests_lock:
            request.found = {name: environ[name] for name in environ if name.startswith("ragstone.")}
            held = request.release()
            if request.expect_continue and not self.requests and not self.sent_continue:
                self.send_continue()
        self.received(held)
        self.server.pull_trigger()

    def refuse(self, request: RequestParser, refusal: Refusal) -> None:
        """Answer a request whose body has not been read, and close the connection."""
        with self.requests_lock:
            request.refuse(refusal)
            self.requests.append(request)
            self.request = None
            if len(self.requests) == 1:
                self.server.add_task(self)
        self._restart_clock()

    def _restart_clock(self) -> None:
        request = cast("RequestParser | None", self.request)
        if request is None:
            part = None
        elif request.held is not None:
            part = "admission"
        else:
            part = "body" if request.headers_finished else "headers"
        if (request, part) != self._awaited:
            is_first = self._awaited == (None, "headers") and part == "headers"
            self._awaited = (request, part)
            if not is_first:
                self.waits_since = time.monotonic()

    def is_overdue(self, now: float) -> bool:
        """Whether the client has had its time for what it is to send."""
        if self._lingers_until is not None:
            return now > self._lingers_until
        request, part = self._awaited
        if self.requests or part not in {"headers", "body"}:
            return False
        limits: WebSettings = self.server.options
        allowed = limits.header_seconds
        if part == "body" and request is not None:
            allowed = limits.body_seconds + request.body_bytes_received / limits.body_bytes_per_second
        return now - self.waits_since > allowed

    def service(self) -> None:
        """Answer the first request. In a thread of its lane."""
        if self.requests and self.requests[0].error is not None:
            self._lingers_until = float("inf")  # from when the response has been sent
        super().service()
        self.waits_since = time.monotonic()

    # A connection that is closed while the client still sends is reset, and the client may lose the response. So the
    # response is ended first (shutdown), and what comes in is read and dropped for a moment.

    def readable(self) -> bool:
        """Whether to read."""
        if self._lingers_until not in {None, float("inf")}:
            return self._discarded < _LINGER_BYTES
        request = cast("RequestParser | None", self.request)
        return bool(super().readable()) and (request is None or request.held is None)

    def handle_read(self) -> None:
        """Read what the client has sent."""
        if self._lingers_until is None:
            super().handle_read()
            return
        try:
            self._discarded += len(self.recv(65536)) or _LINGER_BYTES
        except OSError:
            self.handle_close()

    def handle_write(self) -> None:
        """Send, and close what is to be closed."""
        lingers = self.close_when_flushed and self._lingers_until is not None
        if lingers:
            self.close_when_flushed = False
        super().handle_write()
        if not lingers or not self.connected:
            return
        if self.total_outbufs_len:
            self.close_when_flushed = True
            return
        self._lingers_until = time.monotonic() + _LINGER_SECONDS
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            self.handle_close()


class Lane(ThreadedTaskDispatcher):  # type: ignore[misc]  # waitress has no types
    """Threads with a queue, and how long a new task would wait in it."""

    def __init__(self, threads: int, *, quiet: bool = False) -> None:
        """``quiet``: say nothing of tasks that have to wait."""
        super().__init__()
        self._most = threads
        if quiet:
            self.queue_logger = _quiet
        self._mean = 0.0
        #: By thread, when the task that it serves was begun.
        self._begun: dict[int, float] = {}
        self.set_thread_count(threads)

    def add_task(self, task: Any) -> None:
        """Put it behind the others."""
        super().add_task(_Timed(task, self))

    def serve(self, task: Any) -> None:
        """Do it, in a thread of the lane."""
        thread, begun = threading.get_ident(), time.monotonic()
        with self.lock:
            self._begun[thread] = begun
        try:
            task.service()
        finally:
            with self.lock:
                del self._begun[thread]
                self._mean += _LATEST * (time.monotonic() - begun - self._mean)

    @property
    def wait(self) -> float:
        """Seconds that a new task would wait: the queue's length times the moving average of the service time.

        While every thread has been busy for longer than the average, the shortest of these times takes its place: so
        a queue before threads that all hang is seen to be one before their tasks have ended.
        """
        with self.lock:
            each = self._mean
            if len(self._begun) == self._most:
                each = max(each, time.monotonic() - max(self._begun.values()))
            return len(self.queue) * each / self._most

    def take_late(self, seconds: float) -> list[Any]:
        """Take the tasks out of the queue that have waited in it for longer than that."""
        with self.lock:
            ends = time.monotonic() - seconds
            late = []
            while self.queue and self.queue[0].came < ends:
                late.append(self.queue.popleft().task)
            return late


class _Timed:
    """A task in a lane's queue."""

    def __init__(self, task: Any, lane: Lane) -> None:
        self.task = task
        self.came = time.monotonic()
        self._lane = lane

    def service(self) -> None:
        self._lane.serve(self.task)

    def cancel(self) -> None:
        self.task.cancel()


class Lanes:
    """The server's threads: those that answer, one for ``/health``, two for admission, one that sends refusals."""

    def __init__(self, app: Flask, options: WebSettings) -> None:
        self._app = app
        self._seconds = options.queue_seconds
        self.work = Lane(options.threads)
        self.health = Lane(1, quiet=True)
        self.admission = Lane(2, quiet=True)
        self.refusals = Lane(1, quiet=True)

    def add_task(self, channel: Channel) -> None:
        """Give the channel's first request to the lane that it belongs to."""
        request = channel.requests[0]
        if request.error is not None:
            self.refusals.add_task(channel)
        elif request.path == HEALTH:
            self.health.add_task(channel)
        elif self.work.wait > self._seconds:
            self._refuse(channel)
        else:
            self.work.add_task(channel)

    def refuse_late(self) -> None:
        """Refuse the requests that have waited for too long, whatever the estimate was when they came."""
        for channel in self.work.take_late(_LATE * self._seconds):
            self._refuse(channel)
        for task in self.admission.take_late(_LATE * self._seconds):
            task.refuse(self._app)

    def shutdown(self) -> None:
        """End the threads; what is being answered has five seconds."""
        for lane in (self.admission, self.health, self.refusals):
            lane.set_thread_count(0)
        self.work.shutdown()

    def _refuse(self, channel: Channel) -> None:
        channel.requests[0].found = {_OVERLOADED: True}
        self.refusals.add_task(channel)


def _application(app: Flask) -> Callable[..., Any]:
    """``app`` as a WSGI application, which also answers requests that were refused for want of time."""

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        if _OVERLOADED in environ:
            return admission.error_response(app, environ, Overloaded())(environ, start_response)
        return app(environ, start_response)

    return answer


class _Listener(TcpWSGIServer):  # type: ignore[misc]  # waitress has no types
    """One listening socket."""

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
            self._make_room()

    def _make_room(self) -> None:
        if len(self.active_channels) > self.most_connections:
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
        """``most_body``: bytes of a request beyond which it is not read to its end, whatever the app would say."""
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
        self._stopped = False
        places = [each.getsockname()[:2] for each in sockets]
        super().__init__(found, adjustments, places, self.lanes, None)

    def stop(self) -> None:
        """End ``run()`` from another thread."""
        self._stopped = True
        self._trigger.pull_trigger()

    def run(self) -> None:
        """Serve until then, and close everything."""
        try:
            while not self._stopped:
                wasyncore.poll2(self.adj.asyncore_loop_timeout, self.map)
        except (SystemExit, KeyboardInterrupt):
            pass
        self.close()
