"""Python in a process apart: what it is told, and that it and what it started are gone afterwards."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from ragstone.core.runtime import enable_wal, run_in_subprocess
from tests.support.patience import HANG, until

_TELLS = """
import json, os, sys
json.dump([dict(os.environ), sys.argv[1:], os.getcwd(), sys.stdin.read()], sys.stdout)
"""
_HANGS = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(child.pid, flush=True)
time.sleep(600)
"""
_LIMITED = """
import resource, sys
from ragstone.core.runtime import limit_process
limit_process(400_000_000, 0.1, most_memory=600_000_000)
limit_process(500_000_000, 0.1)
for what in (lambda: bytes(600_000_000), lambda: open(sys.argv[1], "wb").write(bytes(100_000))):
    try:
        what()
    except (MemoryError, OSError) as error:
        print(type(error).__name__, flush=True)
print(resource.getrlimit(resource.RLIMIT_AS), resource.getrlimit(resource.RLIMIT_CORE), flush=True)
while True:
    pass
"""


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "tells.py").write_text(_TELLS, "utf-8")
    (tmp_path / "limited.py").write_text(_LIMITED, "utf-8")
    (tmp_path / "hangs.py").write_text(_HANGS, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path


def test_it_knows_no_secret_of_its_parent(modules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_LLM_API_KEY", "secret")
    (modules / "page").write_text("what a stranger wrote", "utf-8")
    with (
        (modules / "page").open("rb") as page,
        run_in_subprocess("tells", "one", stdin=page, environment={"MORE": "1"}) as process,
    ):
        output, _ = process.communicate(timeout=HANG)
    environment, arguments, folder, page_result = json.loads(output)
    assert environment.keys() - {"LC_CTYPE"} == {"MORE", "PYTHONPATH", "PYTHONUTF8"}
    assert (arguments, folder, page_result) == (["one"], "/", "what a stranger wrote")


def test_it_and_what_it_started_are_gone(modules: Path) -> None:
    with run_in_subprocess("hangs", stdin=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        grandchild = psutil.Process(int(process.stdout.readline()))
        assert grandchild.is_running()
    assert process.returncode is not None
    until(lambda: not grandchild.is_running() or grandchild.status() == psutil.STATUS_ZOMBIE)


def test_limits_of_memory_time_and_files(modules: Path) -> None:
    with run_in_subprocess("limited", str(modules / "written"), stdin=subprocess.DEVNULL) as process:
        output, _ = process.communicate(timeout=HANG)
        assert process.returncode == -signal.SIGXCPU
    assert output.decode().splitlines() == ["MemoryError", "OSError", "(500000000, 500000000) (0, 0)"]
    assert (modules / "written").stat().st_size == 0


def test_the_switch_to_write_ahead_waits_for_whoever_holds_the_file(tmp_path: Path) -> None:
    place = tmp_path / "new.sqlite"
    holder = sqlite3.connect(place, isolation_level=None, check_same_thread=False)
    holder.execute("CREATE TABLE t (x)")
    holder.execute("BEGIN EXCLUSIVE")
    other = sqlite3.connect(place, timeout=0)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        enable_wal(other, patience=0)
    letting_go = threading.Timer(0.2, holder.commit)
    letting_go.start()
    enable_wal(other, patience=HANG)
    assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    letting_go.join()
    other.close()
    holder.close()
