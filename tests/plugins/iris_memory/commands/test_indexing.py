"""``ragstone memory update``, ``status``, ``forget`` and ``watch``, as a person and a program have them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.plugins.iris_memory.memories import write
from tests.support.third_party_fakes import RAGSTONE, Here, environment

pytestmark = pytest.mark.usefixtures("fast_site")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "home"
    found.mkdir()
    monkeypatch.setenv("RAGSTONE_PLUGINS__IRIS_MEMORY__ROOT", str(found))
    return found


def test_an_update_shows_what_it_did(here: Here, home: Path) -> None:
    write(home, "a.md", "The kettle is red.")
    write(home, "bad\x1b[31m.md", b"\0")
    done = here("memory", "update")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[0].startswith("1 added; 0 unchanged; 1 chunk in ")
    assert done.out.splitlines()[1] == "  left out bad[31m.md: is binary"
    assert here("memory", "update").out.startswith("Nothing has changed; 2 unchanged; 0 chunks in ")
    (home / "a.md").unlink()
    result = json.loads(here("memory", "update", "--json").out)
    assert (result["removed"], result["added"]) == (["a.md"], [])
    assert here("memory", "update", "--full").code == 0


def test_an_update_shows_why_all_is_indexed_again(here: Here, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(home, "a.md", "The kettle is red.")
    here("memory", "update")
    monkeypatch.setenv("RAGSTONE_PLUGINS__IRIS_MEMORY__MIN_CHUNK_TOKENS", "200")
    why = json.loads(here("memory", "status", "--json").out)["stale"]
    lines = here("memory", "update").out.splitlines()
    assert lines[0].startswith("Nothing has changed; 1 unchanged; ")
    assert lines[1:] == [f"  indexed again: {why}"]
    assert json.loads(here("memory", "update", "--json").out)["rebuilt"] is None
    write(home, "b.md", "The pot is blue.")
    monkeypatch.setenv("RAGSTONE_PLUGINS__IRIS_MEMORY__MIN_CHUNK_TOKENS", "100")
    assert here("memory", "update").out.startswith("1 added; 1 unchanged; 2 chunks in ")


def test_what_is_missing_is_named_and_removed_when_that_is_confirmed(here: Here, home: Path) -> None:
    for number in range(15):
        write(home, f"{number}.md", f"Kettle number {number}.")
    here("memory", "update")
    away = home.rename(home.with_name("away"))
    home.mkdir()
    done = here("memory", "update")
    assert (done.code, done.out.splitlines()[1:]) == (
        1,
        [
            "  15 files not removed: the folder to remember is empty (is its disk mounted?)",
            "  if they are meant to be gone: ragstone memory update --prune",
        ],
    )
    report = here("memory", "update", "--json")
    result = json.loads(report.out)
    assert (report.code, result["removed"], len(result["missing"][0]["files"])) == (1, [], 15)
    status = here("memory", "status").out
    assert "Missing (1):\n  15 files not removed: the folder to remember is empty" in status
    assert here("doctor").code != 0
    home.rmdir()
    away.rename(home)
    assert here("memory", "update").code == 0
    for number in range(8):
        (home / f"{number}.md").unlink()
    done = here("memory", "update", "--full")
    assert (done.code, "8 files not removed: 8 of 15 files are gone at once" in done.out) == (1, True)
    done = here("memory", "update", "--prune")
    assert (done.code, done.out.startswith("8 removed; 7 unchanged")) == (0, True)


def test_status(here: Here, home: Path) -> None:
    done = here("memory", "status")
    assert (done.code, "Never brought up to date" in done.out, "Nothing is remembered yet." in done.out) == (
        0,
        True,
        True,
    )
    write(home, "a.md", "The kettle is red.")
    write(home, "b.png", b"\x89PNG")
    here("memory", "update")
    write(home, "c.md", "The lamp is blue.")
    result = json.loads(here("memory", "status", "--json").out)
    assert (result["files"], result["chunks"], result["waiting"], result["stale"]) == (1, 1, ["c.md"], None)
    assert result["types"] == [{"doc_type": "note", "files": 1, "chunks": 1}]
    assert result["left_out"] == [{"path": "b.png", "reason": "no rule of the map names it"}]
    shown = here("memory", "status").out
    assert "note  1      1" in shown
    assert "Waiting for the next update (1):\n  c.md" in shown


def test_forget(here: Here, home: Path) -> None:
    write(home, "a.md", "The kettle is red.")
    here("memory", "update")
    assert here("memory", "forget", "a.md").out == "Forgotten until it changes: a.md, 1 chunk.\n"
    assert json.loads(here("memory", "status", "--json").out)["chunks"] == 0
    assert (home / "a.md").read_text() == "The kettle is red."
    refused = here("memory", "forget", "nowhere.md")
    assert (refused.code, refused.line.startswith("nowhere.md: nothing of that name is remembered")) == (2, True)
    assert here("memory", "forget", " ").code == 2


@pytest.mark.parametrize("command", [("update",), ("status",), ("watch",), ("forget", "a.md")])
def test_without_a_root_one_line_says_what_to_do(here: Here, command: tuple[str, ...]) -> None:
    done = here("memory", *command)
    assert done.code == 2
    assert "no folder to remember is set" in done.line
    assert "RAGSTONE_PLUGINS__IRIS_MEMORY__ROOT" in done.line


def test_a_root_that_is_not_there(here: Here, home: Path) -> None:
    home.rmdir()
    done = here("memory", "update")
    assert (done.code, "the folder to remember is not there" in done.line) == (1, True)


@pytest.fixture
def watching(fast_site: Path, home: Path) -> Iterator[subprocess.Popen[str]]:
    write(home, "a.md", "The kettle is red.")
    command = [str(RAGSTONE), "memory", "watch", "--json"]
    result: Any = {**environment(fast_site), "RAGSTONE_PLUGINS__IRIS_MEMORY__ROOT": str(home)}
    result["RAGSTONE_DATA_DIR"] = os.environ["RAGSTONE_DATA_DIR"]
    with subprocess.Popen(command, env=result, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        patience = threading.Timer(120, process.kill)
        patience.start()
        yield process
        patience.cancel()
        process.kill()


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_watch_until_it_is_asked_to_end(watching: subprocess.Popen[str], home: Path, ending: signal.Signals) -> None:
    assert watching.stdout is not None
    assert watching.stderr is not None
    assert json.loads(watching.stdout.readline())["added"] == ["a.md"]
    write(home, "new/b.md", "The lamp is blue.")
    assert json.loads(watching.stdout.readline())["added"] == ["new/b.md"]
    (home / "a.md").unlink()
    assert json.loads(watching.stdout.readline())["removed"] == ["a.md"]
    watching.send_signal(ending)
    assert watching.wait() == 0
    assert watching.stderr.read() == ""
