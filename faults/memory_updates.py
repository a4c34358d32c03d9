"""Random changes to an agent's home, whose memory is updated by processes that are killed."""

from __future__ import annotations

import os
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from ragstone.core import Host
from ragstone.plugins.iris_memory import memory_of
from ragstone.plugins.iris_memory.settings import CORPUS

from .actors import Actor
from .models import opened, words
from .run import Run
from .sequences import FolderMachine, assert_same, contents, picks, run_sequences
from .truth import Truth, same_answers

_FILES = ("a.md", "notes/b.md", "explorations/c.md", "logs/d.md", "state.json", "docs/emails/e.txt", "notes/f.bin.md")
_files = st.sampled_from(_FILES)
_QUESTIONS = [" ".join(words(7, 3)), "part alpha", "kettle of ann"]


def memory_at_random(run: Run) -> None:
    """Changes and kills."""
    run_sequences(run, _Home, run.times(3, 100), run.times(12, 30))


class _Home(FolderMachine):
    """The home, a host that remembers it, and after each update the truth about both."""

    def __init__(self) -> None:
        super().__init__("home")
        self._folder.mkdir()
        self._host = opened_memory(self._work, self._folder)

    @initialize(content=contents)
    def begin(self, content: int) -> None:
        for file in _FILES[:5]:
            self._write(file, content + len(file))
        self._bring_up_to_date()

    @rule(file=_files, content=contents)
    def write(self, file: str, content: int) -> None:
        self._write(file, content)

    @precondition(lambda self: self._there())
    @rule(pick=picks, content=contents)
    def edit_unseen(self, pick: int, content: int) -> None:
        """Another text of the same length in the same file, under the same time of change."""
        path = self._one(pick)
        before, old = path.stat(), path.read_bytes()
        fresh = text_of(path.name, content).encode()[: len(old)]
        with path.open("r+b") as file:
            file.write(fresh + b" " * (len(old) - len(fresh)))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.scenario_run.count("unseen edits")

    @precondition(lambda self: self._there())
    @rule(pick=picks, at=st.integers(1_500_000_000, 1_700_000_000))
    def touch(self, pick: int, at: int) -> None:
        os.utime(self._one(pick), (at, at))

    @precondition(lambda self: self._there())
    @rule(pick=picks, to=_files)
    def rename(self, pick: int, to: str) -> None:
        self._rename(pick, to)

    @rule(pause=st.floats(0, 0.3))
    def update_and_kill(self, pause: float) -> None:
        """Another process brings it up to date and is killed, wherever it is by then."""
        with Actor(_updates, self._work, self._folder) as actor:
            assert actor.hear() == "alive"
            time.sleep(pause)
            actor.kill()
        self.scenario_run.count("kills")

    def _bring_up_to_date(self) -> None:
        memory = memory_of(self._host)
        memory.update(prune=True)  # else it keeps what most files are gone of
        assert not memory.update().changed, "the second time found something to do"
        assert not memory.status().waiting
        with tempfile.TemporaryDirectory(dir=self._work) as folder:
            with opened_memory(Path(folder), self._folder) as fresh:
                memory_of(fresh).update()
                anew = result_of(fresh)
            if anew:
                self._compare(Truth.of(Path(folder) / "data", CORPUS), anew)
        self.scenario_run.count("comparisons")

    def _compare(self, fresh: Truth, anew: dict[str, Any]) -> None:
        own = Truth.of(self._work / "data", CORPUS)
        assert_same(own, fresh)
        assert result_of(self._host) == anew
        if any(fresh.chunks.values()):
            same_answers(memory_of(self._host).corpus, fresh, _QUESTIONS)

    def _write(self, file: str, content: int) -> None:
        path = self._folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text_of(file, content), "utf-8")
        self.scenario_run.count("writes")


def opened_memory(folder: Path, home: Path) -> Host:
    named = {"iris_memory": {"root": str(home), "mail_days": 0, "rescan_seconds": 5}}
    return opened(folder, plugins=named)


def result_of(host: Host) -> dict[str, Any]:
    """Everything that a query could show, by path and chunk."""
    corpus = memory_of(host).corpus
    nodes = {row.doc_id: corpus.contents.document_nodes(row.doc_id) for row in corpus.contents.documents()}
    return {path: [(node.node_id, node.text, node.metadata) for node in found] for path, found in nodes.items()}


def _updates(line: Connection, work: Path, home: Path) -> None:
    with opened_memory(work, home) as host:
        line.send("alive")
        memory_of(host).update()
        line.recv()  # until it is killed


def text_of(name: str, content: int) -> str:
    """Some parts of some words, in the form that the name asks for; of neighbouring numbers some are alike."""
    parts = [f"Alpha {' '.join(words((content + number) % 40, 40))}." for number in range(3)]
    if name.endswith(".json"):
        return f'{{"mood": "{parts[0]}", "tasks": ["{parts[1]}"]}}' if content % 5 else "{half"
    if name.endswith(".txt"):
        return f"From: Ann <ann@x.org>\nSubject: Part {content % 40}\n\n{parts[0]}\n\n> {parts[1]}\n"
    if name.endswith(".bin.md") and content % 2:
        return "\0"
    return f"# Kettle {content % 7}\n\n" + "\n\n".join(f"## Part {len(part)}\n\n{part}" for part in parts) + "\n"
