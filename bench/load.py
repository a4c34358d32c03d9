"""``python -m bench.load``: 20,000 chunks, eight clients at once, in the process and over HTTP.

Three real books are read; copies of their chunks with jittered vectors fill the corpus up. The server is a process of
its own with its default settings but for the rate limit, which is about people.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from ragstone.web.serve import settle

from . import machine
from .load_corpus import prepared
from .questions import questions_over


def at_once(
    clients: int, seconds: float, questions: Sequence[str], ask: Callable[[int], Callable[[str], object]]
) -> dict[str, float]:
    """Latencies in milliseconds while so many clients ask without a pause, and this process's own time a question: what
    else a machine is busy with lengthens the one, and hardly the other."""
    found: list[float] = []
    ends = time.perf_counter() + seconds

    def run(number: int) -> None:
        one = ask(number)
        at = number * len(questions) // clients
        while time.perf_counter() < ends:
            started = time.perf_counter()
            one(questions[at % len(questions)])
            found.append((time.perf_counter() - started) * 1000)
            at += 1

    threads = [threading.Thread(target=run, args=(number,)) for number in range(clients)]
    started, worked = time.perf_counter(), time.process_time()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    spent, worked = time.perf_counter() - started, time.process_time() - worked
    p50, p99 = np.percentile(found, [50, 99])
    return {
        "per second": round(len(found) / spent, 1),
        "p50 ms": round(float(p50), 1),
        "p99 ms": round(float(p99), 1),
        "processor ms a question": round(worked / len(found) * 1000, 2),
    }


def measure(chunks: int, clients: int, seconds: float, servers: int) -> dict[str, Any]:
    """Everything, in a folder of its own; over HTTP with so many servers on its data."""
    with tempfile.TemporaryDirectory(prefix="ragstone-load-") as made:
        folder = Path(made)
        host, shelf, parts, count = prepared(folder, chunks)
        results: dict[str, Any] = {"passages": count, "clients": clients}
        questions = questions_over(parts)
        settle(host)  # as the server does before its first question
        host.assistant("book_chat").ask(questions[0])
        retrieve = partial(host.pipeline.retrieve, shelf.corpus, top_k=5)
        new = questions_over(parts, 2000)  # none is asked twice, and many of their words are new
        # The measure of the machine: what a question costs beyond it is ours.
        encode = host.hooks.encoder.embed_query
        results["the encoder alone"] = at_once(1, min(seconds, 10), new, lambda _: encode)
        results["retrieval, one client"] = at_once(1, min(seconds, 20), questions, lambda _: retrieve)
        results["retrieval, new questions"] = at_once(clients, min(seconds, 20), new, lambda _: retrieve)
        results["retrieval"] = at_once(clients, min(seconds, 30), questions, lambda _: retrieve)
        host.close()
        results["POST /query"] = _over_http(folder, clients, seconds, questions, servers)
        return results


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, psutil.Process]]:
    """``ragstone serve`` over the folder: its host and port, and its process."""
    environment = {
        **os.environ,
        "RAGSTONE_DATA_DIR": str(folder / "data"),
        "RAGSTONE_CACHE_DIR": str(folder / "cache"),
        "RAGSTONE_PLUGINS__WEB__REQUESTS_PER_MINUTE": "0",
        "PYTHONUNBUFFERED": "1",
    }
    with subprocess.Popen(
        [Path(sys.executable).with_name("ragstone"), "serve", "--port", "0"],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            address = re.search(r"http://(127\.0\.0\.1:\d+)/", server.stdout.readline())
            assert address, "the server did not say where it is"
            yield address[1], psutil.Process(server.pid)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(60)


def _over_http(folder: Path, clients: int, seconds: float, questions: Sequence[str], servers: int) -> dict[str, Any]:
    with ExitStack() as opened:
        running = [opened.enter_context(serving(folder)) for _ in range(servers)]

        def client(number: int) -> Callable[[str], None]:
            connection = http.client.HTTPConnection(running[number % servers][0], timeout=60)

            def ask(question: str) -> None:
                body = json.dumps({"question": question})
                connection.request("POST", "/query", body, {"Content-Type": "application/json"})
                response = connection.getresponse()
                result = response.read()
                assert response.status == 200, result[:300]

            return ask

        for number in range(servers):
            client(number)(questions[0])
        alone = at_once(1, seconds / 10, questions, client)
        first = at_once(clients, seconds / 5, questions, client)
        early = sum(process.memory_info().rss for _, process in running)
        rest = at_once(clients, seconds * 4 / 5, questions, client)
        late = sum(process.memory_info().rss for _, process in running)
    return {
        "servers": servers,
        "one client": alone,
        f"first {seconds / 5:.0f} s": first,
        "the rest": rest,
        f"memory after {seconds / 5:.0f} s, MB": round(early / 1e6),
        f"memory after {seconds:.0f} s, MB": round(late / 1e6),
        "memory, late / early": round(late / early, 3),
    }


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--servers", type=int, default=1, help="of one data folder; the clients are spread over them")
    parser.add_argument("--seconds", type=float, default=300)
    chosen = parser.parse_args()
    measured = measure(chosen.chunks, chosen.clients, chosen.seconds, chosen.servers)
    print(json.dumps({**measured, "load": machine.load()}, indent=2))


if __name__ == "__main__":
    main()
