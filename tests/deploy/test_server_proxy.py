"""deploy/server/Caddyfile in a real Caddy: nothing is kept back, limits hold, a worker that is away is gone round."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from tests.support.caddy import proxy
from tests.support.patience import HANG, until


class Worker(ThreadingHTTPServer):
    """Speaks as a web worker does: health, a stream that waits in its middle, and what it was sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.well = True
        self.go_on = threading.Event()
        self.taken = 0
        self.hung_up = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"

    def close(self) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: Worker
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/health":
            assert self.headers["Host"] == "localhost", "Ragstone answers to names that it knows alone"
            self._say(200 if self.server.well else 503, b"{}")
        elif self.path == "/stream":
            self._stream()
        else:
            result = {"worker": self.server.place, "headers": dict(self.headers)}
            self._say(200, json.dumps(result).encode())

    def do_POST(self) -> None:
        left = int(self.headers["Content-Length"])
        while left > 0 and (piece := self.rfile.read(min(left, 65536))):
            self.server.taken += len(piece)
            left -= len(piece)
        if left == 0:
            self._say(200, b"{}")

    def _stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(b"event: delta\ndata: {}\n\n")
        self.wfile.flush()
        if self.server.go_on.wait(HANG):
            try:
                for _ in range(1000):
                    self.wfile.write(b"event: delta\ndata: {}\n\n" * 1000)
                    self.wfile.flush()
            except OSError:
                self.server.hung_up.set()

    def _say(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def workers() -> Iterator[tuple[Worker, Worker]]:
    both = Worker(), Worker()
    yield both
    for worker in both:
        worker.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, workers: tuple[Worker, Worker]) -> Iterator[str]:
    with proxy(tmp_path_factory.mktemp("proxy"), *(worker.place for worker in workers)) as running:
        yield running


def _asked(address: str, client: int, **headers: str) -> dict[str, object]:
    transport = httpx.HTTPTransport(local_address=f"127.0.0.{client}")
    with httpx.Client(transport=transport, timeout=HANG) as reader:
        found: dict[str, object] = reader.get(f"{address}/", headers=headers).raise_for_status().json()
        return found


def test_a_reader_may_come_to_any_worker(address: str, workers: tuple[Worker, Worker]) -> None:
    served = {_asked(address, 2)["worker"] for _ in range(32)}  # of equals the proxy takes one by chance
    assert served == {worker.place for worker in workers}


def test_workers_hear_who_asks_and_by_which_name_whatever_he_says_of_himself(address: str) -> None:
    result = _asked(address, 5, **{"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Host": "evil.example"})
    headers = result["headers"]
    assert isinstance(headers, dict)
    assert headers["X-Forwarded-For"] == "127.0.0.5"
    assert headers["Host"] == address.removeprefix("http://")
    assert "evil" not in str(headers)


def test_the_beginning_of_an_answer_comes_before_its_end_is_made(address: str, workers: tuple[Worker, Worker]) -> None:
    with httpx.stream("GET", f"{address}/stream", timeout=HANG) as response:
        pieces = response.iter_raw()
        assert next(pieces).startswith(b"event: delta")  # its worker waits: a proxy that kept it back would wait too
        for worker in workers:
            worker.go_on.set()
        assert len(next(pieces)) > 0
    # and who goes away is missed, so that nobody goes on working for him
    until(lambda: any(worker.hung_up.is_set() for worker in workers), "the end of a stream that nobody reads")


@pytest.mark.parametrize(
    ("path", "fits", "too_large"), [("/query", 1_000_000, 3_000_000), ("/api/books", 50_500_000, 70_000_000)]
)
def test_too_large_a_body_goes_no_further(
    address: str, workers: tuple[Worker, Worker], path: str, fits: int, too_large: int
) -> None:
    def taken() -> int:
        return sum(worker.taken for worker in workers)

    def settled() -> int:
        """What they have taken once nothing is under way: of a body that was cut off some comes late."""
        seen = [-1, taken()]

        def rests() -> bool:
            time.sleep(0.3)
            seen[:] = seen[1], taken()
            return seen[0] == seen[1]

        until(rests, "workers to which nothing comes")
        return seen[1]

    before = settled()
    assert httpx.post(f"{address}{path}", content=b"x" * fits, timeout=HANG).status_code == 200
    assert taken() - before == fits
    before = settled()
    assert httpx.post(f"{address}{path}", content=b"x" * too_large, timeout=HANG).status_code == 413
    assert taken() - before < too_large


@pytest.mark.slow
def test_a_worker_that_is_away_is_gone_round_and_comes_back(address: str, workers: tuple[Worker, Worker]) -> None:
    readers = range(2, 18)

    def served() -> set[object]:
        return {_asked(address, client)["worker"] for client in readers}

    one, other = workers
    one.well = False
    until(lambda: served() == {other.place}, "one worker alone")
    other.well = False
    output: list[str] = []

    def nobody_is_there() -> bool:
        response = httpx.get(address, timeout=HANG)
        output.append(response.text)
        return response.status_code == 503

    until(nobody_is_there, "no worker at all")
    assert "try again" in output[-1]
    one.well = other.well = True
    until(lambda: httpx.get(address, timeout=HANG).is_success and served() == {one.place, other.place}, "both again")
