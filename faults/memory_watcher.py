"""A watcher of an agent's home in which a writer never rests."""

from __future__ import annotations

import tempfile
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path

import psutil

from ragstone.plugins.iris_memory import memory_of
from ragstone.plugins.iris_memory.indexing.watcher import Watcher

from .actors import Actor, soon
from .memory_updates import opened_memory, result_of, text_of
from .run import Run

#: Megabytes and handles by which a watcher may differ from what it was after the first quarter of the time.
_LEVEL_MB, _LEVEL_HANDLES = 24, 4


def never_resting_writer(run: Run) -> None:
    """A process that watches while files are written, renamed and deleted without a pause, in full for ten minutes.

    Its memory and handles stay level, and when the writer rests, it remembers what the files say.
    """
    home = run.folder / "home"
    home.mkdir()
    lasts = run.times(4, 600)
    with Actor(_watches, run.folder, home) as actor:
        assert actor.hear() == "watching"
        assert actor.process.pid is not None
        watcher = psutil.Process(actor.process.pid)
        begun, levels = time.monotonic(), list[tuple[float, int]]()
        while (spent := time.monotonic() - begun) < lasts:
            for _ in range(50):
                _change(run, home)
                time.sleep(0.002)
            if spent > lasts / 4:
                levels.append((watcher.memory_info().rss / 1e6, watcher.num_fds()))
            run.report(f"{spent:.0f} of {lasts} s")
        (home / "last.md").write_text("The last word is halcyon.\n", "utf-8")
        with opened_memory(run.folder, home) as host:
            corpus = memory_of(host).corpus
            took = soon(lambda: "last.md" in {row.doc_id for row in corpus.contents.documents()}, "the last file")
            soon(lambda: not memory_of(host).status().waiting, "all that was written")
            result = result_of(host)
        run.figures["last file found after s"] = round(took, 2)
        run.figures["updates"] = actor.ask("stop")
    with tempfile.TemporaryDirectory() as folder, opened_memory(Path(folder), home) as fresh:
        memory_of(fresh).update()
        assert result == result_of(fresh), "something was missed"
    megabytes, handles = [level[0] for level in levels], [level[1] for level in levels]
    run.figures["memory MB"] = f"{megabytes[0]:.0f} to {megabytes[-1]:.0f}, at most {max(megabytes):.0f}"
    run.figures["handles"] = f"{handles[0]} to {handles[-1]}, at most {max(handles)}"
    assert max(megabytes) - megabytes[0] < _LEVEL_MB, "its memory grows"
    assert max(handles) - min(handles) <= _LEVEL_HANDLES, "its handles grow"


def _change(run: Run, home: Path) -> None:
    random = run.random
    path = home / f"notes/n{random.randrange(40)}.md"
    path.parent.mkdir(exist_ok=True)
    match random.randrange(10):
        case 0:
            path.unlink(missing_ok=True)
        case 1 if path.exists():
            path.rename(home / f"notes/n{random.randrange(40)}.md")
        case _:
            path.write_text(text_of(path.name, random.randrange(10_000)), "utf-8")
            run.count("writes")


def _watches(line: Connection, work: Path, home: Path) -> None:
    updates = 0

    def count(_report: object) -> None:
        nonlocal updates
        updates += 1

    with opened_memory(work, home) as host:
        watcher = Watcher(memory_of(host), count)
        thread = threading.Thread(target=watcher.run)
        thread.start()
        watcher.watching.wait()
        line.send("watching")
        line.recv()
        watcher.end()
        thread.join()
        line.send(updates)
