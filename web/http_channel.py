"""Connections of the HTTP server: a request is admitted by its headers, and a client has a time for what it sends."""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, cast

from flask import Flask, Response
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.task import WSGITask

from . import admission
from .settings import WebSettings

#: Seconds in which a client whose request was refused early may read the response, and bytes that are read meanwhile.
_LINGER_SECONDS, _LINGER_BYTES = 2.0, 1_000_000


class Refusal:
    """A response to a request's headers alone, as waitress's ``ErrorTask`` sends it before it closes the connection."""

    def __init__(self, response: Response) -> None:
        self._response = response

    def to_response(self, ident: str | None = None) -> tuple[str, list[tuple[str, str]], bytes]:  # noqa: ARG002
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
        self._channel.refuse(self._request, Refusal(admission.error_response(app, environ, admission.Overloaded())))

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
        #: The request that is being admitted. Nothing is read from the client until what was held back has been parsed.
        self._admitting: RequestParser | None = None
        self.waits_since = time.monotonic()
        self._lingers_until: float | None = None
        self._discarded = 0
        super().__init__(*arguments, **options)

    def received(self, data: bytes) -> bool:
        taken: bool = super().received(data)
        request = cast("RequestParser | None", self.request)
        asked = request is not None and request.held is not None and (request, "admission") != self._awaited
        self._restart_clock()
        if asked and request is not None:
            self._admitting = request
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
        if self._admitting is request:  # and not the next one, whose headers were among what was held back
            self._admitting = None
        self.server.pull_trigger()

    def refuse(self, request: RequestParser, refusal: Refusal) -> None:
        """Answer a request whose body has not been read, and close the connection."""
        with self.requests_lock:
            request.refuse(refusal)
            self.requests.append(request)
            self.request = self._admitting = None
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
        if self._lingers_until not in {None, float("inf")}:
            return self._discarded < _LINGER_BYTES
        return bool(super().readable()) and self._admitting is None

    def handle_read(self) -> None:
        if self._lingers_until is None:
            super().handle_read()
            return
        try:
            self._discarded += len(self.recv(65536)) or _LINGER_BYTES
        except OSError:
            self.handle_close()

    def handle_write(self) -> None:
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
