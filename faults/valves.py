"""A book of many valves, and readers who ask two web workers about them while it changes.

The book tells one number of each valve. Each version of it changes half of the numbers, brings a valve and takes one
away. Of every number in an answer can be told whether it is of a version that may be seen at that moment.
"""

from __future__ import annotations

import itertools
import re
import threading
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import httpx

from tests.support.patience import HANG

_NAMES = [
    f"{first}{last}"
    for last in ("dak", "lim", "mon", "pur", "tis", "vex", "zan")
    for first in ("Bra", "Dor", "Fen", "Gal", "Hul", "Jor", "Kel", "Mar")
]
READINGS = re.compile(r"The (\w+) valve opens at (\d+) bar")
#: Seconds between a reader's questions: whoever brings books in wants a processor too.
_PAUSE = 0.1
#: What a server may say while something that it needs is gone.
_AWAY = {502, 503, 504}


def facts(version: int, valves: int) -> dict[str, int]:
    """The bar at which each valve opens, in a version of the book (from 1)."""
    there = range(version - 1, min(len(_NAMES), valves + version - 1))
    return {_NAMES[number]: 1000 * (number + 1) + (version + number % 2) // 2 for number in there}


def write_book(folder: Path, version: int, valves: int) -> None:
    """The book's folder as it is in that version: a file for each valve."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = facts(version, valves)
    for name, bar in wanted.items():
        (folder / f"{name.lower()}.md").write_text(f"# The {name} valve\n\n{_result(name, bar)}\n", "utf-8")
    for file in folder.iterdir():
        if file.stem.title() not in wanted:
            file.unlink()


def _result(name: str, bar: int) -> str:
    return f"The {name} valve opens at {bar} bar. A spring of steel holds it shut below that."


class Readers:
    """Ask both workers, each in a thread of its own, and look at every answer."""

    def __init__(self, addresses: dict[str, str], key: str, valves: int, random: Random) -> None:
        """``addresses``: of the workers, by name."""
        self.counted: Counter[str] = Counter()
        self.wrong: list[str] = []
        self._addresses = addresses
        self._headers = {"Authorization": f"Bearer {key}"}
        self._valves = valves
        self._random = random
        self._lock = threading.Lock()
        self._stop = threading.Event()
        #: Acknowledged, and begun; the first that may be seen of each valve, because somebody saw it.
        self._oldest, self._newest = 1, 1
        self._seen: dict[str, int] = {}
        self._clients = itertools.count()
        self._faults = threading.Event()

    def begin(self, version: int) -> None:
        """From now on this version may be seen."""
        with self._lock:
            self._newest = version

    def done(self, version: int) -> None:
        """From now on no older version may be seen."""
        with self._lock:
            self._oldest = version

    def ask(self, worker: str, name: str) -> dict[str, Any] | None:
        """A worker's answer about a valve, looked at; ``None`` where it could not answer, when that may be."""
        with self._lock:
            oldest = max(self._oldest, self._seen.get(name, 1))
            client = next(self._clients)
        # One that asks often is another client each time: the workers trust loopback to tell who asks.
        headers = {**self._headers, "X-Forwarded-For": f"10.{client >> 16 & 255}.{client >> 8 & 255}.{client & 255}"}
        try:
            response = httpx.post(
                f"{self._addresses[worker]}/query",
                json={"question": f"At how many bar does the {name} valve open?"},
                headers=headers,
                timeout=HANG,
            )
        except httpx.TransportError as error:
            self._note_away(f"{worker}: {error!r}")
            return None
        if response.status_code in _AWAY:
            self._note_away(f"{worker}: {response.text}")
            return None
        answer: dict[str, Any] = response.json()
        if not response.is_success:
            self.wrong.append(f"{worker} about {name}: {answer}")
            return None
        with self._lock:
            versions = range(oldest, self._newest + 1)
            self._look_at(worker, name, answer, versions)
        return answer

    def _look_at(self, worker: str, name: str, answer: dict[str, Any], versions: range) -> None:
        self.counted["answers"] += 1
        result = {valve: int(bar) for valve, bar in READINGS.findall(answer["answer"])}
        known = {version: facts(version, self._valves) for version in range(1, self._newest + 1)}
        for valve, bar in result.items():
            if all(bar != known[version].get(valve) for version in known):
                self.wrong.append(f"{worker} about {name}: nobody wrote {valve} {bar}")
        may_be = {known[version].get(name) for version in versions}
        if result.get(name) not in may_be:
            self.wrong.append(
                f"{worker} about {name}: {result.get(name)}, not one of {may_be}; {answer['answer'][:200]}"
            )
        written = " ".join(_result(valve, bar) for written_by in known.values() for valve, bar in written_by.items())
        for citation in answer["citations"]:
            if citation["quote"] not in written:
                self.wrong.append(f"{worker} about {name}: {citation['quote']!r} stands nowhere")
        if name in result:
            first = min((version for version in versions if known[version].get(name) == result[name]), default=1)
            self._seen[name] = max(first, self._seen.get(name, 1))

    def expect_faults(self, may_be: bool) -> None:
        """Whether a worker may be gone just now."""
        self._faults.set() if may_be else self._faults.clear()

    def _note_away(self, what: str) -> None:
        self.counted["not answered"] += 1
        if not self._faults.is_set():
            self.wrong.append(what)

    def asking(self) -> list[threading.Thread]:
        """Threads that ask until ``stop``, one for each worker."""
        threads = [threading.Thread(target=self._go_on, args=(worker,), daemon=True) for worker in self._addresses]
        for thread in threads:
            thread.start()
        return threads

    def stop(self, threads: list[threading.Thread]) -> None:
        """Let the threads end."""
        self._stop.set()
        for thread in threads:
            thread.join(HANG)
            assert not thread.is_alive(), "a question hangs"
        self._stop.clear()

    def _go_on(self, worker: str) -> None:
        try:
            while not self._stop.is_set():
                name = self._random.choice(list(facts(self._newest, self._valves)))
                self.ask(worker, name)
                self._stop.wait(_PAUSE)
        except Exception as error:  # whatever it is, it must not go unseen with the thread
            self.wrong.append(f"{worker}: {error!r}")
