"""The queue in PostgreSQL: every job once, whatever becomes of its workers."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from faults.actors import Actor
from ragstone.core import BadRequest, SettingsError, SourceError
from ragstone.core.catalog import Catalog, Report, SharedQueue, Unfit
from tests.support.needs import needed

needed("procrastinate")

#: Seconds after which a dead worker's jobs are taken up here.
_LEASE = 0.6
_KILLS = 2


def _key(job: Mapping[str, Any]) -> str:
    return str(job["name"])


def _jobs(*names: str) -> list[dict[str, Any]]:
    return [{"name": name} for name in names]


@pytest.fixture
def queue(url: str, tmp_path: Path) -> Iterator[SharedQueue]:
    catalog = Catalog(url, tmp_path)
    yield catalog.shared.queue("jobs")
    catalog.close()


def test_a_catalog_in_sqlite_says_what_to_do(tmp_path: Path) -> None:
    catalog = Catalog(None, tmp_path)
    with pytest.raises(SettingsError, match="needs the catalog in PostgreSQL") as caught:
        catalog.shared.queue("jobs")
    assert "ragstone corpus copy --to" in (caught.value.hint or "")
    catalog.close()


def test_every_job_is_done_once_and_a_key_is_queued_once(queue: SharedQueue) -> None:
    done: list[str] = []

    def work(job: dict[str, Any], report: Report) -> dict[str, Any]:
        report({"begun": True})
        done.append(job["name"])
        if job["name"] == "broken":
            raise SourceError("is broken")
        return {"length": len(job["name"])}

    assert queue.add(_jobs("one", "two", "broken", "two"), _key) == 3
    assert queue.add(_jobs("two", "three"), _key) == 1
    assert queue.state().waiting == queue.state().total == 4
    queue.work(work, at_once=2, until_empty=True, lease=_LEASE)
    assert sorted(done) == ["broken", "one", "three", "two"]
    state = queue.state()
    assert (state.done, state.failed, state.waiting, state.running) == (3, 1, 0, ())
    assert (state.failures[0].job["name"], state.failures[0].note) == ("broken", {"problem": "is broken"})
    assert state.per_minute
    assert state.minutes_left is None

    assert queue.retry_failed() == 1
    queue.work(work, until_empty=True, lease=_LEASE)
    assert done.count("broken") == 2
    assert queue.add(_jobs("broken"), _key) == 1  # what is queued again has not failed any more, and the rest is done
    assert (queue.state().total, queue.state().waiting) == (1, 1)
    assert queue.clear() == 1
    assert queue.state().total == 0


def test_two_jobs_cannot_claim_one_name(queue: SharedQueue) -> None:
    def work(job: dict[str, Any], report: Report) -> dict[str, Any]:
        report({}, claim="same")
        return {}

    queue.add(_jobs("one", "two"), _key)
    queue.work(work, until_empty=True, lease=_LEASE)
    state = queue.state()
    assert (state.done, state.failed) == (1, 1)
    assert "'same'" in state.failures[0].note["problem"]


def test_a_job_that_another_worker_has_is_not_ended_by_this_one(queue: SharedQueue, url: str, tmp_path: Path) -> None:
    other = Catalog(url, tmp_path)
    seen: list[str] = []

    def work(job: dict[str, Any], report: Report) -> dict[str, Any]:
        if not seen:
            seen.append("begun")
            with other.tables("probe", _nothing()).write() as connection:
                connection.exec_driver_sql("UPDATE procrastinate_jobs SET worker_id = NULL")
            report({"late": True})  # raises: the lease is lost
            seen.append("went on")
        else:
            seen.append("again")
        return {}

    queue.add(_jobs("one"), _key)
    queue.work(work, until_empty=True, lease=_LEASE)
    assert seen == ["begun", "again"]
    assert queue.state().done == 1
    other.close()


def _nothing() -> Any:
    from sqlalchemy import MetaData

    return MetaData()


def test_a_worker_on_a_machine_that_cannot_do_it_leaves_the_job_to_others(queue: SharedQueue) -> None:
    def unfit(job: dict[str, Any], report: Report) -> dict[str, Any]:
        raise Unfit("sees no folder")

    queue.add(_jobs("one", "two"), _key)
    with pytest.raises(Unfit):
        queue.work(unfit, lease=_LEASE)
    state = queue.state()
    assert (state.waiting, state.failed, state.running) == (2, 0, ())
    queue.work(lambda job, report: {}, until_empty=True, lease=_LEASE)
    assert queue.state().done == 2


def test_a_signal_gives_the_job_back_without_counting_it(queue: SharedQueue) -> None:
    begun = threading.Event()

    def work(job: dict[str, Any], report: Report) -> dict[str, Any]:
        if not begun.is_set():
            begun.set()
            os.kill(os.getpid(), signal.SIGTERM)
            while True:
                report({})
        return {}

    queue.add(_jobs("one"), _key)
    queue.work(work, lease=_LEASE)
    assert (queue.state().waiting, queue.state().running) == (1, ())
    queue.work(work, until_empty=True, lease=_LEASE)
    assert queue.state().done == 1


def _hang(line: Connection, url: str, folder: Path) -> None:
    def work(job: dict[str, Any], _report: Report) -> dict[str, Any]:
        line.send(job["name"])
        threading.Event().wait()
        return {}

    Catalog(url, folder).shared.queue("jobs").work(work, lease=_LEASE)


@pytest.mark.slow
def test_the_job_of_a_killed_worker_is_taken_up_and_given_up_at_last(
    queue: SharedQueue, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragstone.core.catalog.shared.queue_worker.MOST_ATTEMPTS", _KILLS)
    queue.add(_jobs("deadly"), _key)
    for number in range(_KILLS):
        with Actor(_hang, url, tmp_path) as worker:
            assert worker.hear() == "deadly"
            if number == 1:
                assert len(queue.state().running) == 1
    queue.work(lambda job, report: {}, until_empty=True, lease=_LEASE)
    state = queue.state()
    assert (state.done, state.failed) == (0, 1)
    assert f"died {_KILLS} times" in state.failures[0].note["problem"]


def test_a_claim_is_free_again_when_its_job_has_failed(queue: SharedQueue) -> None:
    def work(job: dict[str, Any], report: Report) -> dict[str, Any]:
        report({}, claim="same")
        if job["name"] == "one":
            raise BadRequest("is broken")
        return {}

    queue.add(_jobs("one"), _key)
    queue.work(work, until_empty=True, lease=_LEASE)
    queue.add(_jobs("two"), _key)
    queue.work(work, until_empty=True, lease=_LEASE)
    assert (queue.state().done, queue.state().failed) == (1, 1)


def test_a_caller_with_an_event_loop_may_work_too(queue: SharedQueue) -> None:
    queue.add(_jobs("one"), _key)

    async def call() -> None:
        queue.work(lambda job, _report: {"length": len(job["name"])}, until_empty=True, lease=_LEASE)

    with ThreadPoolExecutor(1) as thread:  # this one may have an event loop, of another test's browser
        thread.submit(asyncio.run, call()).result()
    assert queue.state().done == 1
