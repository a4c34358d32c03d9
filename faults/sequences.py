"""Random changes to a folder, updated each time, compared with one that is read anew as a whole."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, assume, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from ragstone.core import Host, SourceError
from ragstone.plugins.book_chat import Shelf

from .models import opened, words
from .run import Run
from .truth import Truth, same_answers

_FILES = [f"{folder}{name}.md" for folder in ("", "part/", "part/deep/") for name in ("a", "b", "c")]
_SECRET = "Outside the folder stands a secret"

_files = st.sampled_from(_FILES)
contents = st.integers(0, 10_000)
picks = st.integers(0, 1000)


def changed_at_random(run: Run) -> None:
    """A book's folder."""
    run_sequences(run, _Book, run.times(4, 150), run.times(15, 30))


def run_sequences(run: Run, kind: type[FolderMachine], examples: int, steps: int) -> None:
    """So many sequences of at most so many changes by Hypothesis, the same ones for the same seed."""
    run_state_machine_as_test(
        seed(run.seed)(type("Machine", (kind,), {"scenario_run": run})),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            phases=[Phase.generate, Phase.shrink] if run.full else [Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )


class FolderMachine(RuleBasedStateMachine):
    """A folder whose files change, and a host that is brought up to date with it and compared with a new one."""

    scenario_run: Run
    _host: Host

    def __init__(self, name: str) -> None:
        super().__init__()
        self._work = Path(tempfile.mkdtemp(dir=self.scenario_run.folder))
        self._folder = self._work / name

    def teardown(self) -> None:
        try:
            self._bring_up_to_date()
        finally:
            self._host.close()
        shutil.rmtree(self._work)
        self.scenario_run.count("sequences")
        self.scenario_run.report(f"{self.scenario_run.figures['sequences']} sequences")

    @precondition(lambda self: self._there())
    @rule(pick=picks)
    def delete(self, pick: int) -> None:
        self._one(pick).unlink()

    @rule()
    def bring_up_to_date(self) -> None:
        self._bring_up_to_date()

    def _bring_up_to_date(self) -> None:
        raise NotImplementedError

    def _rename(self, pick: int, to: str) -> None:
        path, target = self._one(pick), self._folder / to
        assume(path != target)
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)

    def _there(self) -> list[Path]:
        return sorted(path for path in self._folder.rglob("*") if path.is_symlink() or path.is_file())

    def _one(self, pick: int) -> Path:
        there = self._there()
        return there[pick % len(there)]


def assert_same(own: Truth, fresh: Truth) -> None:
    """What was updated step by step is what is read anew."""
    assert own.texts == fresh.texts
    assert own.hashes == fresh.hashes
    for doc_id, chunks in fresh.chunks.items():
        for mine, other in zip(own.chunks[doc_id], chunks, strict=True):
            assert (mine.chunk_id, mine.headings, mine.text) == (other.chunk_id, other.headings, other.text)
            assert np.allclose(mine.vectors, other.vectors, atol=1e-6)


class _Book(FolderMachine):
    """A book's folder, its shelf that is brought up to date, and after each time the truth about both."""

    def __init__(self) -> None:
        super().__init__("book")
        self._outside = self._work / "outside"
        self._outside.mkdir()
        (self._outside / "secret.md").write_text(f"# Secret\n\n{_SECRET}.\n", "utf-8")
        self._host = opened(self._work)
        self._clock = 1_600_000_000

    @initialize(content=contents)
    def begin(self, content: int) -> None:
        """Something of everything is there, and the shelf knows it."""
        for file in ("a.md", "part/b.md", "part/deep/c.md"):
            self._write(self._folder / file, content + len(file))
        self.link("part/c.md", "file outside")
        self.link("part/deep/a.md", "folder outside")
        self._bring_up_to_date()

    @rule(file=_files, content=contents)
    def write(self, file: str, content: int) -> None:
        """A new file, or another text in an old one."""
        self._write(self._folder / file, content)

    @precondition(lambda self: self._there())
    @rule(pick=picks, content=contents)
    def edit_within_the_same_second(self, pick: int, content: int) -> None:
        """Another text of the same length, under the same time of change."""
        path = self._one(pick)
        assume(not path.is_symlink())
        before, size = path.stat(), len(path.read_bytes())
        path.write_text(_text(content)[:size].ljust(size), "utf-8")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert path.stat().st_size == size
        self.scenario_run.count("same-time edits")

    @precondition(lambda self: self._there())
    @rule(pick=picks, to=_files)
    def rename(self, pick: int, to: str) -> None:
        self._rename(pick, to)

    @rule(file=_files, kind=st.sampled_from(["file outside", "folder outside", "file inside", "nowhere", "itself"]))
    def link(self, file: str, kind: str) -> None:
        """A link in a file's place: none that leaves the folder may be followed."""
        path = self._folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        to = {
            "file outside": self._outside / "secret.md",
            "folder outside": self._outside,
            "file inside": self._folder / "a.md",
            "nowhere": self._folder / "nothing.md",
            "itself": path,
        }
        path.symlink_to(to[kind], target_is_directory=kind == "folder outside")
        self.scenario_run.count("links")

    def _bring_up_to_date(self) -> None:
        """As ``ragstone book add`` does, and once more for nothing; then see that it is as if read anew."""
        report = _added(self._host, self._folder)
        if report is not None:
            again = _added(self._host, self._folder)
            assert again is not None
            assert not (again.added or again.updated or again.removed), "the second time found something to do"
        with tempfile.TemporaryDirectory(dir=self._work) as folder:
            with opened(Path(folder)) as fresh:
                anew = _added(fresh, self._folder)
            assert (report is None) == (anew is None)
            if report is None:
                return  # nothing that could be read: what was stored stays, and it was reported
            self._compare(Truth.of(Path(folder) / "data", "books"))

    def _compare(self, fresh: Truth) -> None:
        own = Truth.of(self._work / "data", "books")
        assert_same(own, fresh)
        assert _SECRET not in "".join(own.texts.values()), "a link out of the folder was followed"
        questions = [" ".join(words(7, 3)), "part alpha", _SECRET]
        # What the incremental one finds is what brute force finds in the other.
        same_answers(Shelf(self._host).corpus, fresh, questions)
        self.scenario_run.count("comparisons")

    def _write(self, path: Path, content: int) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_text(_text(content), "utf-8")
        self._clock += 10
        os.utime(path, (self._clock, self._clock))
        self.scenario_run.count("writes")


def _text(content: int) -> str:
    """Some sections of some words; of neighbouring numbers some are alike, so that chunks move between files."""
    parts = (
        f"## Part {(content + number) % 40}\n\nAlpha {' '.join(words((content + number) % 40, 30))}.\n"
        for number in range(3)
    )
    return f"# Chapter {content % 7}\n\n" + "\n".join(parts)


def _added(host: Host, book: Path) -> Any:
    """The report; ``None`` when the folder holds nothing that can be read."""
    shelf = Shelf(host)
    try:
        return shelf.add(shelf.plan(book), title="A book")
    except SourceError:
        return None
