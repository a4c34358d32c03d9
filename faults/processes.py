"""Two processes over one data folder, and a process that forks with a host open."""

from __future__ import annotations

import atexit
import os
import signal
import sqlite3
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path

from ragstone.core import Host, StorageBusy, StorageError
from tests.support.needs import needed

from .actors import Actor, soon
from .ingestion_kills import assert_nothing_half
from .models import CORPUS, note, notes, opened
from .run import Run
from .stores import until_current
from .truth import Truth, questions_of, same_answers

_HALF = 20
#: A child of a fork that says nothing for so long hangs: what it does takes milliseconds.
_HANGS_S = 60


def second_process(run: Run) -> None:
    """Two hosts fill one corpus and ask it at once; one has Chroma, is killed, and the other takes it up."""
    needed("chromadb")
    folder = run.folder
    with opened(folder) as host:
        notes(host).ingest([note(0)])  # an index follows what there is
    for _ in range(run.times(1, 5)):
        version = int(run.figures.get("kills", 0))
        with Actor(_shares, folder, 0, version) as first:
            assert first.hear() == "Chroma follows the catalog"
            with Actor(_shares, folder, _HALF, version) as second:
                detail = second.hear()
                assert detail == "another process has it; exact search answers here", detail
                for actor in (first, second):
                    actor.ask("fill")
                assert [first.hear(), second.hear()] == ["filled", "filled"]
                truth = Truth.of(folder / "data", CORPUS)
                wanted = {note(number, version).doc_id: note(number, version).text for number in range(2 * _HALF)}
                assert truth.texts == wanted
                assert_nothing_half(truth)
                questions = questions_of(truth, run.random, 5)
                for actor in (first, second):
                    run.count("questions", actor.ask((truth, questions)))
                first.kill()
                run.count("kills")
                assert second.ask("take over") == "Chroma follows the catalog"
                run.count("questions", second.ask((truth, questions)))
        run.report(f"{run.figures['kills']} kills")
    _busy(folder)


def _shares(line: Connection, folder: Path, start: int, version: int) -> None:
    host = opened(folder, store="chroma")
    host.serve()
    soon(lambda: _detail(host) != "starting", "the index does not start")
    line.send(_detail(host))
    while True:
        what = line.recv()
        if what == "fill":
            line.send("filling")
            # One at a time, so that the two processes take turns.
            for number in range(start, start + _HALF):
                notes(host).ingest([note(number, version)])
            line.send("filled")
        elif what == "take over":
            until_current(host)
            line.send(_detail(host))
        else:
            truth, questions = what
            if _detail(host) == "Chroma follows the catalog":
                until_current(host)
            line.send(same_answers(notes(host), truth, questions))


def _detail(host: Host) -> str:
    return next(check.detail for check in host.checks() if check.name == "vector index")


def _busy(folder: Path) -> None:
    """Another process holds the database: no hang, a clear error, and success once it is released."""
    with closing(sqlite3.connect(folder / "data" / "catalog.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with Actor(_refused, folder) as actor:
            result = actor.hear()
            assert isinstance(result, str), result
            assert "another process holds the database (try again in a moment)" in result
            other.execute("ROLLBACK")
            assert actor.ask("again") == 1


def _refused(line: Connection, folder: Path) -> None:
    from ragstone.core.catalog import sqlite

    sqlite._BUSY_TIMEOUT_MS = 500
    host = opened(folder)
    try:
        notes(host).ingest([note(1000)])
    except StorageBusy as error:
        line.send(str(error))
    line.recv()
    line.send(len(notes(host).ingest([note(1000)]).added))


def forked_host(run: Run) -> None:
    """What a fork inherits is refused with clear words; a host of its own works; the parent's is unharmed."""
    needed("chromadb")
    with Actor(_forks, run.folder, run.times(6, 60), run.seed) as actor:
        output = actor.hear()
        while isinstance(output, str):
            run.report(output)
            run.count("forks")
            output = actor.hear()
        run.figures["questions"], truth = output
        assert actor.wait() == 0
    assert_nothing_half(truth)


def _forks(line: Connection, folder: Path, forks: int, seed: int) -> None:
    import random

    draw = random.Random(seed)
    host = opened(folder, store="chroma")
    corpus = notes(host)
    corpus.ingest(note(number) for number in range(40))
    host.serve()
    until_current(host)
    stop, written = threading.Event(), [0]

    def write() -> None:
        while not stop.is_set():
            written[0] += 1
            corpus.ingest([note(written[0] % 40, written[0])])

    writer = threading.Thread(target=write)
    writer.start()
    children: tuple[Callable[[], None], ...] = (
        lambda: _refuses(lambda: host.pipeline.retrieve(corpus, "version0 line1", top_k=3)),
        lambda: _refuses(lambda: corpus.ingest([note(2000)])),
        lambda: _refuses(corpus.rebuild),
        lambda: _refuses(lambda: host.assistant("book_chat").ask("What is a caster?")),
        lambda: _refuses(lambda: opened(folder)),
        lambda: None,
    )
    for number in range(forks):
        time.sleep(draw.random() / 20)  # at any moment of a document's transaction
        pid = os.fork()
        if pid == 0:
            _child(host, children[number % len(children)])
        _assert_well(pid, number % len(children))
        line.send(f"{number + 1} of {forks} forks")
    stop.set()
    writer.join()
    until_current(host)
    truth = Truth.of(folder / "data", CORPUS)
    asked = same_answers(corpus, truth, questions_of(truth, draw, 8))
    host.close()
    # With nothing open there is nothing to inherit: a child opens the folder as any process does.
    pid = os.fork()
    if pid == 0:
        _child(host, lambda: _opens_its_own(folder))
    _assert_well(pid, "that opens a host of its own")
    line.send((asked, Truth.of(folder / "data", CORPUS)))


def _assert_well(pid: int, which: object) -> None:
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code == 0, f"child {which} {'hangs' if code == -signal.SIGALRM else f'ended with {code}'}"


def _child(host: Host, does: Callable[[], None]) -> None:
    """As a careless child: it uses what it inherits, and closes it."""
    signal.alarm(_HANGS_S)
    code = 1
    try:
        does()
        host.close()
        atexit._run_exitfuncs()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _refuses(what: Callable[[], object]) -> None:
    try:
        what()
    except StorageError as error:
        assert "is a fork (fork first and open then, or start a new process" in str(error), error
        return
    raise AssertionError("a forked host was used")


def _opens_its_own(folder: Path) -> None:
    with opened(folder) as own:
        assert len(notes(own).contents.documents()) == 40
        notes(own).ingest([note(0, 3000)])
