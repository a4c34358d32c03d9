"""Overload by clients that misbehave, and a database that hangs."""

from __future__ import annotations

import fcntl
import json
import multiprocessing
import os
import socket
import ssl
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from tests.support.needs import needed
from tests.support.patience import until
from tests.support.third_party_fakes import distribution

from .run import PATIENCE_S, Run
from .server import fill, serving

_PROMISED_S = 2.0
#: Where SQLite locks a database in write-ahead mode for readers: five bytes of the file of its shared memory.
_READ_LOCKS = (123, 5)
_WEB = "RAGSTONE_PLUGINS__WEB__"


@contextmanager
def _server(run: Run, **settings: Any) -> Iterator[Any]:
    needed("waitress")
    fill(run.folder, 2)
    site = distribution(run.folder / "site", "cheap-models", "from faults.models import plugin", module=False)
    # Where files are taken, the longest body that is read at all is 100 MB.
    made = {"RAGSTONE_ADMIN_KEY": "k" * 20} | {
        f"{_WEB}{name.upper()}": str(value) for name, value in {"requests_per_minute": 0, **settings}.items()
    }
    with serving(run.folder, site, RAGSTONE_INDEX__STORE="none", **made) as server:
        yield server


@contextmanager
def _watched_health(run: Run, url: str) -> Iterator[None]:
    """Ask for ``/health`` all the while, which must be answered with 200.

    In a process of its own: a thread would wait for the interpreter beside the clients' threads.
    """
    context = multiprocessing.get_context("spawn")
    asking, ended = context.Event(), context.Event()
    theirs, ours = context.Pipe()
    process = context.Process(target=_watch_health, args=(url, asking, ended, theirs))
    process.start()
    try:
        assert asking.wait(PATIENCE_S), "health was never asked for"
        yield
    finally:
        ended.set()
        assert ours.poll(PATIENCE_S), "the process that asks for health gave nothing"
        slowest, statuses = ours.recv()
        process.join(PATIENCE_S)
        _note(run, "slowest health", slowest)
    assert statuses == {200}, statuses


def _watch_health(url: str, asking: Any, ended: Any, found: Any) -> None:
    slowest, statuses = 0.0, set()
    with httpx.Client(timeout=PATIENCE_S) as client:
        while not ended.wait(0.2):
            begun = time.monotonic()
            statuses.add(client.get(f"{url}health").status_code)
            slowest = max(slowest, time.monotonic() - begun)
            asking.set()
    found.send((slowest, statuses))


def _note(run: Run, what: str, seconds: float) -> None:
    run.figures[f"{what} s"] = round(seconds, 2)
    if run.full:
        run.figures[f"{what} within {_PROMISED_S:.0f} s"] = "met" if seconds <= _PROMISED_S else "MISSED"


def _asked(run: Run, url: str, clients: int, times: int, path: str, body: dict[str, Any]) -> None:
    context, limits = ssl.create_default_context(), httpx.Limits(max_keepalive_connections=0)

    def ask(_: int) -> None:
        # One for each thread: in a pool that 100 threads share, one may close the connection on which another reads.
        with httpx.Client(timeout=PATIENCE_S, limits=limits, verify=context) as client:
            for _time in range(times):
                response = client.post(url + path, json=body)
                assert response.status_code in {200, 413, 503}, response.text
                assert (response.status_code == 503) == ("Retry-After" in response.headers)
                run.count(str(response.status_code))

    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(ask, range(clients)))


def expensive_requests(run: Run) -> None:
    """Long selections of brackets and long lists of texts."""
    bodies: dict[str, dict[str, Any]] = {
        "query-selection": {"question": "What is it?", "selection": "(" * 19_000},
        "v1/embeddings": {"model": "cheap", "input": ["one two three " * 20] * 400},
    }
    with _server(run, threads=2) as server, _watched_health(run, server.url):
        for path, body in bodies.items():
            _asked(run, server.url, 8, run.times(1, 8), path, body)


def more_requests_than_time(run: Run) -> None:
    """More clients than one thread can answer in a fifth of a second."""
    with _server(run, threads=1, queue_seconds=0.2) as server:
        with _watched_health(run, server.url):
            _asked(run, server.url, run.times(20, 100), run.times(5, 50), "query", {"question": "Number0x1 Number1x7"})
        assert run.figures.get("200"), "nothing was answered"
        server.ask(0, 1)


def dripping_clients(run: Run) -> None:
    """Connections that send a byte of a header now and then, more than there may be at the same time."""
    count = run.times(60, 1000)
    with ExitStack() as stack:
        server = stack.enter_context(_server(run, connections=count // 2, header_seconds=run.times(2, 20)))
        place = urlsplit(server.url)
        drips = []
        for _ in range(count):
            opened = stack.enter_context(
                closing(socket.create_connection((place.hostname or "", place.port or 0), timeout=PATIENCE_S))
            )
            opened.sendall(b"GET / HTTP/1.1\r\nX: ")
            drips.append(opened)
        with _watched_health(run, server.url):
            begun = time.monotonic()
            server.ask(0, 1)
            run.figures["question meanwhile s"] = round(time.monotonic() - begun, 2)

            def all_closed() -> bool:
                for each in [*drips]:
                    try:
                        each.sendall(b"x")
                    except OSError:
                        drips.remove(each)
                return not drips

            until(all_closed, "the end of the dripping connections", PATIENCE_S)
            run.figures["all closed s"] = round(time.monotonic() - begun, 2)
        run.figures["connections"] = count


def unwanted_bodies(run: Run) -> None:
    """Large bodies with a wrong ``Host``, and with a wrong key where files are taken."""
    with _server(run) as server:
        place = urlsplit(server.url)
        kept = [0]

        def send(number: int) -> bytes:
            host, path = (("evil.example", "/query"), (place.netloc, "/api/books"))[number % 2]
            head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 90000000\r\n\r\n"
            with closing(socket.create_connection((place.hostname or "", place.port or 0), timeout=PATIENCE_S)) as one:
                one.sendall(head.encode())
                try:
                    for _ in range(90):
                        one.sendall(bytes(1_000_000))
                        run.count("MB sent")
                except OSError:
                    run.count("broken off")
                kept[0] = max(kept[0], _kept_files(server.process.pid))
                try:
                    return one.recv(20)
                except OSError:
                    return b""

        with ThreadPoolExecutor(20) as pool:
            heard = list(pool.map(send, range(run.times(20, 200))))
        assert not kept[0], f"{kept[0]} bytes were kept on the disk"
        run.figures["answers heard"] = sum(map(bool, heard))
        answers = {result.decode().split()[1] for result in heard if result}
        assert answers <= {"421", "401", "403"}, answers
        server.ask(0, 1)


def _kept_files(process: int) -> int:
    """Bytes in files of the process that have no name any more."""
    total = 0
    for each in Path(f"/proc/{process}/fd").iterdir():
        try:
            if "(deleted)" in os.readlink(each):  # noqa: PTH115 - it names no file
                total += each.stat().st_size
        except OSError:
            continue
    return total


def frozen_database(run: Run) -> None:
    """Another process locks the catalog for longer than any timeout, then releases it."""
    with _server(run) as server:
        server.ask(0, 1)
        slowest = 0.0
        with _locked(run.folder / "data" / "catalog.sqlite-shm"):
            for _ in range(run.times(3, 20)):
                begun = time.monotonic()
                response = httpx.get(f"{server.url}health", timeout=PATIENCE_S)
                slowest = max(slowest, time.monotonic() - begun)
                assert response.status_code == 503, response.text
                assert response.headers["Retry-After"]
                failed = {check["name"]: check["detail"] for check in response.json()["checks"] if not check["ok"]}
                assert "did not come back" in failed["catalog"], json.dumps(failed)
                run.count("health asked for")
        _note(run, "slowest health", slowest)
        until(lambda: httpx.get(f"{server.url}health", timeout=PATIENCE_S).status_code == 200, "health", PATIENCE_S)
        server.ask(0, 1)


@contextmanager
def _locked(shared_memory: Path) -> Iterator[None]:
    context = multiprocessing.get_context("spawn")
    locked, goes_on = context.Event(), context.Event()
    process = context.Process(target=_lock, args=(str(shared_memory), locked, goes_on))
    process.start()
    try:
        assert locked.wait(PATIENCE_S), "the lock was not got"
        yield
    finally:
        goes_on.set()
        process.join(PATIENCE_S)


def _lock(path: str, locked: Any, goes_on: Any) -> None:
    with open(path, "r+b") as file:  # noqa: PTH123
        start, length = _READ_LOCKS
        fcntl.lockf(file, fcntl.LOCK_EX, length, start)
        locked.set()
        goes_on.wait(PATIENCE_S)
