"""Eight clients on four workers while books are added and PostgreSQL, with the vectors in it, is restarted twice."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable
from functools import partial

import httpx

from tests.support.patience import HANG, until
from tests.support.services import Stack, stacked

from .run import Run
from .valves import Readers, facts, write_book
from .web_workers import everything_is_there, first_version

_WORKERS, _CLIENTS, _VALVES = 4, 8, 24
_SHORT_S, _FULL_S = 45, 240
#: Versions of the book of valves, which runs out of names; new books come until the end.
_VERSIONS = 30


def restarted_under_readers(run: Run) -> None:
    """Versions of a book, and new books beside it, for minutes; then every book and every answer is looked at."""
    seconds = run.times(_SHORT_S, _FULL_S) if run.minutes is None else run.minutes * 60
    cache = run.folder / "cache"
    cache.mkdir()
    with stacked(run.folder / "machine", cache, workers=_WORKERS) as stack:
        key = first_version(stack, _VALVES)
        _build_hnsw(stack)
        stack.start()
        readers = Readers({name: stack.address(name) for name in stack.workers}, key, _VALVES, run.random)
        threads = [thread for _ in range(_CLIENTS // _WORKERS) for thread in readers.asking()]
        began = time.monotonic()
        # Crashed once, and once stopped as an administrator does.
        restarts = {seconds / 4: signal.SIGQUIT, seconds * 5 / 8: signal.SIGINT}
        version = books = 1
        while time.monotonic() - began < seconds or restarts:
            due = next((at for at in restarts if time.monotonic() - began >= at), None)
            how = restarts.pop(due) if due is not None else None

            version = min(version + 1, _VERSIONS)
            run.report(f"{books} books, {time.monotonic() - began:.0f} of {seconds:.0f} s")
            write_book(stack.folder / "books/valves", version, _VALVES)
            readers.begin(version)
            if how is None:
                _add(run, stack, "valves", "Valves")
            else:
                # A valve that the version before has, and this one too.
                name = list(facts(version - 1, _VALVES))[-1]
                ask = partial(readers.ask, name=name)
                _add(run, stack, "valves", "Valves", partial(_restart, run, stack, readers, how, ask))
            readers.done(version)
            (stack.folder / f"books/pump{books}").mkdir()
            (stack.folder / f"books/pump{books}/a.md").write_text(_pump(books), "utf-8")
            _add(run, stack, f"pump{books}", f"Pump {books}")
            books += 1
        readers.stop(threads)
        run.figures |= {"clients": _CLIENTS, "workers": _WORKERS, "seconds": round(time.monotonic() - began)}
        everything_is_there(stack, readers, version, _VALVES)
        _every_book_is_there(stack, key, books)
        assert not readers.wrong, "\n".join(readers.wrong[:10])
        run.figures |= {"versions": version, "books": books, **readers.counted}


def _build_hnsw(stack: Stack) -> None:
    """However few vectors there are: a corpus of this size would be scanned."""
    with stack.database.connect("ragstone") as past:
        (name,) = past.execute("SELECT relname FROM pg_class WHERE relname ~ '^pgvector_[0-9]+$'").fetchone() or ("",)
        past.execute(f"CREATE INDEX ON ragstone.{name} USING hnsw (embedding public.halfvec_cosine_ops)".encode())


def _restart(
    run: Run,
    stack: Stack,
    readers: Readers,
    how: signal.Signals,
    ask: Callable[[str], object],
) -> None:
    """Stop PostgreSQL and start it; errors are expected until each worker has answered again."""
    time.sleep(run.random.uniform(1, 4))  # somewhere between the start and the end of an ingestion
    readers.expect_faults(True)
    stack.database.stop(how)
    time.sleep(2)  # each worker finds out
    stack.database.start()
    began = time.monotonic()
    for worker in stack.workers:
        until(partial(ask, worker), f"an answer of {worker}")
    run.figures[f"answers again after {how.name}, s"] = round(time.monotonic() - began, 2)
    time.sleep(1)  # whoever was refused before has heard of it
    readers.expect_faults(False)
    run.count("restarts")


def _add(
    run: Run,
    stack: Stack,
    folder: str,
    title: str,
    meanwhile: Callable[[], None] = lambda: None,
) -> None:
    """Add the book in a process of its own; again, once, if it failed because the database was away."""
    command = ("book", "add", f"/books/{folder}", "--title", title, "--json")
    before = run.figures.get("restarts", 0)
    with stack.begin("ragstone", *command) as adding:
        meanwhile()
        _out, output = adding.communicate(timeout=HANG)
    if adding.returncode and run.figures.get("restarts", 0) != before:
        run.count("ingestions that failed while it was away")
        again = stack.run("ragstone", *command)
        assert again.returncode == 0, again.stderr
    else:
        assert adding.returncode == 0, output


def _pump(number: int) -> str:
    return f"# The Quorl{number} pump\n\nThe Quorl{number} pump lifts water by {7000 + number} metres.\n"


def _every_book_is_there(stack: Stack, key: str, books: int) -> None:
    known = {book["title"] for book in json.loads(stack.here("book", "list", "--json"))}
    assert known == {"Valves", *(f"Pump {number}" for number in range(1, books))}
    for number in range(1, books):
        worker = stack.workers[number % len(stack.workers)]
        answer = httpx.post(
            f"{stack.address(worker)}/query",
            json={"question": f"By how many metres does the Quorl{number} pump lift water?"},
            headers={"Authorization": f"Bearer {key}"},
            timeout=HANG,
        ).json()
        assert str(7000 + number) in answer["answer"], answer
