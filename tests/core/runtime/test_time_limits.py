"""Time limits of plugins' code: what waits for it goes on without it, and nothing that it holds stays held."""

from __future__ import annotations

import importlib.util
import threading
from contextvars import ContextVar
from typing import Any

import pytest

from ragstone.core import StorageBusy
from ragstone.core.runtime import time_limits
from ragstone.core.runtime.forks import ForkSafeLock, lock_owner
from ragstone.core.runtime.time_limits import TimeLimit, TookTooLong, Watchdog, run_limited
from tests.support.patience import HANG, until

QUICK = TimeLimit("mine", "its hook", __name__, seconds=0.1, importing=0.1, longest=HANG)
PATIENT = TimeLimit("mine", "its hook", __name__, seconds=HANG, importing=HANG, longest=HANG)


def test_it_returns_and_raises_what_the_code_does_and_has_its_context() -> None:
    variable: ContextVar[str] = ContextVar("variable")
    variable.set("kept")
    assert run_limited(variable.get, PATIENT) == "kept"
    with pytest.raises(SystemExit, match="7"):
        run_limited(lambda: exit(7), PATIENT)


def test_without_a_limit_it_runs_in_the_thread_that_asks() -> None:
    unlimited = TimeLimit("mine", "its hook", __name__, seconds=0, importing=0, longest=0)
    assert run_limited(threading.get_ident, unlimited) == threading.get_ident()
    assert run_limited(threading.get_ident, PATIENT) != threading.get_ident()


def test_what_takes_too_long_is_left_behind_with_its_place() -> None:
    end = threading.Event()
    with pytest.raises(TookTooLong, match=r"its hook took more than 0.1 s, at runtime/test_time_limits.py:\d+"):
        run_limited(lambda: end.wait(HANG), QUICK)
    end.set()


def test_the_code_may_enter_the_locks_of_who_waits_for_it() -> None:
    lock = ForkSafeLock()

    def work() -> str:
        with lock, lock:
            return "entered"

    with lock:
        assert run_limited(work, PATIENT) == "entered"
        assert run_limited(lambda: run_limited(work, PATIENT), PATIENT) == "entered"


def test_locks_of_what_is_left_behind_are_free_and_it_gets_no_others() -> None:
    lock, other, end = ForkSafeLock(), ForkSafeLock(), threading.Event()
    raised: list[Exception] = []

    def work() -> None:
        with lock, lock:
            end.wait(HANG)
        try:
            with other:
                pass
        except StorageBusy as error:
            raised.append(error)

    with pytest.raises(TookTooLong):
        run_limited(work, QUICK)
    entered = threading.Thread(target=lock.__enter__)
    entered.start()
    entered.join(HANG)
    assert not entered.is_alive()
    end.set()
    until(lambda: raised)


def test_a_lock_keeps_others_out_until_it_is_left_as_often_as_it_was_entered() -> None:
    lock, turns = ForkSafeLock(), []

    def other() -> None:
        with lock:
            turns.append("other")

    thread = threading.Thread(target=other)
    with lock:
        with lock:
            thread.start()
        turns.append("mine")
    thread.join(HANG)
    assert turns == ["mine", "other"]


def test_what_the_host_does_meanwhile_does_not_count() -> None:
    """A frozen database or a busy encoder is no plugin's fault."""
    end = threading.Event()
    inside: dict[str, Any] = {"__name__": "ragstone.core.catalog.database", "wait": end.wait}
    exec("def query():\n    return wait()", inside)  # a function of that module
    threading.Timer(0.6, end.set).start()  # six times the limit
    assert run_limited(inside["query"], QUICK) is True


def test_hooks_that_call_each_other_without_end_are_stopped() -> None:
    def again() -> None:
        run_limited(again, PATIENT)

    with pytest.raises(RecursionError, match="hooks call each other without end"):
        again()
    assert lock_owner().depth == 0


def test_the_watchdog_says_what_hangs_after_it_was_quick() -> None:
    expired: list[tuple[str, str]] = []
    end = threading.Event()

    def note(limit: TimeLimit, reason: str) -> None:
        expired.append((limit.plugin, reason))
        end.set()

    watchdog = Watchdog(note)
    until(lambda: watchdog.run(threading.get_ident, QUICK) == threading.get_ident())
    assert watchdog.run(lambda: end.wait(HANG), QUICK)
    assert expired
    assert expired[0][0] == "mine"
    assert "its hook took more than 0.1 s" in expired[0][1]
    with pytest.raises(TookTooLong):  # it was not quick, and is called in a thread of its own again
        watchdog.run(lambda: threading.Event().wait(HANG), QUICK)


def test_the_modules_in_which_plugins_wait_for_the_host_are_there() -> None:
    assert all(importlib.util.find_spec(name) is not None for name in time_limits._HOST_MODULES)
