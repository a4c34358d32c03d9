"""A worker of a ``SharedQueue``: procrastinate's, with leases, and jobs that go back when it is stopped."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import platform
import signal
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

import psycopg
from procrastinate import App, BaseRetryStrategy, JobContext, PsycopgConnector, RetryDecision
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager
from procrastinate.worker import Worker
from psycopg_pool import PoolTimeout

from ...errors import BadRequest, RagstoneError, SourceError, StorageError
from . import queue_statements
from .jobs import MOST_ATTEMPTS, LeaseLost, Stopped, Unfit, Work

if TYPE_CHECKING:
    from ..plugin_tables import PluginTables

_log = logging.getLogger(__name__)
# procrastinate logs each job's traceback as an error; what became of a job is in the queue and in our own log.
logging.getLogger("procrastinate").setLevel(logging.CRITICAL)
logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)  # a line for every attempt to connect again

TASK = "ragstone"
#: Seconds between two reports of a job's progress.
_REPORT_SECONDS = 1.0
#: Seconds before a failed job is begun again, doubled each time.
_FIRST_PAUSE, _LONGEST_PAUSE = 5, 300
#: Seconds between two looks for dead workers; before a lost database is tried again.
_LOOK_SECONDS, _RECONNECT_SECONDS = 5.0, 2.0


class QueueWorker:
    """Runs procrastinate's worker again and again, as long as it should work and the database is lost and found."""

    def __init__(self, queue: str, tables: PluginTables, conninfo: str, schema: str) -> None:
        self._queue = queue
        self._tables = tables
        self._conninfo = conninfo
        self._schema = schema
        self._name = f"{platform.node()}/{os.getpid()}"
        self._is_stopping = False
        self._worker: Any = None  # a Worker, whose methods have no types
        self._unfit: Unfit | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, work: Work, at_once: int, lease: float, is_empty: Callable[[], bool] | None) -> None:
        """As ``SharedQueue.work``, until ``is_empty``, if that is given. Raises ``Unfit``."""
        before: dict[int, Any] = {}
        # In a thread of its own: the caller's may have an event loop, and signals are handled in the main thread.
        with ThreadPoolExecutor(1) as thread:
            running = thread.submit(copy_context().run, asyncio.run, self._run(work, at_once, lease, is_empty))
            try:
                if threading.current_thread() is threading.main_thread():
                    before = {number: signal.signal(number, self._stop) for number in (signal.SIGINT, signal.SIGTERM)}
                running.result()
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)
        if self._unfit is not None:
            raise self._unfit

    async def _run(self, work: Work, at_once: int, lease: float, is_empty: Callable[[], bool] | None) -> None:
        self._loop = asyncio.get_running_loop()
        while not self._is_stopping:
            try:
                await self._serve(work, at_once, lease, until_empty=is_empty is not None)
                if is_empty is not None and is_empty():
                    return
                pause = min(1.0, lease / 4)
            except (ConnectorException, psycopg.Error, PoolTimeout, StorageError) as error:
                _log.warning("the queue cannot be reached, trying again: %s", error)
                pause = _RECONNECT_SECONDS
            if not self._is_stopping:
                await asyncio.sleep(pause)

    def _stop(self, *_: object) -> None:
        """Stop: a job that is running goes back with its next report. A second signal ends the process at once."""
        self._is_stopping = True
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        self._stop_worker()

    def _stop_worker(self) -> None:
        """Let procrastinate's worker take no more jobs; from any thread."""
        worker, loop = self._worker, self._loop
        if worker is not None and loop is not None:
            loop.call_soon_threadsafe(worker.stop)

    async def _serve(self, work: Work, at_once: int, lease: float, *, until_empty: bool) -> None:
        """Work until stopped, until nothing waits if ``until_empty``, or until the database is lost."""

        async def configure(connection: Any) -> None:
            await connection.execute(
                "SELECT set_config('search_path', %s, false)", ('"' + self._schema.replace('"', '""') + '"',)
            )
            await connection.commit()

        connector = PsycopgConnector(
            conninfo=self._conninfo, configure=configure, min_size=1, max_size=2 + at_once, timeout=20.0
        )
        app = App(connector=connector)
        app.job_manager = _LeasedJobs(connector)

        def do(context: JobContext, job: dict[str, Any]) -> None:
            self._do(work, context.job, job)

        app.task(name=TASK, queue=self._queue, pass_context=True, retry=_Retries())(do)
        async with app.open_async():
            self._worker = Worker(
                app,
                queues=[self._queue],
                concurrency=at_once,
                wait=not until_empty,
                install_signal_handlers=False,
                update_heartbeat_interval=lease / 3,
                stalled_worker_timeout=lease,
            )
            looking = asyncio.create_task(self._look_for_dead(connector, lease))
            try:
                if not self._is_stopping:
                    await self._worker.run()
            finally:
                self._worker = None
                looking.cancel()
                with suppress(asyncio.CancelledError, ConnectorException):
                    await looking

    async def _look_for_dead(self, connector: PsycopgConnector, lease: float) -> None:
        limits = {"queue": self._queue, "lease": lease, "most": MOST_ATTEMPTS}
        while True:
            for job in await connector.execute_query_all_async(queue_statements.TAKE_FROM_DEAD, **limits):
                _log.warning("the worker of job %d died; it is %s", job["id"], job["status"])
            await asyncio.sleep(min(_LOOK_SECONDS, lease / 3))

    def _do(self, work: Work, job: Job, given: dict[str, Any]) -> None:
        last = 0.0
        claimed: str | None = None

        def report(note: Mapping[str, Any], *, claim: str | None = None) -> None:
            nonlocal last, claimed
            if self._is_stopping:
                raise Stopped("the worker stops")
            if claim is None and time.monotonic() - last < _REPORT_SECONDS:
                return
            last, claimed = time.monotonic(), claim or claimed
            self._report(job, note, claimed)

        try:
            result = work(given, report)
            self._report(job, result, claimed)
        except Unfit as error:
            self._unfit, self._is_stopping = error, True
            self._stop_worker()
            raise
        except (LeaseLost, Stopped):
            raise
        except Exception as error:
            # Without ``where``: a page shows it, and a path is the machine's own.
            problem = f"it failed ({type(error).__name__}); see the worker's log"
            if isinstance(error, RagstoneError):
                problem = error.to_problem()["detail"]
                _log.warning("job %s failed: %s", job.id, error)
            else:
                _log.exception("job %s failed", job.id)
            with suppress(StorageError, LeaseLost):
                self._report(job, {"problem": problem}, None)
            raise

    def _report(self, job: Job, note: Mapping[str, Any], claim: str | None) -> None:
        held = {"job": job.id, "worker": job.worker_id, "name": self._name, "claim": claim}
        try:
            with self._tables.write() as connection:
                if connection.execute(queue_statements.REPORT, {**held, "note": json.dumps(note)}).first() is None:
                    raise LeaseLost("another worker has the job: this one was not heard of for too long")
        except StorageError as error:
            if claim is not None and "queue_progress_queue_name_claim_key" in str(error):
                raise BadRequest(f"another job of the queue has taken the name {claim!r}") from error
            raise


class _LeasedJobs(JobManager):
    """Lets a worker end only the jobs that it still holds, and give back one that it was stopped in."""

    async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:
        held = await self.connector.execute_query_one_async(queue_statements.IS_HELD, job=job.id, worker=job.worker_id)
        if held["held"]:
            await super().finish_job(job, status, delete_job)

    async def retry_job(self, job: Job, *arguments: Any, **options: Any) -> None:
        if options.get("priority") == _Retries.GIVEN_BACK:
            await self.connector.execute_query_async(queue_statements.GIVE_BACK, job=job.id, worker=job.worker_id)
            return
        held = await self.connector.execute_query_one_async(queue_statements.IS_HELD, job=job.id, worker=job.worker_id)
        if held["held"]:
            await super().retry_job(job, *arguments, **options)


class _Retries(BaseRetryStrategy):
    """Whether a job that raised is begun again, and when."""

    #: As a priority, which is not used here: the job goes back and this attempt does not count.
    GIVEN_BACK = -1

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        if isinstance(exception, LeaseLost | Stopped | Unfit):
            return RetryDecision(retry_in={"seconds": 0}, priority=self.GIVEN_BACK)
        # What the book itself is to blame for would be the same again; a database comes back, however long it takes.
        is_lasting = isinstance(exception, BadRequest | SourceError) or job.attempts + 1 >= MOST_ATTEMPTS
        if is_lasting and not isinstance(exception, StorageError):
            return None
        return RetryDecision(retry_in={"seconds": min(_FIRST_PAUSE * 2**job.attempts, _LONGEST_PAUSE)})
