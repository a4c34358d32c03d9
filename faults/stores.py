"""Eight kinds of damage to a Chroma store while no process has it open."""

from __future__ import annotations

import json
import logging
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from ragstone.core import Host
from ragstone.core.vector_index.probe import digest_of
from tests.support.needs import needed
from tests.support.patience import is_followed

from .actors import Actor, soon
from .models import CORPUS, note, notes, opened
from .run import Run
from .truth import Truth, questions_of, same_answers

#: Chroma writes the files of its graph after so many vectors. The product lets it never write them, because a kill in
#: the middle breaks them; only a store that has them can be damaged in all eight ways.
_WRITES_AFTER = 100


def damaged_stores(run: Run) -> None:
    """Each is found out by the probe, made anew, and answers are brute force's before, meanwhile and afterwards."""
    needed("chromadb")
    whole = run.folder / "whole"
    with Actor(_make, whole) as actor:
        actor.hear()
        assert actor.wait() == 0
    truth = Truth.of(whole / "data", CORPUS)
    questions = questions_of(truth, run.random, 6)
    # A short run tries the one that is hardest to see; tests/core/vector_index/test_followers.py has others.
    names = list(_DAMAGES) if run.full else ["bit flipped"]
    longest = 0.0
    for name in names:
        # Harm that came before the digest was made at closing can be found only by opening and asking.
        for known in ("since it was closed", "before it was closed") if run.full and name in _DEEP else ("",):
            folder = run.folder / f"{name} {known}".strip().replace(" ", "-")
            shutil.copytree(whole, folder)
            with _DAMAGES[name](_store(folder), run.random):
                if known == "before it was closed":
                    _with_digest(folder)
                with Actor(_host, folder, truth, questions) as host:
                    why, asked, seconds = host.hear()
                    assert host.ask("close") == "closed"
                    assert host.wait() == 0
            assert "is rebuilt" in why, f"{name}: not found out ({why!r})"
            run.count("damages")
            run.count("questions", asked)
            longest = max(longest, seconds)
            run.report(f"{name} {known}: {why.rpartition('rebuilt: ')[2][:60]}")
    with Actor(_host, folder, truth, questions) as host:
        again, asked, _ = host.hear()
    assert "is rebuilt" not in again, f"{name}: the rebuilt index is not used: {again!r}"
    run.count("questions", asked)
    run.figures["until followed again, at most s"] = round(longest, 1)


def _make(line: Connection, folder: Path) -> None:
    from ragstone.core.vector_index import chroma_store

    chroma_store._SYNC_NEVER = _WRITES_AFTER
    host = opened(folder, store="chroma")
    notes(host).ingest(note(number) for number in range(60))
    host.serve()
    until_current(host)
    host.close()
    line.send("made")


def _host(line: Connection, folder: Path, truth: Truth, questions: list[str]) -> None:
    """Open, answer while the index is looked into and made anew, and answer from the index."""
    output: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: output.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("ragstone").addHandler(handler)
    host = opened(folder, store="chroma")
    asked = same_answers(notes(host), truth, questions)
    host.serve()
    seconds = until_current(host, lambda: same_answers(notes(host), truth, questions[:1]))
    asked += same_answers(notes(host), truth, questions)
    assert all(check.ok for check in host.checks() if check.name.startswith("vector index")), host.checks()
    line.send((" ".join(output), asked, seconds))
    line.recv()
    host.close()
    line.send("closed")


def until_current(host: Host, meanwhile: Callable[[], object] = lambda: None) -> float:
    corpus = notes(host)

    def is_current() -> bool:
        meanwhile()
        return is_followed(corpus)

    return soon(is_current, "the index does not follow")


def _store(folder: Path) -> Path:
    (store,) = (folder / "data" / "index" / CORPUS).glob("store-*")
    return store


def _with_digest(folder: Path) -> None:
    """Let the state's digest be that of the files as they are."""
    state = folder / "data" / "index" / CORPUS / "state.json"
    result = json.loads(state.read_text("utf-8"))
    result["digest"] = digest_of(_store(folder))
    state.write_text(json.dumps(result), "utf-8")


def _file(store: Path, name: str) -> Path:
    (found,) = store.glob(f"*/{name}")
    return found


def _cut(store: Path, name: str, share: float) -> AbstractContextManager[None]:
    path = _file(store, name)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    return nullcontext()


def _segment_gone(store: Path, random: Random) -> AbstractContextManager[None]:
    shutil.rmtree(_file(store, "header.bin").parent)
    return nullcontext()


def _emptied(store: Path, random: Random) -> AbstractContextManager[None]:
    shutil.rmtree(store)
    store.mkdir()
    return nullcontext()


def _flipped(store: Path, random: Random, bits: int = 1) -> AbstractContextManager[None]:
    path = _file(store, "data_level0.bin")
    content = bytearray(path.read_bytes())
    for _ in range(bits):
        content[random.randrange(len(content))] ^= 1 << random.randrange(8)
    path.write_bytes(content)
    return nullcontext()


def _foreign(store: Path, random: Random) -> AbstractContextManager[None]:
    """As a Chroma leaves it whose tables were made in other steps than this one's."""
    with closing(sqlite3.connect(store / "chroma.sqlite3")) as connection, connection:
        connection.execute("UPDATE migrations SET hash = 'f00d', sql = 'SELECT 1' WHERE dir = 'metadb' AND version = 6")
    return nullcontext()


@contextmanager
def _locked(store: Path, random: Random) -> Iterator[None]:
    with Actor(_hold, store) as holder:
        assert holder.hear() == "holds it"
        yield


def _hold(line: Connection, store: Path) -> None:
    connection = sqlite3.connect(store / "chroma.sqlite3", isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    line.send("holds it")
    line.recv()


_DAMAGES: dict[str, Callable[[Path, Random], AbstractContextManager[None]]] = {
    "segment folder gone": _segment_gone,
    "data file halved": lambda store, random: _cut(store, "data_level0.bin", 0.5),
    "header cut": lambda store, random: _cut(store, "header.bin", 0.1),
    "torn pickle": lambda store, random: _cut(store, "index_metadata.pickle", 0.6),
    "folder emptied": _emptied,
    "foreign version": _foreign,
    "bit flipped": _flipped,
    "locked": _locked,
}
#: Found out by opening and asking as well.
_DEEP = ("segment folder gone", "data file halved", "header cut", "torn pickle", "folder emptied", "foreign version")
