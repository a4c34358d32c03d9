"""A language model's server on loopback that speaks OpenAI's and Gemini's protocols, and misbehaves on request.

It streams scripted acts as server-sent events, one a request, and records the requests::

    with Server() as server:
        server.acts(refuse(429, retry_after="0"), say("Wheels ", "turn [1]."))
"""

from __future__ import annotations

import gzip
import json
import select
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Act = Callable[["Handler"], None]

#: Seconds after which an act that waits for its client to go gives up.
_LONGEST = 60.0


@dataclass(frozen=True)
class Asked:
    """One request."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        """The whole request as text."""
        return json.dumps(self.body, ensure_ascii=False)


class Server:
    """Answers each request with the next act; the last one is repeated."""

    def __init__(self) -> None:
        self._acts: deque[Act] = deque()
        self._lock = threading.Lock()
        self.asked: list[Asked] = []
        #: What it says to a GET: the models that it lists, or a status; and the headers that came with the last one.
        self.models: list[str] | int = ["m"]
        self.listed_for: dict[str, str] = {}
        #: Set as soon as a client has closed its connection while an act was waiting or writing.
        self.left = threading.Event()

    def acts(self, *acts: Act) -> None:
        """Do these next, in order."""
        self._acts.extend(acts)

    @property
    def base(self) -> str:
        """What ``[llm] api_base`` is to be."""
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> Server:
        handler = type("OwnHandler", (Handler,), {"owner": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(_LONGEST)

    def next_act(self, asked: Asked) -> Act:
        """Note the request and give the act for it."""
        with self._lock:
            self.asked.append(asked)
            return self._acts.popleft() if len(self._acts) > 1 else self._acts[0]


class Handler(BaseHTTPRequestHandler):
    """Speaks the protocol for the acts."""

    owner: Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        act = self.owner.next_act(Asked(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
        try:
            act(self)
        except OSError:
            self.owner.left.set()
        self.close_connection = True

    def do_GET(self) -> None:
        self.owner.listed_for = {k.lower(): v for k, v in self.headers.items()}
        models = self.owner.models
        body = json.dumps({"data": [{"id": name} for name in models]} if isinstance(models, list) else {}).encode()
        self.send_response(models if isinstance(models, int) else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def begin(self, status: int = 200, kind: str = "text/event-stream", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def raw(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def event(self, data: object) -> None:
        self.raw(f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode())

    def words(self, text: str, finish: str | None = None) -> None:
        if "GenerateContent" in self.path:
            candidate: dict[str, Any] = {"content": {"role": "model", "parts": [{"text": text}]}, "index": 0}
            if finish:
                candidate["finishReason"] = finish.upper()
            self.event({"candidates": [candidate], "modelVersion": "gemini-test"})
            return
        delta = {"role": "assistant", "content": text} if text else {}
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        self.event({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "test", "choices": [choice]})

    def end(self) -> None:
        if "GenerateContent" not in self.path:
            self.event("[DONE]")
        self.raw(b"")

    def wait_for_the_client_to_go(self, seconds: float = _LONGEST) -> bool:
        readable, _, _ = select.select([self.connection], [], [], seconds)
        if readable and not self.connection.recv(1):
            self.owner.left.set()
            return True
        return False


def say(*pieces: str, finish: str | None = "stop") -> Act:
    """The pieces, each in an event of its own, and a proper end."""

    def act(handler: Handler) -> None:
        handler.begin()
        for piece in pieces:
            handler.words(piece)
        if finish:
            handler.words("", finish)
        handler.end()

    return act


def say_until(gate: threading.Event, first: str, then: str) -> Act:
    """``first``, and ``then`` only after the gate has been opened."""

    def act(handler: Handler) -> None:
        handler.begin()
        handler.words(first)
        gate.wait(_LONGEST)
        handler.words(then)
        handler.words("", "stop")
        handler.end()

    return act


def compressed(data: bytes, kind: str = "text/event-stream") -> Act:
    """The data as gzip within gzip, which the client did not ask for."""

    def act(handler: Handler) -> None:
        handler.begin(200, kind, Content_Encoding="gzip, gzip")
        handler.raw(gzip.compress(gzip.compress(data)))
        handler.raw(b"")

    return act


def refuse(status: int, *, retry_after: str | None = None, body: object = None) -> Act:
    """An error in the protocol's form."""

    def act(handler: Handler) -> None:
        handler.begin(status, "application/json", **({"Retry_After": retry_after} if retry_after is not None else {}))
        reply = body if body is not None else {"error": {"message": "no", "type": "error", "code": status}}
        handler.raw(json.dumps(reply).encode())
        handler.raw(b"")

    return act


def stall(*pieces: str, headers: bool = True) -> Act:
    """The pieces, and then nothing more; without ``headers`` not even an answer's first line."""

    def act(handler: Handler) -> None:
        if headers:
            handler.begin()
        for piece in pieces:
            handler.words(piece)
        handler.wait_for_the_client_to_go()

    return act


def drip(data: bytes = b"HTTP/1.1 200 OK\r\nX: ") -> Act:
    """A byte now and then, for as long as the client listens, without ever ending."""

    def act(handler: Handler) -> None:
        handler.wfile.write(data)
        for _ in range(int(_LONGEST / 0.05)):
            handler.wfile.write(b"x")
            handler.wfile.flush()
            if handler.wait_for_the_client_to_go(0.05):
                return

    return act


def endless(piece: str) -> Act:
    """The same piece for ever."""

    def act(handler: Handler) -> None:
        handler.begin()
        while True:
            handler.words(piece)

    return act


def drop(*pieces: str, clean: bool = False) -> Act:
    """The pieces, and then the connection is gone; ``clean``: as if that had been all."""

    def act(handler: Handler) -> None:
        handler.begin()
        for piece in pieces:
            handler.words(piece)
        if clean:
            handler.raw(b"")

    return act


def send(kind: str, data: bytes) -> Act:
    """A success with this content."""

    def act(handler: Handler) -> None:
        handler.begin(200, kind)
        handler.raw(data)
        handler.raw(b"")

    return act
