"""``python -m bench.server_memory``: the memory of a server that answers many requests of many kinds.

Two clients keep their connections and send questions that nobody sent before, pages, static files, health, answers as
a stream and in OpenAI's form, vectors, and what is refused. Resident memory is read after every tenth of them.
"""

from __future__ import annotations

import argparse
import http.client
import json
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from . import machine
from .load import serving
from .load_corpus import prepared
from .questions import questions_over

_JSON = {"Content-Type": "application/json"}


def request_of(number: int, question: str) -> tuple[str, str, str | None, dict[str, str]]:
    """Method, path, body and headers of the request of that number."""
    words = f"{question} ({number})"
    chat = {"model": "book_chat", "messages": [{"role": "user", "content": words}]}
    kinds: list[tuple[str, str, Any, dict[str, str]]] = [
        ("POST", "/query", {"question": words}, {}),
        ("POST", "/query", {"question": words}, {"Accept": "text/event-stream"}),
        ("POST", "/v1/chat/completions", chat, {}),
        ("POST", "/query-selection", {"question": words, "selection": question * 5}, {}),
        ("POST", "/v1/embeddings", {"model": "all-MiniLM-L6-v2", "input": [words]}, {}),
        ("GET", "/health", None, {}),
        ("GET", "/", None, {"Accept": "text/html"}),
        ("GET", f"/nothing/{number}", None, {}),
        ("POST", "/query", {"question": ""}, {}),
        ("GET", "/static/ragstone/favicon.svg", None, {}),
    ]
    method, path, body, headers = kinds[number % len(kinds)]
    return method, path, None if body is None else json.dumps(body), {**_JSON, **headers}


def measure(folder: Path, requests: int, steps: int, chunks: int) -> dict[str, Any]:
    """Memory after each step, in MB."""
    host, _, parts, count = prepared(folder, chunks)
    host.close()
    questions = questions_over(parts, 2000)
    figures: dict[str, Any] = {"passages": count, "requests": requests, "RSS MB": {}, "machine": machine.describe()}
    statuses: dict[str, int] = {}
    with serving(folder) as (place, process):

        def client(first: int, last: int) -> None:
            connection = http.client.HTTPConnection(place, timeout=300)
            for number in range(first, last):
                method, path, body, headers = request_of(number, questions[number % (len(questions) - 1)])
                connection.request(method, path, body, headers)
                response = connection.getresponse()
                response.read()
                statuses[f"{path if number % 10 != 7 else '/nothing'} {response.status}"] = (
                    statuses.get(f"{path if number % 10 != 7 else '/nothing'} {response.status}", 0) + 1
                )
            connection.close()

        begun = time.monotonic()
        for step in range(steps):
            first, size = step * requests // steps, requests // steps
            halves = ((first, first + size // 2), (first + size // 2, first + size))
            threads = [threading.Thread(target=client, args=half) for half in halves]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            figures["RSS MB"][first + size] = round(process.memory_info().rss / 1e6, 1)
            print(first + size, figures["RSS MB"][first + size], f"{time.monotonic() - begun:.0f} s", flush=True)
    return {**figures, "answers": statuses}


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--chunks", type=int, default=1)
    parser.add_argument("--work", type=Path, help="keep the corpus in this folder and take it up again")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ragstone-requests-") as made:
        measured = measure(chosen.work or Path(made), chosen.requests, chosen.steps, chosen.chunks)
    print(json.dumps(measured, indent=2))


if __name__ == "__main__":
    main()
