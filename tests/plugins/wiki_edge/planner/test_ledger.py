"""The ledger: many processes, sudden deaths, clocks that are wrong, files that are damaged or may not be written."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest

from ragstone.plugins.wiki_edge.planner.ledger import CENT, Ledger, LedgerError, Reservation

NOON = 1_800_000_000.0
DAY = 86_400.0


@dataclass
class SetClock:
    """A clock that shows what it is set to."""

    time: float = NOON

    def __call__(self) -> float:
        return self.time


def test_sixteen_processes_never_pass_the_cap(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"  # they make it together, too
    context = multiprocessing.get_context("fork")
    gate, won = context.Barrier(16), context.Queue()

    def spend() -> None:
        ledger = Ledger(path)
        gate.wait()
        tries = [ledger.reserve(CENT, cap=100 * CENT + CENT // 2) for _ in range(63)]
        won.put(sum(isinstance(each, Reservation) for each in tries))

    workers = [context.Process(target=spend) for _ in range(16)]
    for worker in workers:
        worker.start()
    assert sum(won.get(timeout=240) for _ in workers) == 100
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    assert Ledger(path).spent() == 100 * CENT


def test_a_settled_call_costs_what_it_cost_and_only_once(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite", clock=SetClock())
    taken = ledger.reserve(10 * CENT, cap=10 * CENT)
    assert isinstance(taken, Reservation)
    assert isinstance(ledger.reserve(1, cap=10 * CENT), str)
    ledger.settle(taken, 3 * CENT)
    assert ledger.spent() == 3 * CENT
    with pytest.raises(LedgerError):
        ledger.settle(taken, 0)
    assert ledger.spent() == 3 * CENT
    assert isinstance(ledger.reserve(7 * CENT, cap=10 * CENT), Reservation)


def test_what_costs_more_than_reserved_is_spent_too(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite", clock=SetClock())
    taken = ledger.reserve(2 * CENT, cap=10 * CENT)
    assert isinstance(taken, Reservation)
    ledger.settle(taken, 12 * CENT)
    assert isinstance(ledger.reserve(0 + 1, cap=10 * CENT), str)


def test_a_killed_process_has_spent_what_it_reserved(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    code = f"""
        import os, signal
        from pathlib import Path
        from ragstone.plugins.wiki_edge.planner.ledger import Ledger
        made = Ledger(Path({str(path)!r})).reserve(4_000_000, cap=5_000_000)
        print(made, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert ended.returncode == -signal.SIGKILL
    assert "Reservation" in ended.stdout, ended.stderr
    refused = Ledger(path).reserve(2 * CENT, cap=5 * CENT)
    assert isinstance(refused, str)
    assert "4 of 5 cents are spent" in refused


@pytest.mark.slow
def test_killed_at_any_moment_it_is_whole_and_counts_all_that_was_granted(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    code = f"""
        from pathlib import Path
        from ragstone.plugins.wiki_edge.planner.ledger import Ledger
        ledger = Ledger(Path({str(path)!r}))
        while True:
            made = ledger.reserve(1, cap=10**12)
            print(made.id, flush=True)
    """
    result = 0
    for _ in range(6):
        with subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True
        ) as child:
            assert child.stdout is not None
            for _line in range(17):
                child.stdout.readline()
            child.kill()
            result += 17 + len(child.stdout.read().split())
    spent = Ledger(path).spent()
    assert result <= spent <= result + 6


# Clocks


def test_a_new_day_has_a_new_budget(tmp_path: Path) -> None:
    clock = SetClock()
    ledger = Ledger(tmp_path / "ledger.sqlite", clock=clock)
    assert isinstance(ledger.reserve(CENT, cap=CENT), Reservation)
    assert isinstance(ledger.reserve(CENT, cap=CENT), str)
    clock.time += DAY
    assert isinstance(ledger.reserve(CENT, cap=CENT), Reservation)


def test_a_clock_that_is_set_back_brings_no_new_budget(tmp_path: Path) -> None:
    clock = SetClock()
    ledger = Ledger(tmp_path / "ledger.sqlite", clock=clock)
    assert isinstance(ledger.reserve(CENT, cap=CENT), Reservation)
    for back in (60.0, DAY, 30 * DAY, 300 * DAY, NOON, NOON + DAY):
        clock.time = NOON - back
        refused = ledger.reserve(CENT, cap=CENT)
        assert isinstance(refused, str)
        assert "2027-01-15" in refused


def test_a_ledger_that_also_noted_the_clock_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    clock = SetClock()
    assert isinstance(Ledger(path, clock=clock).reserve(CENT, cap=2 * CENT), Reservation)
    with sqlite3.connect(path) as same:
        same.execute("CREATE TABLE seen (one INTEGER PRIMARY KEY, time REAL, boot TEXT, anchor REAL, since REAL)")
        same.execute("INSERT INTO seen VALUES (1, ?, 'boot-1', ?, 1000)", (NOON, NOON))
    same.close()
    ledger = Ledger(path, clock=clock)
    assert ledger.spent() == CENT
    assert isinstance(ledger.reserve(CENT, cap=2 * CENT), Reservation)
    assert isinstance(ledger.reserve(CENT, cap=2 * CENT), str)


# Ledgers that cannot be used


def _damaged(path: Path, how: str) -> None:
    Ledger(path, clock=SetClock()).reserve(CENT, cap=CENT)
    whole = path.read_bytes()
    if how == "text":
        path.write_text("not a database at all, " * 100, "utf-8")
    elif how == "half":
        path.write_bytes(whole[: len(whole) // 2])
    elif how == "zeros":
        path.write_bytes(whole[:100] + bytes(len(whole) - 100))
    elif how == "another":
        path.unlink()
        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE other (a)")
        other.close()
    elif how == "newer":
        with sqlite3.connect(path) as same:
            same.execute("PRAGMA user_version = 99")
        same.close()
    elif how == "no table":
        with sqlite3.connect(path) as same:
            same.execute("DROP TABLE day")
        same.close()
    elif how == "folder":
        path.unlink()
        path.mkdir()


@pytest.mark.parametrize("how", ["text", "half", "zeros", "another", "newer", "no table", "folder"])
def test_a_damaged_ledger_grants_nothing(tmp_path: Path, how: str) -> None:
    path = tmp_path / "ledger.sqlite"
    _damaged(path, how)
    with pytest.raises(LedgerError) as raised:
        Ledger(path, clock=SetClock()).reserve(1, cap=1000 * CENT)
    assert raised.value.where == str(path)


def test_a_ledger_that_may_not_be_written_grants_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    path = folder / "ledger.sqlite"
    Ledger(path, clock=SetClock()).reserve(1, cap=CENT)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:  # the superuser may write anything: somebody else tries
        try:
            for each in (*folder.iterdir(), folder):
                each.chmod(0o555 if each.is_dir() else 0o444)
            for above in tmp_path.parents:
                if os.getuid() == 0 and str(above).startswith(str(tmp_path.parents[2])):
                    above.chmod(0o755)
            tmp_path.chmod(0o755)
            if os.getuid() == 0:
                os.setuid(65534)
            try:
                output = repr(Ledger(path, clock=SetClock()).reserve(1, cap=CENT))
            except LedgerError as error:
                output = f"LedgerError {error.what}"
            os.write(writer, output.encode())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader, "rb") as pipe:
        output = pipe.read().decode()
    folder.chmod(0o755)
    assert output.startswith("LedgerError"), output
    assert "readonly" in output or "unable to open" in output, output
