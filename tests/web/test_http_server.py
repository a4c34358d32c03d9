"""The HTTP server over a socket: what is refused before a body is read, time limits, overload, /health."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from ragstone.core import StorageAway
from ragstone.web.http_channel import RequestParser
from ragstone.web.lanes import Lane
from ragstone.web.serve import bind, make_server
from tests.support.patience import HANG, until

from .conftest import Speaker, SpeakingHost

Served = Callable[[], Any]

QUESTION = {"question": "What is a node?"}


def options(host: SpeakingHost, **changed: Any) -> None:
    host.settings = host.settings.model_copy(update=changed)


@contextmanager
def connection(url: str) -> Iterator[socket.socket]:
    place = urlsplit(url)
    assert place.hostname and place.port
    with closing(socket.create_connection((place.hostname, place.port), timeout=HANG)) as opened:
        yield opened


def heard(opened: socket.socket) -> bytes:
    """All that comes until the server has closed the connection."""
    pieces = []
    while piece := opened.recv(65536):
        pieces.append(piece)
    return b"".join(pieces)


def problem(report: bytes) -> tuple[int, dict[str, Any]]:
    head, _, body = report.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)


# Before the body is read


@pytest.mark.parametrize(
    ("headers", "status", "words"),
    [
        ("Host: evil.example\r\nContent-Length: 900000", 421, "allowed_hosts"),
        ("Host: localhost\r\nOrigin: http://evil.example\r\nContent-Length: 900000", 403, "Another site's page"),
        ("Host: evil.example\r\nTransfer-Encoding: chunked", 421, "allowed_hosts"),
        ("Host: evil.example\r\nContent-Length: 900000\r\nExpect: 100-continue", 421, "allowed_hosts"),
        ("Host: localhost\r\nContent-Length: 2000000", 413, "larger than this server takes"),
    ],
)
def test_a_request_is_refused_by_its_headers_and_the_connection_is_closed(
    served: Served, speaker: Speaker, headers: str, status: int, words: str
) -> None:
    with served() as url, connection(url) as opened:
        opened.sendall(f"POST /query HTTP/1.1\r\nContent-Type: application/json\r\n{headers}\r\n\r\n".encode())
        found, report = problem(heard(opened))  # although not a byte of the body was sent
    assert (found, report["status"]) == (status, status)
    assert words in report["detail"]
    assert not speaker.heard


def test_a_key_is_asked_for_before_the_body_is_read(served: Served, host: SpeakingHost, speaker: Speaker) -> None:
    options(host, access="key")
    host.catalog = _NoKeys()  # type: ignore[attr-defined]
    with served() as url, connection(url) as opened:
        opened.sendall(b"POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000\r\n\r\n")
        status, report = problem(heard(opened))
    assert status == 401
    assert "ragstone key add" in report["detail"]


class _NoKeys:
    def tables(self, *_: Any) -> Any:
        raise StorageAway("the database is away")


def test_a_refused_client_that_goes_on_sending_can_read_why(served: Served) -> None:
    with served() as url, connection(url) as opened:
        opened.sendall(b"POST /query HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 900000\r\n\r\n")
        opened.sendall(b"x" * 900_000)
        assert problem(heard(opened))[0] == 421


@pytest.mark.parametrize("packets", [1, 2, 3])
def test_an_admitted_body_is_read_however_it_comes(served: Served, packets: int) -> None:
    body = json.dumps(QUESTION | {"history": [{"question": "q" * 1000, "answer": "a" * 9000}]}).encode()
    head = (
        "POST /query HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode()
    whole = head + body
    cuts = {1: [len(whole)], 2: [len(head), len(whole)], 3: [20, len(head) + 10, len(whole)]}[packets]
    with served() as url, connection(url) as opened:
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for start, end in zip([0, *cuts], cuts, strict=False):
            opened.sendall(whole[start:end])
        assert heard(opened).startswith(b"HTTP/1.1 200")


def test_a_body_stays_in_order_while_its_request_is_admitted(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    body = json.dumps(QUESTION).encode()
    with served() as url, connection(url) as opened:
        release = RequestParser.release

        def released(request: RequestParser) -> bytes:
            held = release(request)
            opened.sendall(body[10:])
            for _ in range(2):  # the server has looked for what can be read
                assert httpx.get(f"{url}health").is_success
            return held

        monkeypatch.setattr(RequestParser, "release", released)
        opened.sendall(
            b"POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Connection: close\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body[:10])
        )
        assert heard(opened).startswith(b"HTTP/1.1 200")


def test_a_client_that_waits_for_100_continue_gets_it(served: Served) -> None:
    body = json.dumps(QUESTION).encode()
    with served() as url, connection(url) as opened:
        opened.sendall(
            b"POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n"
            b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body)
        )
        assert opened.recv(100).startswith(b"HTTP/1.1 100")
        opened.sendall(body)
        assert heard(opened).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "headers", ["Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5"]
)
@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_two_lengths_of_a_body_close_the_connection(
    served: Served, speaker: Speaker, headers: str, version: str
) -> None:
    with served() as url, connection(url) as opened:
        opened.sendall(
            f"POST /query HTTP/{version}\r\nHost: localhost\r\n{headers}\r\n\r\n0\r\n\r\n"
            "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        )
        report = heard(opened)
    assert report.startswith(f"HTTP/{version} 400".encode())
    assert report.count(b"HTTP/1.") == 1
    assert not speaker.heard


# Time


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"GET / HT",
        b"POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n{",
        b"POST /query HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
    ],
)
def test_a_client_that_drips_is_cut_off(served: Served, host: SpeakingHost, begun: bytes) -> None:
    options(host, header_seconds=0.2, body_seconds=0.2, body_bytes_per_second=1_000_000)
    with served() as url, connection(url) as opened:
        opened.sendall(begun)
        gone = threading.Event()

        def drip() -> None:
            while not gone.wait(0.05):
                try:
                    opened.sendall(b"x")
                except OSError:
                    return

        dripping = threading.Thread(target=drip if begun else gone.wait)
        dripping.start()
        try:
            heard(opened)  # ends: the server closes
        except ConnectionResetError:
            pass
        finally:
            gone.set()
            dripping.join()


def test_connections_that_drip_leave_room_for_others(served: Served, host: SpeakingHost) -> None:
    limit = 20
    options(host, header_seconds=3600, connections=limit)
    with served() as url:
        dripping = []
        try:
            for _ in range(limit + 10):
                place = urlsplit(url)
                opened = socket.create_connection((place.hostname or "", place.port or 0), timeout=HANG)
                opened.sendall(b"GET / HT")
                dripping.append(opened)
            assert httpx.post(f"{url}query", json=QUESTION, timeout=HANG).status_code == 200
            assert httpx.get(f"{url}health", timeout=HANG).status_code == 200
            dripping[0].settimeout(HANG)
            with suppress(ConnectionResetError):
                assert dripping[0].recv(1) == b""  # the oldest has made room
        finally:
            for opened in dripping:
                opened.close()


# The end


def test_a_server_that_has_ended_may_be_stopped_again(host: SpeakingHost, app_of: Callable[..., Any]) -> None:
    server = make_server(app_of(host), bind("127.0.0.1", 0), host.settings)
    serving = threading.Thread(target=server.run)
    serving.start()
    server.stop()
    serving.join(HANG)
    assert not serving.is_alive()
    server.stop()  # its wake-up pipe is closed, and the number may be another file's by now


# Overload


@contextmanager
def stuck(host: SpeakingHost, speaker: Speaker, served: Served, **changed: Any) -> Iterator[tuple[str, Any]]:
    """A server whose only thread answers a question that does not end before this does."""
    options(host, threads=1, **changed)
    goes_on, asked = threading.Event(), threading.Event()

    def wait() -> None:
        asked.set()
        goes_on.wait(HANG)

    speaker.waits = wait
    with served() as url, ThreadPoolExecutor(4) as clients:
        try:
            first = clients.submit(httpx.post, f"{url}query", json=QUESTION, timeout=HANG)
            assert asked.wait(HANG)
            yield url, clients
        finally:
            goes_on.set()
        assert first.result().status_code == 200


def test_health_is_answered_while_every_thread_is_taken(served: Served, host: SpeakingHost, speaker: Speaker) -> None:
    with stuck(host, speaker, served) as (url, clients):
        clients.submit(httpx.post, f"{url}query", json=QUESTION, timeout=HANG)  # waits in the queue
        for _ in range(3):
            assert httpx.get(f"{url}health", timeout=HANG).json()["status"] == "ok"


@pytest.mark.parametrize(
    ("path", "accept", "kind"),
    [
        ("query", "*/*", "application/problem+json"),
        ("", "text/html", "text/html"),
        ("v1/models", "*/*", "application/json"),
    ],
)
def test_what_would_wait_for_too_long_is_refused(
    served: Served, host: SpeakingHost, speaker: Speaker, path: str, accept: str, kind: str
) -> None:
    with stuck(host, speaker, served, queue_seconds=0.1) as (url, _):
        method, body = ("POST", QUESTION) if path == "query" else ("GET", None)
        response = httpx.request(method, url + path, json=body, headers={"Accept": accept}, timeout=HANG)
        assert response.status_code == 503
        assert response.headers["Content-Type"].startswith(kind)
        assert int(response.headers["Retry-After"]) > 0
        assert "more requests than it can answer" in response.text
        assert len(speaker.heard) == 1


def test_a_body_is_not_waited_for_while_its_admission_is_stuck(served: Served, host: SpeakingHost) -> None:
    goes_on = threading.Event()
    options(host, access="key", queue_seconds=0.1)

    class Frozen:
        def tables(self, *_: Any) -> Any:
            goes_on.wait(HANG)
            raise StorageAway("the database is away")

    host.catalog = Frozen()  # type: ignore[attr-defined]
    key = "Authorization: Bearer ragstone_abc_def\r\n"
    with served() as url:
        try:
            opened = [connection(url) for _ in range(3)]  # one more than there are threads that decide
            for each in opened:
                each.__enter__().sendall(
                    f"POST /query HTTP/1.1\r\nHost: localhost\r\n{key}Content-Length: 9000\r\n\r\n".encode()
                )
        finally:
            goes_on.set()
        for each in opened:
            each.__exit__(None, None, None)


def test_the_queue_is_as_long_as_its_tasks_take() -> None:
    lane, goes_on = Lane(2), threading.Event()

    class Task:
        def __init__(self, wait: threading.Event | None = None) -> None:
            self.wait = wait

        def service(self) -> None:
            if self.wait:
                self.wait.wait(HANG)

        def cancel(self) -> None:
            pass

    try:
        assert lane.wait == 0
        for _ in range(2):
            lane.add_task(Task(goes_on))
        until(lambda: not lane.queue)
        assert lane.wait == 0  # nothing is in the queue
        waiting = Task()
        lane.add_task(waiting)
        until(lambda: lane.wait > 0.05)  # for as long as both threads hang
        assert lane.take_late(HANG) == []
        until(lambda: lane.take_late(0) == [waiting])
        assert lane.wait == 0
    finally:
        goes_on.set()
        lane.shutdown()


# Health


def test_health_says_which_check_does_not_come_back(served: Served, host: SpeakingHost) -> None:
    goes_on = threading.Event()
    host.look = lambda: goes_on.wait(HANG) and None  # type: ignore[assignment]
    with served() as url:
        try:
            for _ in range(3):
                response = httpx.get(f"{url}health", timeout=HANG)
                assert response.status_code == 503
                assert response.headers["Retry-After"]
                (check,) = response.json()["checks"]
                assert (check["name"], check["ok"]) == ("catalog", False)
                assert "did not come back" in check["detail"]
                assert response.json()["corpora"]  # what did come back is there
        finally:
            goes_on.set()
        until(lambda: httpx.get(f"{url}health", timeout=HANG).status_code == 200)


def test_health_looks_once_for_all_that_ask_at_the_same_time(served: Served, host: SpeakingHost) -> None:
    looks: list[int] = []
    host.look = lambda: looks.append(1)
    with served() as url, ThreadPoolExecutor(8) as clients:
        assert {*clients.map(lambda _: httpx.get(f"{url}health", timeout=HANG).status_code, range(32))} == {200}
    assert len(looks) < 16
