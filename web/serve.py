"""``ragstone serve``: the web front behind waitress, by default on this machine only."""

from __future__ import annotations

import atexit
import errno
import gc
import logging
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import metadata

import click
from flask import Flask
from threadpoolctl import threadpool_limits

from ragstone.core import EncoderError, Host, RagstoneError, StorageError

from . import rates
from .app import create_app, takes_files
from .http_server import HTTPServer
from .keys.authentication import needs_keys
from .keys.store import Keys
from .process_exit import end_process
from .security import is_loopback
from .settings import WebSettings

_log = logging.getLogger(__name__)


class ListenError(RagstoneError):
    """The web front cannot listen where it should."""

    title = "The address cannot be used"


def serve_until_stopped(host: Host, address: str | None, port: int | None, *, show: bool) -> None:
    """Serve the pages and the JSON endpoints until a signal. ``show``: open the page in the browser.

    Raises ``ListenError``.
    """
    options = host.hooks.options(WebSettings)
    address = address or options.host
    sockets = bind(address, options.port if port is None else port)
    app = create_app(host, listen=address)
    rates.share(app, host.catalog.shared.notices)
    host.serve()
    settle(host)
    server = make_server(app, sockets, options)
    url = url_of(sockets[0])
    with _stopping_on_signals():
        click.echo(f"Ragstone {metadata.version('ragstone')} at {url} (Ctrl+C stops it)")
        if needs_keys(options, address):
            if not Keys(host).list():
                click.echo("Nobody can ask yet: a key is needed, and there is none. ragstone key add NAME", err=True)
        elif not is_loopback(address):
            click.echo("Everybody who reaches this machine can ask: [plugins.web] access says so.", err=True)
        if show:
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
        server.run()
    atexit.register(end_process)


def settle(host: Host) -> None:
    """Make this process one that answers many at once: what is slow the first time is done now.

    The garbage collector passes over what stays for good: a full collection over the libraries' objects stops an
    answer for more than 100 ms. And numpy multiplies in the thread that asks: with eight clients on two cores, threads
    of its own halved the number of questions that were answered.
    """
    threadpool_limits(1, "blas")
    # a thread that only passes on waits so long for each one that computes, Python's default being 5 ms
    sys.setswitchinterval(0.0005)
    with suppress(EncoderError, StorageError):  # /health reports it, and so does every question
        for encoder in host.pipeline.encoders():
            encoder.embed_query("warm up")
    gc.collect()
    gc.freeze()


def bind(address: str, port: int) -> list[socket.socket]:
    """Return sockets that listen on ``address`` (one for each of its IP addresses) and ``port``.

    Raises ``ListenError`` where the port is taken or forbidden, or the address is not this machine's.
    """
    where = f"{address}:{port}"
    sockets: list[socket.socket] = []
    try:
        found = socket.getaddrinfo(address.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, place in dict.fromkeys((entry[0], entry[4][:2]) for entry in found):
            # with port 0, a name's other addresses take the port that the first one got
            free = sockets[0].getsockname()[1] if sockets else port
            sockets.append(socket.create_server((str(place[0]), free), family=family, backlog=1024))
    except OSError as error:
        if sockets and error.errno in {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}:
            return sockets  # "localhost" has an IPv6 address in /etc/hosts, and the machine no IPv6
        for opened in sockets:
            opened.close()
        raise _unusable(error, where, port) from error
    return sockets


def _unusable(error: OSError, where: str, port: int) -> ListenError:
    if error.errno == errno.EADDRINUSE:
        return ListenError(
            f"port {port} is in use", where=where, hint=f"try --port {min(port + 1, 65535)}, or --port 0"
        )
    if error.errno == errno.EACCES:
        return ListenError(f"port {port} may not be used by this user", where=where, hint="try --port 8000")
    reason = (error.strerror or str(error)).lower()
    return ListenError(f"cannot listen there: {reason}", where=where, hint="see --host and --port")


def make_server(app: Flask, sockets: list[socket.socket], options: WebSettings) -> HTTPServer:
    """Return the server over ``sockets``; its ``run()`` blocks."""
    # Flask answers too large a body with a problem; beyond four times its limit it is not even read
    most_body = max(4 * options.max_body_bytes, 2 * options.max_upload_bytes if takes_files(app) else 0)
    return HTTPServer(app, sockets, options, most_body=most_body)


def url_of(listening: socket.socket) -> str:
    """Return the address to type into a browser on this machine."""
    address, port = listening.getsockname()[:2]
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(address)  # noqa: S104 - a name for it, not a use of it
    return f"http://{name or (f'[{address}]' if ':' in address else address)}:{port}/"


@contextmanager
def _stopping_on_signals() -> Iterator[None]:
    """Let SIGTERM stop the server as Ctrl+C does: answers in flight have five seconds; the exit code is 0."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        _log.info("stopped")
    finally:
        signal.signal(signal.SIGTERM, before)
