"""A queue of jobs for the processes of several machines, in the catalog's PostgreSQL, through procrastinate.

procrastinate hands out jobs (``SKIP LOCKED``) and records heartbeats. It leaves the jobs of dead workers as they are,
and lets a worker whose job was given to another one end it all the same: ``queue_worker`` does both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from ...errors import BadRequest, SettingsError, require_extra
from . import queue_statements
from .jobs import LEASE_SECONDS, STATES, QueuedJob, QueueState, Work

if TYPE_CHECKING:
    from ..database import Database
    from ..plugin_tables import PluginTables

#: Seconds over which the rate is measured.
_RATE_SECONDS = 600
_BATCH = 1000
_MOST_NAMED = 20


class SharedQueue:
    """One named queue, from ``Catalog.shared``. Safe to use from several threads and processes."""

    def __init__(self, tables: PluginTables, database: Database, name: str) -> None:
        """Raises ``SettingsError`` for a catalog in a file, ``MissingExtra`` and ``StorageError``."""
        server = database.server()
        if server is None:
            raise SettingsError(
                "a queue needs the catalog in PostgreSQL; this one is in SQLite",
                where="database",
                hint='set database = "postgresql+psycopg://USER:PASSWORD@HOST/NAME"; '
                "ragstone corpus copy --to URL brings the corpora there",
            )
        require_extra("postgresql", "procrastinate")
        self._tables = tables
        self._database = database
        self._conninfo, self._schema = server
        self.name = name

    def add(self, jobs: Sequence[Mapping[str, Any]], key: Callable[[Mapping[str, Any]], str]) -> int:
        """Queue the jobs, which are JSON, except those whose key is that of one that waits or is running.

        Returns how many were queued: all, or none if it raises.
        """
        keyed = {sha256(key(job).encode()).hexdigest(): job for job in jobs}
        keys = list(keyed)
        self._prepare()
        with self._tables.write() as connection:
            self._database.lock_catalog(connection)  # of two that add the same, the second finds it
            wanted = {"queue": self.name, "keys": keys}
            known = set(connection.execute(queue_statements.WAITING_OR_RUNNING, wanted).scalars())
            connection.execute(queue_statements.FORGET_DONE, {"queue": self.name})
            new = [one for one in keys if one not in known]
            connection.execute(queue_statements.FORGET_FAILED, {"queue": self.name, "keys": new})
            for first in range(0, len(new), _BATCH):
                self._insert(connection, {one: keyed[one] for one in new[first : first + _BATCH]})
        return len(new)

    def state(self) -> QueueState:
        """How far the queue is."""
        queue = {"queue": self.name}
        with self._tables.read() as connection:
            if not _exists(connection):
                return QueueState(0, 0, (), 0, (), None)
            counts = {
                STATES.get(status, status): count
                for status, count in connection.execute(queue_statements.STATES, queue)
            }
            running, failures = (
                tuple(
                    QueuedJob(row.id, row.args["job"], STATES[row.status], row.attempts, row.worker, row.note)
                    for row in connection.execute(statement, {**queue, "most": most})
                )
                for statement, most in ((queue_statements.RUNNING, _BATCH), (queue_statements.FAILED, _MOST_NAMED))
            )
            ended, seconds = connection.execute(queue_statements.ENDED, {**queue, "seconds": _RATE_SECONDS}).one()
        rate = 60 * ended / max(float(seconds), 1.0) if ended else None
        waiting, done, failed = (counts.get(state, 0) for state in ("waiting", "done", "failed"))
        return QueueState(waiting, done, running, failed, failures, rate)

    def retry_failed(self) -> int:
        """Queue the failed jobs again; returns their number."""
        self._prepare()
        with self._tables.write() as connection:
            self._database.lock_catalog(connection)
            return connection.execute(queue_statements.RETRY, {"queue": self.name}).rowcount

    def clear(self) -> int:
        """Forget all jobs but those that are running; returns their number."""
        self._prepare()
        with self._tables.write() as connection:
            return connection.execute(queue_statements.CLEAR, {"queue": self.name}).rowcount

    def work(self, work: Work, *, at_once: int = 1, until_empty: bool = False, lease: float = LEASE_SECONDS) -> None:
        """Do jobs, until a signal, or until none waits or is running; to be called in the main thread.

        ``at_once``: jobs in threads of their own. ``lease``: seconds after which a dead worker's jobs are given to
        others; the same for all workers. The job that a signal interrupts goes back into the queue.
        """
        from .queue_worker import QueueWorker

        self._prepare()
        worker = QueueWorker(self.name, self._tables, self._conninfo, self._schema)
        worker.run(work, at_once, lease, self._is_empty if until_empty else None)

    def _is_empty(self) -> bool:
        state = self.state()
        return not (state.waiting or state.running)

    def _insert(self, connection: Connection, jobs: Mapping[str, Mapping[str, Any]]) -> None:
        from procrastinate import PsycopgConnector
        from procrastinate.jobs import Job
        from procrastinate.manager import JobManager

        from .queue_worker import TASK

        deferred = [
            Job(queue=self.name, lock=key, queueing_lock=key, task_name=TASK, task_kwargs={"job": dict(job)})
            for key, job in jobs.items()
        ]
        try:
            driver: Any = connection.connection.driver_connection
            JobManager(PsycopgConnector()).batch_defer_jobs(deferred, connection=driver)
        except UnicodeEncodeError as error:
            raise BadRequest("a name holds half of a character", hint="rename the file") from error

    def _prepare(self) -> None:
        from procrastinate.schema import SchemaManager

        with self._tables.read() as connection:
            if _exists(connection):
                return
        with self._tables.write() as connection:
            self._database.lock_catalog(connection)
            if not _exists(connection):
                connection.exec_driver_sql(SchemaManager.get_schema().replace("%", "%%"))
                connection.exec_driver_sql(queue_statements.TABLES)


def _exists(connection: Connection) -> bool:
    return connection.dialect.has_table(connection, "queue_progress")
