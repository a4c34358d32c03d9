"""Random changes to an agent's home, whose memory is updated by processes that are killed."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil
from hypothesis import HealthCheck, Phase, assume, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from ragstone.plugins.iris_memory import memory_of
from ragstone.plugins.iris_memory.indexing.folder import CORPUS
from ragstone.plugins.iris_memory.indexing.watcher import Watcher

from .actors import Actor, soon
from .models import opened, words
from .truth import Truth, same_answers

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from ragstone.core import Host

    from .run import Run

_FILES = ("a.md", "notes/b.md", "explorations/c.md", "logs/d.md", "state.json", "docs/emails/e.txt", "notes/f.bin.md")
_files = st.sampled_from(_FILES)
_contents = st.integers(0, 10_000)
_pick = st.integers(0, 1000)
_QUESTIONS = [" ".join(words(7, 3)), "part alpha", "kettle of ann"]
#: Megabytes and handles by which a watcher may differ from what it was after the first quarter of the time.
_LEVEL_MB, _LEVEL_HANDLES = 24, 4


def memory_at_random(run: Run) -> None:
    """Sequences of changes and kills by Hypothesis, the same ones for the same seed."""

    class Machine(_Home):
        scenario_run = run

    run_state_machine_as_test(
        seed(run.seed)(Machine),
        settings=settings(
            max_examples=run.times(3, 100),
            stateful_step_count=run.times(12, 30),
            deadline=None,
            database=None,
            phases=[Phase.generate, Phase.shrink] if run.full else [Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )


class _Home(RuleBasedStateMachine):
    """The home, a host that remembers it, and after each update the truth about both."""

    scenario_run: Run

    def __init__(self) -> None:
        super().__init__()
        self._work = Path(tempfile.mkdtemp(dir=self.scenario_run.folder))
        self._home = self._work / "home"
        self._home.mkdir()
        self._host = _opened(self._work, self._home)

    def teardown(self) -> None:
        try:
            self._update()
        finally:
            self._host.close()
        shutil.rmtree(self._work)
        self.scenario_run.count("sequences")
        self.scenario_run.tell(f"{self.scenario_run.figures['sequences']} sequences")

    @initialize(content=_contents)
    def begin(self, content: int) -> None:
        for file in _FILES[:5]:
            self._write(file, content + len(file))
        self._update()

    @rule(file=_files, content=_contents)
    def write(self, file: str, content: int) -> None:
        self._write(file, content)

    @precondition(lambda self: self._there())
    @rule(pick=_pick, content=_contents)
    def edit_unseen(self, pick: int, content: int) -> None:
        """Another text of the same length in the same file, under the same time of change."""
        path = self._one(pick)
        before, old = path.stat(), path.read_bytes()
        fresh = _text(path.name, content).encode()[: len(old)]
        with path.open("r+b") as file:
            file.write(fresh + b" " * (len(old) - len(fresh)))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.scenario_run.count("unseen edits")

    @precondition(lambda self: self._there())
    @rule(pick=_pick, at=st.integers(1_500_000_000, 1_700_000_000))
    def touch(self, pick: int, at: int) -> None:
        os.utime(self._one(pick), (at, at))

    @precondition(lambda self: self._there())
    @rule(pick=_pick, to=_files)
    def rename(self, pick: int, to: str) -> None:
        path, target = self._one(pick), self._home / to
        assume(path != target)
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)

    @precondition(lambda self: self._there())
    @rule(pick=_pick)
    def delete(self, pick: int) -> None:
        self._one(pick).unlink()

    @rule(pause=st.floats(0, 0.3))
    def update_and_kill(self, pause: float) -> None:
        """Another process brings it up to date and is killed, wherever it is by then."""
        with Actor(_updates, self._work, self._home) as actor:
            assert actor.hear() == "alive"
            time.sleep(pause)
            actor.kill()
        self.scenario_run.count("kills")

    @rule()
    def update(self) -> None:
        self._update()

    def _update(self) -> None:
        memory = memory_of(self._host)
        memory.update()
        assert not memory.update().changed, "the second time found something to do"
        assert not memory.status().waiting
        with tempfile.TemporaryDirectory(dir=self._work) as folder:
            with _opened(Path(folder), self._home) as fresh:
                memory_of(fresh).update()
                anew = _result(fresh)
            if anew:
                self._compare(Truth.of(Path(folder) / "data", CORPUS), anew)
        self.scenario_run.count("comparisons")

    def _compare(self, fresh: Truth, anew: dict[str, Any]) -> None:
        own = Truth.of(self._work / "data", CORPUS)
        assert own.texts == fresh.texts
        assert own.hashes == fresh.hashes
        assert _result(self._host) == anew
        for doc_id, chunks in fresh.chunks.items():
            for mine, other in zip(own.chunks[doc_id], chunks, strict=True):
                assert np.allclose(mine.vectors, other.vectors, atol=1e-6)
        if any(fresh.chunks.values()):
            same_answers(memory_of(self._host).corpus, fresh, _QUESTIONS)

    def _write(self, file: str, content: int) -> None:
        path = self._home / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_text(file, content), "utf-8")
        self.scenario_run.count("writes")

    def _there(self) -> list[Path]:
        return sorted(path for path in self._home.rglob("*") if path.is_file())

    def _one(self, pick: int) -> Path:
        there = self._there()
        return there[pick % len(there)]


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
            run.tell(f"{spent:.0f} of {lasts} s")
        (home / "last.md").write_text("The last word is halcyon.\n", "utf-8")
        with _opened(run.folder, home) as host:
            corpus = memory_of(host).corpus
            took = soon(lambda: "last.md" in {row.doc_id for row in corpus.contents.documents()}, "the last file")
            soon(lambda: not memory_of(host).status().waiting, "all that was written")
            result = _result(host)
        run.figures["last file found after s"] = round(took, 2)
        run.figures["updates"] = actor.ask("stop")
    with tempfile.TemporaryDirectory() as folder, _opened(Path(folder), home) as fresh:
        memory_of(fresh).update()
        assert result == _result(fresh), "something was missed"
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
            path.write_text(_text(path.name, random.randrange(10_000)), "utf-8")
            run.count("writes")


def _opened(folder: Path, home: Path) -> Host:
    named = {"iris_memory": {"root": str(home), "mail_days": 0, "rescan_seconds": 5}}
    return opened(folder, plugins=named)


def _result(host: Host) -> dict[str, Any]:
    """Everything that a query could show, by path and chunk."""
    corpus = memory_of(host).corpus
    nodes = {row.doc_id: corpus.contents.document_nodes(row.doc_id) for row in corpus.contents.documents()}
    return {path: [(node.node_id, node.text, node.metadata) for node in found] for path, found in nodes.items()}


def _updates(line: Connection, work: Path, home: Path) -> None:
    with _opened(work, home) as host:
        line.send("alive")
        memory_of(host).update()
        line.recv()  # until it is killed


def _watches(line: Connection, work: Path, home: Path) -> None:
    updates = 0

    def count(_report: object) -> None:
        nonlocal updates
        updates += 1

    with _opened(work, home) as host:
        watcher = Watcher(memory_of(host), count)
        thread = threading.Thread(target=watcher.run)
        thread.start()
        watcher.watching.wait()
        line.send("watching")
        line.recv()
        watcher.end()
        thread.join()
        line.send(updates)


def _text(name: str, content: int) -> str:
    """Some parts of some words, in the form that the name asks for; of neighbouring numbers some are alike."""
    parts = [f"Alpha {' '.join(words((content + number) % 40, 40))}." for number in range(3)]
    if name.endswith(".json"):
        return f'{{"mood": "{parts[0]}", "tasks": ["{parts[1]}"]}}' if content % 5 else "{half"
    if name.endswith(".txt"):
        return f"From: Ann <ann@x.org>\nSubject: Part {content % 40}\n\n{parts[0]}\n\n> {parts[1]}\n"
    if name.endswith(".bin.md") and content % 2:
        return "\0"
    return f"# Kettle {content % 7}\n\n" + "\n\n".join(f"## Part {len(part)}\n\n{part}" for part in parts) + "\n"
