"""Queued books and workers that are killed, while PostgreSQL is restarted: every book once, none lost."""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Callable
from contextlib import ExitStack
from multiprocessing.connection import Connection
from pathlib import Path

from ragstone.core import StorageError
from ragstone.core.catalog import QueueState
from ragstone.core.testing import open_host
from ragstone.plugins.book_chat import Shelf
from ragstone.plugins.book_chat.library.book_queue import BookQueue
from tests.support.postgresql import Server, server

from .actors import Actor, soon
from .run import PATIENCE_S, Run

_WORKERS = 4
#: Seconds after which the book of a dead worker is taken up.
_LEASE = 1.5
_SECTIONS = 3
_SUBJECTS = "caster tyre gripper lidar brake battery sensor hinge clutch pulley bearing spring".split()  # noqa: SIM905


def queued_books(run: Run) -> None:
    """The same books by one process, by workers that nothing happens to, and by workers that are killed."""
    books, files = run.times(12, 200), 2
    folder = run.folder / "books"
    for number in range(books):
        _write_book(folder / f"book-{number:04}", number, files)
    with server() as database:
        run.report("one process")
        run.figures["one process s"] = _alone(run.folder / "alone", database, folder)
        run.report(f"{_WORKERS} workers")
        run.figures[f"{_WORKERS} workers s"] = _queued(run, database, folder, kills=False)
        run.report(f"{_WORKERS} workers, killed")
        run.figures[f"{_WORKERS} killed workers s"] = _queued(run, database, folder, kills=True)
    run.figures["books"] = books


def _write_book(folder: Path, number: int, files: int) -> None:
    folder.mkdir(parents=True)
    for file in range(files):
        lines = [f"# Part {file} of volume {number}"]
        for section in range(_SECTIONS):
            subject = _SUBJECTS[(number + file + section) % len(_SUBJECTS)]
            name = f"{subject} {number}-{file}-{section}"
            lines += [f"## The {name}", f"The {name} weighs {number + section} grams. It is tested each week. " * 12]
        (folder / f"part-{file}.md").write_text("\n\n".join(lines), "utf-8")


def _alone(home: Path, database: Server, folder: Path) -> float:
    """Seconds that one process needs without a queue."""
    with database.database() as name:
        with open_host(home, database=database.url(name)) as host:
            shelf, started = Shelf(host), time.perf_counter()
            for book in sorted(folder.iterdir()):
                shelf.add(shelf.plan(book))
            spent = time.perf_counter() - started
        _check(database, name, folder)
    return round(spent, 1)


def _queued(run: Run, database: Server, folder: Path, *, kills: bool) -> float:
    """Seconds that the workers need, from when all are ready."""
    with database.database() as name, open_host(run.folder / "front", database=database.url(name)) as host:
        queue, url = BookQueue(host), database.url(name)
        with ExitStack() as stack:

            def begin() -> Actor:
                actor: Actor = stack.enter_context(Actor(_work, url, run.folder / "worker"))
                assert actor.hear() == "ready"
                return actor

            actors = [begin() for _ in range(_WORKERS)]
            started = time.perf_counter()
            count = queue.add(folder).queued
            if kills:
                _kill(run, database, queue, actors, begin)
            soon(lambda: _ended(queue) == count, "all books are read")
            spent = time.perf_counter() - started
        state = queue.jobs.state()
        assert (state.done, state.failed, state.total) == (count, 0, count), state
        _check(database, name, folder)
        files = {len(list(book.iterdir())) for book in folder.iterdir()}
        assert {book.files for book in Shelf(host).counted()} == files
    return round(spent, 1)


def _kill(run: Run, database: Server, queue: BookQueue, actors: list[Actor], begin: Callable[[], Actor]) -> None:
    """Kill a worker again and again and begin another one; now and then crash PostgreSQL instead."""
    kills, crashes = run.times(3, 40), run.times(1, 2)
    crash_at = {(kills // (crashes + 1)) * (number + 1) for number in range(crashes)}
    for number in range(kills):
        time.sleep(run.random.uniform(0.05, 0.6))
        if number in crash_at:
            database.stop(signal.SIGQUIT)
            time.sleep(run.random.random())
            database.start()
            run.count("PostgreSQL crashed")
        state = _state(queue)
        reading = {job.worker.rpartition("/")[2] for job in state.running}
        busy = [place for place, actor in enumerate(actors) if str(actor.process.pid) in reading]
        # Of the last books one would have all the kills, and a book whose workers die five times fails.
        is_last = state.done + len(state.running) == state.total
        idle = [place for place in range(len(actors)) if place not in busy]
        place = run.random.choice((idle if is_last else busy) or range(len(actors)))
        actors[place].kill()
        run.count("kills over a book" if place in busy else "kills between books")
        actors[place] = begin()
        run.report(f"{number + 1} of {kills} kills")


def _state(queue: BookQueue) -> QueueState:
    while True:
        try:
            return queue.jobs.state()
        except StorageError:  # PostgreSQL is starting
            time.sleep(0.1)


def _ended(queue: BookQueue) -> int:
    state = _state(queue)
    assert not state.failed, state.failures
    return state.done


def _work(line: Connection, url: str, home: Path) -> None:
    logging.getLogger("sqlalchemy").setLevel(logging.CRITICAL)  # a crash of the server is provoked here
    gives_up = time.monotonic() + PATIENCE_S
    while time.monotonic() < gives_up:
        try:
            with open_host(home, database=url) as host:
                queue = BookQueue(host)
                line.send("ready")
                queue.work(at_once=2, until_empty=False, on_book=lambda report: None, lease=_LEASE)
        except StorageError:  # a worker that was begun while PostgreSQL starts
            time.sleep(0.1)


def _check(database: Server, name: str, folder: Path) -> None:
    """Read the database past the product: every file's text once, with all of its chunks, vectors and postings."""
    wanted = {
        f"{book.name}:{file.name}": file.read_text("utf-8").count("\n## ")
        for book in folder.iterdir()
        for file in book.iterdir()
    }
    with database.connect(name) as past:
        rows = past.execute(
            "SELECT d.doc_id, d.text, count(c.id), count(DISTINCT c.position), bool_and(length(c.vectors) > 0), "
            "bool_and(EXISTS (SELECT FROM ragstone.posting p WHERE p.chunk_id = c.id)) "
            "FROM ragstone.document d LEFT JOIN ragstone.chunk c ON c.document_id = d.id GROUP BY d.id"
        ).fetchall()
        orphans = past.execute(
            "SELECT count(*) FROM ragstone.posting p "
            "WHERE NOT EXISTS (SELECT FROM ragstone.chunk c WHERE c.id = p.chunk_id)"
        ).fetchone()
    assert sorted(str(row[0]) for row in rows) == sorted(wanted), "a file is missing, or there twice"
    for doc_id, text, chunks, positions, has_vectors, has_postings in rows:
        assert chunks and chunks == positions, f"{doc_id} is half there"
        assert has_vectors and has_postings, f"{doc_id} cannot be found"
        assert str(text).count("## The ") == wanted[str(doc_id)], f"{doc_id} has another text"
    assert orphans == (0,), "postings of chunks that are gone"
