from __future__ import annotations

import sys
import threading
import time

import pytest

from ragstone.core.runtime import JobQueue, in_background
from tests.support.patience import HANG, until


def test_a_call_in_the_background_gives_its_result_or_its_error() -> None:
    go = threading.Event()
    call = in_background(lambda: go.wait(HANG) and threading.current_thread(), "test-call")
    with pytest.raises(TimeoutError):
        call.result(0)
    go.set()
    thread = call.result(HANG)
    assert isinstance(thread, threading.Thread)
    assert (thread.name, thread.daemon) == ("test-call", True)
    assert isinstance(in_background(lambda: sys.exit(3), "test-call").exception(HANG), SystemExit)


def test_jobs_run_one_at_a_time_in_order_and_only_so_many_wait() -> None:
    lock, go, done = threading.Lock(), threading.Event(), []

    def run(job: str) -> None:
        assert lock.acquire(blocking=False)
        assert go.wait(HANG)
        done.append((job, threading.current_thread().name))
        lock.release()

    queue: JobQueue[str] = JobQueue("test-jobs", run)
    assert queue.add("a", most=2)
    until(lock.locked)
    assert [queue.add(job, most=2) for job in "bcd"] == [True, True, False]
    assert queue.jobs() == ("a", "b", "c")
    go.set()
    until(lambda: not queue.jobs())
    assert done == [(job, "test-jobs") for job in "abc"]
    assert queue.add("e"), "a new thread"
    until(lambda: len(done) == 4)


def test_a_job_that_fails_is_logged_and_the_next_one_runs(caplog: pytest.LogCaptureFixture) -> None:
    done = []

    def run(job: int) -> None:
        done.append(1 // job)

    queue: JobQueue[int] = JobQueue("test-jobs", run)
    for job in (0, 1):
        queue.add(job)
    until(lambda: done == [1])
    assert "a job of test-jobs failed" in caplog.text
    assert "ZeroDivisionError" in caplog.text


def test_after_stop_no_job_begins() -> None:
    begun, go = [], threading.Event()

    def run(job: int) -> None:
        begun.append(job)
        assert go.wait(HANG)

    queue: JobQueue[int] = JobQueue("test-jobs", run)
    queue.add(1)
    queue.add(2)
    until(lambda: begun == [1])
    queue.stop()
    assert queue.is_stopped
    assert queue.add(3)
    go.set()
    until(lambda: not queue.jobs())
    assert begun == [1]


def test_progress_is_followed_to_the_end() -> None:
    states, go = {"one": "waiting", "other": "idle"}, threading.Semaphore(0)

    def run(job: str) -> None:
        for state in ("running", "running", "done"):
            assert go.acquire(timeout=HANG)
            with queue.locked():
                states[job] = state

    queue: JobQueue[str] = JobQueue("test-jobs", run)
    queue.add("one")
    steps = queue.follow(lambda: (states, states["one"] == "done"), 0.05)
    assert [next(steps), next(steps)] == ["waiting", "idle"]
    assert next(steps) is None, "nothing has changed for a while"
    go.release()
    assert next(step for step in steps if step) == "running"
    go.release()
    go.release()
    assert [step for step in steps if step] == ["done"], "a state is yielded once"
    assert [*queue.follow(lambda: (states, True), HANG)] == ["done", "idle"]


def test_what_another_process_changes_is_seen_after_the_poll() -> None:
    queue: JobQueue[str] = JobQueue("test-jobs", lambda _: None)
    looks = iter(range(3))

    def look() -> tuple[dict[str, int], bool]:
        number = next(looks)
        return {"n": number}, number == 2

    assert [*queue.follow(look, HANG, poll=0.01)] == [0, 1, 2]


def test_after_stop_a_follower_waits_for_the_running_job_without_looking_all_the_time() -> None:
    begun, go, looks = threading.Event(), threading.Event(), []

    def run(_job: str) -> None:
        begun.set()
        assert go.wait(HANG)

    def look() -> tuple[dict[str, str], bool]:
        looks.append(1)
        return {}, not queue.jobs()

    queue: JobQueue[str] = JobQueue("test-jobs", run)
    queue.add("one")
    assert begun.wait(HANG)
    follower = threading.Thread(target=lambda: [*queue.follow(look, HANG)], daemon=True)
    follower.start()
    until(lambda: len(looks) == 1)
    queue.stop()
    until(lambda: len(looks) == 2)
    time.sleep(0.1)
    assert len(looks) == 2
    go.set()
    follower.join(HANG)
    assert not follower.is_alive()
