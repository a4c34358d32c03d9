"""Watching: what is written is found by itself, a burst is one update, and a missed event is made good."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragstone.core import MissingExtra
from ragstone.core.testing import open_host
from ragstone.plugins.iris_memory import Memory
from ragstone.plugins.iris_memory.indexing import watcher
from tests.plugins.iris_memory.memories import chunk_texts, open_memory, write
from tests.support.needs import needed
from tests.support.patience import HANG, until

needed("watchfiles")


class Watched:
    """A memory that is watched, and what is told of it."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.reports: queue.Queue[Any] = queue.Queue()
        self.watcher = watcher.Watcher(memory, self.reports.put)

    def hears(self) -> Any:
        return self.reports.get(timeout=HANG)


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    with open_memory(tmp_path) as memory:
        found = Watched(memory)
        found.watcher.start()
        assert found.watcher.watching.wait(HANG)
        yield found
        found.watcher.close()


def test_what_is_written_renamed_and_deleted_is_heard(watched: Watched, tmp_path: Path) -> None:
    write(tmp_path / "ready", "c.md", "The roof is wet.").rename(tmp_path / "home" / "c.md")
    assert watched.hears().added == ["c.md"]
    file = write(tmp_path / "home", "notes/a.md", "The kettle is red.")
    assert watched.hears().added == ["notes/a.md"]
    file.rename(file.with_name("b.md"))
    report = watched.hears()
    assert (report.added, report.removed) == (["notes/b.md"], ["notes/a.md"])
    file.parent.rename(tmp_path / "elsewhere")
    assert watched.hears().removed == ["notes/b.md"]


def test_a_burst_is_one_update(watched: Watched, tmp_path: Path) -> None:
    folder = tmp_path / "ready"
    for number in range(20):
        write(folder, f"n{number}.md", f"Kettle number {number}.")
    folder.rename(tmp_path / "home" / "notes")
    assert len(watched.hears().added) == 20


def test_what_is_left_out_is_no_event(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        matters = watcher.watch_filter(memory)
        home = tmp_path / "home"
        assert matters(1, str(home / "a.md"))
        assert matters(1, str(home / "folder"))
        assert not matters(1, str(home / ".git" / "index"))
        assert not matters(1, str(home / "venv"))
        assert not matters(1, str(tmp_path / "data" / "catalog.sqlite-wal"))


def test_a_missed_event_is_made_good_by_the_next_scan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher, "watch_filter", lambda _: lambda *_: False)  # no event is heard
    with open_memory(tmp_path, rescan_seconds=1) as memory:
        found = Watched(memory)
        found.watcher.start()
        assert found.watcher.watching.wait(HANG)
        write(tmp_path / "home", "a.md", "The kettle is red.")
        assert found.hears().added == ["a.md"]
        found.watcher.close()


def test_a_root_that_goes_and_comes_back(
    watched: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(watcher, "_AFTER_FAILURE", 0.05)
    write(tmp_path / "home", "a.md", "The kettle is red.")
    watched.hears()
    (tmp_path / "home").rename(tmp_path / "away")
    until(lambda: "the folder to remember is not there" in caplog.text)
    assert "tried again every" in caplog.text
    write(tmp_path / "away", "b.md", "The lamp is blue.")
    (tmp_path / "away").rename(tmp_path / "home")
    assert watched.hears().added == ["b.md"]
    assert set(chunk_texts(watched.memory)) == {"a.md", "b.md"}


def test_a_folder_that_is_put_in_the_root_s_place_is_watched(watched: Watched, tmp_path: Path) -> None:
    # Whole, by renaming: of a file that is read while it is empty, one more update tells that it is left out.
    write(tmp_path / "ready", "a.md", "The kettle is red.").rename(tmp_path / "home" / "a.md")
    assert watched.hears().added == ["a.md"]
    write(tmp_path / "other", "b.md", "The lamp is blue.")
    (tmp_path / "home").rename(tmp_path / "was")
    (tmp_path / "other").rename(tmp_path / "home")
    report = watched.hears()
    assert (report.added, report.removed) == (["b.md"], ["a.md"])
    write(tmp_path / "ready", "c.md", "The roof is wet.").rename(tmp_path / "home" / "c.md")
    assert watched.hears().added == ["c.md"]


def test_a_root_that_turns_up_empty_is_reported_once_and_removes_nothing(
    watched: Watched, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path / "ready", "a.md", "The kettle is red.").rename(tmp_path / "home" / "a.md")
    watched.hears()
    (tmp_path / "home").rename(tmp_path / "away")
    (tmp_path / "home").mkdir()
    report = watched.hears()
    assert (report.removed, [each.files for each in report.missing]) == ([], [["a.md"]])
    (tmp_path / "home" / "folder").mkdir()
    write(tmp_path / "ready", "b.md", "The lamp is blue.").rename(tmp_path / "home" / "b.md")
    assert watched.hears().added == ["b.md"]
    assert set(chunk_texts(watched.memory)) == {"a.md", "b.md"}
    assert caplog.text.count("a.md not removed: the folder to remember is empty") == 1


def test_asked_to_end_it_does_not_finish_a_large_update(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        write(tmp_path / "home", f"n{number}.md", f"Kettle number {number}.")
    with open_memory(tmp_path) as memory:
        ending = watcher.Watcher(memory)
        update = memory.update

        def told_to_end(on_progress: Any) -> Any:
            ending.end()
            return update(on_progress)

        monkeypatch.setattr(memory, "update", told_to_end)
        ending.run()
        assert len(chunk_texts(memory)) == 1
        monkeypatch.undo()
        assert len(memory.update().added) == 29


def test_a_server_watches_if_the_settings_say_so(tmp_path: Path) -> None:
    home = tmp_path / "home"
    write(home, "a.md", "The kettle is red.")

    def threads() -> list[str]:
        return [thread.name for thread in threading.enumerate() if thread.name == "ragstone-memory"]

    for watch, count in ((False, 0), (True, 1)):
        options: dict[str, Any] = {"iris_memory": {"root": str(home), "watch": watch}}
        with open_host(tmp_path / str(watch), options=options) as host:
            assert threads() == []  # a command that ends after one answer watches nothing
            host.serve()
            assert len(threads()) == count
        assert threads() == []


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> None:
        raise MissingExtra("memory", ("watchfiles",))

    monkeypatch.setattr(watcher, "require_extra", missing)
    with open_memory(tmp_path, watch=True) as memory:
        with pytest.raises(MissingExtra, match=r"ragstone\[memory\]"):
            watcher.Watcher(memory)
        memory.host.serve()  # it serves all the same
