"""A wiki's server on loopback that misbehaves on request: it writes bytes, one act a request, the last one repeated."""

from __future__ import annotations

import contextlib
import gzip
import json
import select
import socket
import socketserver
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from tests.support.patience import HANG

Act = Callable[[socket.socket], None]

#: Seconds that a stall or a drip lasts: longer than any test waits.
_LONGEST = 2 * HANG
HTML = "text/html; charset=utf-8"


class Server:
    """Answers each request with the next act, and remembers what it was asked."""

    def __init__(self, *acts: Act, tls: ssl.SSLContext | None = None) -> None:
        self._tls = tls
        self._acts = deque(acts)
        self._lock = threading.Lock()
        #: First line and headers of every request.
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.times: list[float] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def port(self) -> int:
        return int(self._tcp.server_address[1])

    def acts(self, *acts: Act) -> None:
        self._acts = deque(acts)

    def __enter__(self) -> Server:
        owner = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                if owner._tls is None:
                    owner.handle(self.request)
                    return
                try:
                    with owner._tls.wrap_socket(self.request, server_side=True) as secured:
                        owner.handle(secured)
                except OSError:
                    pass  # the client did not like the certificate

        self._tcp = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._tcp.daemon_threads = True
        threading.Thread(target=self._tcp.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._tcp.shutdown()
        self._tcp.server_close()

    def handle(self, connection: socket.socket) -> None:
        data = b""
        while b"\r\n\r\n" not in data:
            piece = connection.recv(65536)
            if not piece:
                return
            data += piece
        first, *lines = data.decode("latin-1").split("\r\n\r\n")[0].split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        with self._lock:
            self.asked.append((first, headers))
            self.times.append(time.monotonic())
            act = self._acts.popleft() if len(self._acts) > 1 else self._acts[0]
        with contextlib.suppress(OSError):
            act(connection)


def answer(status: int = 200, body: bytes = b"", kind: str = HTML, **headers: str) -> Act:
    """A whole answer."""
    result = {"Content-Type": kind, "Content-Length": str(len(body))}
    result |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = f"HTTP/1.1 {status} Said\r\n" + "".join(f"{k}: {v}\r\n" for k, v in result.items()) + "\r\n"
    return lambda connection: connection.sendall(head.encode("latin-1") + body)


def page(title: str = "Dog", revision: int = 7, extra: str = "", **headers: str) -> Act:
    return answer(200, html(title, revision, extra), HTML, **headers)


def html(title: str = "Dog", revision: int = 7, extra: str = "") -> bytes:
    about = f"https://wiki.example/wiki/Special:Redirect/revision/{revision}"
    head = f'<!DOCTYPE html>\n<html about="{about}"><head><meta charset="utf-8"/><title>{title}</title></head>'
    return f"{head}<body>{extra}<p>Dogs bark.</p></body></html>".encode()


def found(*pages: dict[str, Any]) -> Act:
    return answer(body=json.dumps({"pages": list(pages)}).encode(), kind="application/json")


def moved(location: str, status: int = 302) -> Act:
    return answer(status, Location=location)


def packed(body: bytes) -> Act:
    return answer(body=gzip.compress(body), Content_Encoding="gzip")


def stall(first: bytes = b"") -> Act:
    """These bytes, and then nothing."""

    def act(connection: socket.socket) -> None:
        connection.sendall(first)
        select.select([connection], [], [], _LONGEST)

    return act


def drip(first: bytes, piece: bytes = b"x", pause: float = 0.02) -> Act:
    """These bytes, and then a few now and then for as long as the client listens."""

    def act(connection: socket.socket) -> None:
        connection.sendall(first)
        ends = time.monotonic() + _LONGEST
        while time.monotonic() < ends and not select.select([connection], [], [], pause)[0]:
            connection.sendall(piece)

    return act
