"""``ragstone serve`` is killed and restarted over the same folder: seconds to its first answer, and the answers."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psutil

from ragstone.plugins.book_chat import Shelf
from tests.support.needs import needed
from tests.support.third_party_fakes import RAGSTONE, distribution, environment

from .actors import soon
from .models import opened, words
from .run import PATIENCE_S, Run
from .truth import Truth, same_answers

_PROMISED_S = 5.0
_PARTS = 50
_REPOSITORY = Path(__file__).parents[1]


def serving_again(run: Run) -> None:
    """A real server over a real shelf; the seconds are counted from the start of its process to its first answer."""
    needed("chromadb")
    needed("waitress")
    folder = run.folder
    chapters = run.times(4, 400)
    fill(folder, chapters)
    truth = Truth.of(folder / "data", "books")
    run.figures["chunks"] = sum(map(len, truth.chunks.values()))
    assert run.figures["chunks"] == chapters * _PARTS
    site = distribution(folder / "site", "cheap-models", "from faults.models import plugin", module=False)
    parts = [(number * chapters // 5, number * 7) for number in range(5)]

    faults = {
        "store missing": lambda: shutil.rmtree(folder / "data" / "index", ignore_errors=True),
        "store as it was left": lambda: None,
        "store closed in order": lambda: _serve_and_stop(folder, site),
    }
    for what in list(faults)[: run.times(2, 3)]:
        faults[what]()
        run.report(what)
        with serving(folder, site) as server:
            seconds = server.until_it_answers(*parts[0])
            run.figures[f"{what}: first answer s"] = round(seconds, 2)
            # Tells, on a machine that is busy with other things, how long it would take on one that is not.
            run.figures[f"{what}: processor s until then"] = round(server.processor_s(), 2)
            for part in parts:
                server.ask(*part)
            run.figures[f"{what}: index follows s"] = round(server.until_the_index_follows(), 2)
            for part in parts:
                server.ask(*part)
            server.process.kill()
        if run.full:
            run.figures[f"{what}: within {_PROMISED_S:.0f} s"] = "met" if seconds <= _PROMISED_S else "MISSED"
    with opened(folder) as host:
        assert Truth.of(folder / "data", "books").texts == truth.texts
        questions = [" ".join(_words_of(*part)[:5]) for part in parts]
        run.count("questions", same_answers(Shelf(host).corpus, truth, questions))


def _words_of(chapter: int, part: int) -> list[str]:
    """The part's words; the first is in this part only."""
    return [f"Number{chapter}x{part}", *words(chapter * 1000 + part, 39)]


def fill(folder: Path, chapters: int) -> None:
    """A book of so many chapters in the folder's data folder."""
    book = folder / "book"
    book.mkdir()
    for chapter in range(chapters):
        parts = (f"## Part {chapter}-{part}\n\n{' '.join(_words_of(chapter, part))}.\n" for part in range(_PARTS))
        (book / f"{chapter:03}.md").write_text(f"# Chapter {chapter}\n\n" + "\n".join(parts), "utf-8")
    with opened(folder) as host:
        shelf = Shelf(host)
        shelf.add(shelf.plan(book), title="A long book")


def _serve_and_stop(folder: Path, site: Path) -> None:
    with serving(folder, site) as server:
        server.until_the_index_follows()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE_S) == 0


class _Server:
    """A ``ragstone serve`` process and its address."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self.process = process
        self._state = folder / "data" / "index" / "books" / "state.json"
        self._data = folder / "data"
        self._started = time.time()
        assert process.stdout is not None
        output = process.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+/", output)
        assert address, f"the server said {output!r}"
        self.url = address[0]

    def ask(self, chapter: int, part: int) -> None:
        """Ask for the part by its words; the answer must be from there."""
        result = _words_of(chapter, part)
        request = urllib.request.Request(
            f"{self.url}query",
            json.dumps({"question": " ".join(result[:6])}).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as response:
            answer = json.load(response)
        assert result[0] in answer["answer"], f"asked for {result[0]}: {answer['answer'][:200]!r}"

    def until_it_answers(self, chapter: int, part: int) -> float:
        """Seconds from the start of the process to the first answer, which must be right."""
        self.ask(chapter, part)
        return time.time() - self._started

    def processor_s(self) -> float:
        """Seconds of processor time so far, summed over all cores."""
        spent = psutil.Process(self.process.pid).cpu_times()
        return float(spent.user + spent.system)

    def until_the_index_follows(self) -> float:
        """Seconds from the start of the process until Chroma is at the corpus's last change."""
        with closing(sqlite3.connect(f"file:{self._data / 'catalog.sqlite'}?mode=ro", uri=True)) as connection:
            last = connection.execute("SELECT seq FROM corpus WHERE name = 'books'").fetchone()[0]

        def follows() -> bool:
            try:
                if self._state.stat().st_mtime < self._started:
                    return False  # an earlier process wrote it
                state = json.loads(self._state.read_text("utf-8"))
            except FileNotFoundError:
                return False
            assert self.process.poll() is None, "the server died"
            return state["applied"] == last and not state["clean"]

        soon(follows, "the index does not follow")
        return time.time() - self._started


@contextmanager
def serving(folder: Path, site: Path, **settings: str) -> Iterator[_Server]:
    """``ragstone serve`` over the folder with the cheap models; ``settings``: further variables of its environment."""
    path = os.pathsep.join([str(site), str(_REPOSITORY / ".src"), str(_REPOSITORY)])
    data = {
        "RAGSTONE_INDEX__STORE": "chroma",
        "RAGSTONE_DATA_DIR": str(folder / "data"),
        "RAGSTONE_CACHE_DIR": str(folder / "cache"),
    }
    with (folder / "server.log").open("a") as log:
        process = subprocess.Popen(
            [str(RAGSTONE), "serve", "--port", "0"],
            cwd=folder,
            env=environment(None, PYTHONPATH=path, **{**data, **settings}),
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    try:
        yield _Server(process, folder)
    finally:
        process.kill()
        process.communicate()
