"""Two web workers and an ingestion at once, on PostgreSQL and a Chroma server: no wrong answer, no lost document.

The book tells one number of each of many valves. Each version of it changes half of the numbers, brings a valve and
takes one away, and is put on the shelf by a process of its own while readers ask both workers. Of every number in an
answer can be told whether it is of a version that may be seen at that moment.
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
import signal
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import httpx

from tests.composed import WORKERS, stacked
from tests.patience import HANG, until

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

    from tests.composed import Stack

    from .run import Run

_NAMES = [
    f"{first}{last}"
    for last in ("dak", "lim", "mon", "pur", "tis", "vex", "zan")
    for first in ("Bra", "Dor", "Fen", "Gal", "Hul", "Jor", "Kel", "Mar")
]
_TOLD = re.compile(r"The (\w+) valve opens at (\d+) bar")
_ADDING = ("book", "add", "/books/valves", "--title", "Valves", "--json")
#: Seconds between a reader's questions: whoever brings books in wants a processor too.
_PAUSE = 0.03
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
        (folder / f"{name.lower()}.md").write_text(f"# The {name} valve\n\n{_told(name, bar)}\n", "utf-8")
    for file in folder.iterdir():
        if file.stem.title() not in wanted:
            file.unlink()


def _told(name: str, bar: int) -> str:
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
        told = {valve: int(bar) for valve, bar in _TOLD.findall(answer["answer"])}
        known = {version: facts(version, self._valves) for version in range(1, self._newest + 1)}
        for valve, bar in told.items():
            if all(bar != known[version].get(valve) for version in known):
                self.wrong.append(f"{worker} about {name}: nobody wrote {valve} {bar}")
        may_be = {known[version].get(name) for version in versions}
        if told.get(name) not in may_be:
            self.wrong.append(f"{worker} about {name}: {told.get(name)}, not one of {may_be}; {answer['answer'][:200]}")
        written = " ".join(_told(valve, bar) for told_of in known.values() for valve, bar in told_of.items())
        for citation in answer["citations"]:
            if citation["quote"] not in written:
                self.wrong.append(f"{worker} about {name}: {citation['quote']!r} stands nowhere")
        if name in told:
            first = min((version for version in versions if known[version].get(name) == told[name]), default=1)
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


def first_version(stack: Stack, valves: int) -> str:
    """Put the first version on the shelf and make a key for the readers, which is returned."""
    write_book(stack.folder / "books/valves", 1, valves)
    stack.here(*_ADDING)
    return str(json.loads(stack.here("key", "add", "readers", "--json"))["key"])


def ingest(
    stack: Stack, readers: Readers, version: int, valves: int, meanwhile: Callable[[subprocess.Popen[str]], None]
) -> None:
    """Put a version on the shelf in a process of its own, and again if that is killed by ``meanwhile``."""
    write_book(stack.folder / "books/valves", version, valves)
    readers.begin(version)
    with stack.begin("ragstone", *_ADDING) as adding:
        meanwhile(adding)
        _out, said = adding.communicate(timeout=HANG)
    if adding.returncode == -signal.SIGKILL:
        done = stack.run("ragstone", *_ADDING)
        assert done.returncode == 0, done.stderr
    else:
        assert adding.returncode == 0, said
    readers.done(version)


def everything_is_there(stack: Stack, readers: Readers, version: int, valves: int) -> None:
    """Both workers give the same right answer to every question, and database and index hold every document."""
    wanted = facts(version, valves)
    until_the_index_follows(stack)
    for name in wanted:
        answers = [readers.ask(worker, name) for worker in WORKERS]
        assert None not in answers, readers.wrong
        for answer in answers:
            assert answer is not None
            assert (name, str(wanted[name])) in _TOLD.findall(answer["answer"])
            answer.pop("timings_ms")
        assert answers[0] == answers[1], f"the workers do not say the same of {name}"
    with stack.database.connect("ragstone") as past:
        rows = past.execute(
            "SELECT d.text, count(c.id), bool_and(length(c.vectors) > 0) FROM ragstone.document d "
            "JOIN ragstone.corpus k ON k.id = d.corpus_id AND k.name = 'books' AND k.state = 'active' "
            "LEFT JOIN ragstone.chunk c ON c.document_id = d.id GROUP BY d.id"
        ).fetchall()
    assert all(chunks and vectors for _text, chunks, vectors in rows), "a document is half there"
    told = Counter((valve, int(bar)) for text, *_ in rows for valve, bar in _TOLD.findall(str(text)))
    assert told == Counter(wanted.items())
    assert _in_chroma(stack) == sum(int(str(chunks)) for _text, chunks, _vectors in rows)


def until_the_index_follows(stack: Stack) -> None:
    """Wait until the Chroma server is at the corpus's last change."""
    state = stack.data / "index/books/state.json"

    def follows() -> bool:
        with stack.database.connect("ragstone") as past:
            row = past.execute(
                "SELECT id, seq FROM ragstone.corpus WHERE name = 'books' AND state = 'active'"
            ).fetchone()
        try:
            said = json.loads(state.read_text("utf-8"))
        except FileNotFoundError:
            return False
        return row == (said["corpus_id"], said["applied"]) and not said["clean"]

    until(follows, "the index at the corpus's last change")


def _in_chroma(stack: Stack) -> int:
    """Vectors of the deployment's collection, counted past the product."""
    own = (stack.data / "index/deployment").read_text("ascii").strip()
    where = (
        f"http://127.0.0.1:{stack.ports['chroma']}/api/v2/tenants/default_tenant/databases/default_database/collections"
    )
    found = httpx.get(f"{where}/ragstone-{own}-books", timeout=HANG).raise_for_status().json()
    return int(httpx.get(f"{where}/{found['id']}/count", timeout=HANG).raise_for_status().json())


def working_together(run: Run) -> None:
    """Version after version while readers ask, and each time something is killed."""
    valves, versions = 24, run.times(2, 24)
    cache = run.folder / "cache"
    cache.mkdir()
    with stacked(run.folder / "machine", cache) as stack:
        key = first_version(stack, valves)
        stack.start()
        readers = Readers({worker: stack.address(worker) for worker in WORKERS}, key, valves, run.random)
        faults = _faults(stack)
        for version, (what, fault) in zip(range(2, versions + 1), itertools.cycle(faults.items())):
            run.tell(f"version {version} of {versions}: {what}")

            def meanwhile(adding: subprocess.Popen[str], fault: Callable[..., None] = fault) -> None:
                time.sleep(run.random.uniform(1, 5))  # somewhere between its start and its end
                fault(adding)

            threads = readers.asking()
            readers.expect_faults(True)
            ingest(stack, readers, version, valves, meanwhile)
            readers.stop(threads)
            readers.expect_faults(False)
            everything_is_there(stack, readers, version, valves)
            assert not readers.wrong, "\n".join(readers.wrong[:10])
            run.count(what)
        run.figures.update(readers.counted)


def _faults(stack: Stack) -> dict[str, Callable[[subprocess.Popen[str]], None]]:
    def killed(name: str) -> Callable[[subprocess.Popen[str]], None]:
        def kill(_adding: subprocess.Popen[str]) -> None:
            stack.processes[name].stop(signal.SIGKILL)
            stack.processes[name].start()

        return kill

    def chroma_forgets(_adding: subprocess.Popen[str]) -> None:
        stack.processes["chroma"].stop(signal.SIGKILL)
        shutil.rmtree(stack.folder / "var/lib/chroma")
        stack.processes["chroma"].start()

    def crash(_adding: subprocess.Popen[str]) -> None:
        _adding.kill()  # an ingestion without its database ends with an error, as it should
        stack.database.stop(signal.SIGQUIT)
        stack.database.start()

    return {
        "nothing": lambda _adding: None,
        "a worker killed": killed("web-1"),
        "the other worker killed": killed("web-2"),
        "Chroma killed": killed("chroma"),
        "the ingestion killed": lambda adding: adding.kill(),
        "Chroma lost everything": chroma_forgets,
        "PostgreSQL crashed": crash,
    }
