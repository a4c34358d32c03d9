"""Where the jobs of uploads are remembered: in this process, or in PostgreSQL for all web workers."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, Boolean, Column, Float, MetaData, Table, Text, and_, delete, insert, select, update

from ragstone.core import StorageError

if TYPE_CHECKING:
    from ragstone.core.catalog import Catalog

_log = logging.getLogger(__name__)

#: Uploads that have ended and are remembered.
MOST_REMEMBERED = 50
_PREFIX = "book_chat_uploads"
#: Seconds after which an upload that has ended is forgotten; after seven times that, one that no server has resumed.
_DAY = 86_400
_metadata = MetaData()
_job = Table(
    f"{_PREFIX}_job",
    _metadata,
    Column("id", Text, primary_key=True),
    Column("at", Float, nullable=False),
    Column("ended", Boolean, nullable=False),
    Column("job", JSON, nullable=False),
)


class JobStore:
    """Jobs of this process as JSON, by id, the latest last; of those that have ended only the latest are kept."""

    def __init__(self) -> None:
        self._jobs: dict[str, tuple[dict[str, Any], bool]] = {}

    def get(self, job_id: str) -> dict[str, Any] | None:
        """The job of that id."""
        return self._jobs.get(job_id, (None, False))[0]

    def all(self) -> list[dict[str, Any]]:
        """Every job that is remembered."""
        return [job for job, _ended in self._jobs.values()]

    def put(self, job: Mapping[str, Any], *, ended: bool) -> None:
        """Remember the job's state in the place of an older one."""
        self._jobs[job["id"]] = dict(job), ended
        done = [job_id for job_id, (_job, has_ended) in self._jobs.items() if has_ended]
        for job_id in done[: max(0, len(done) - MOST_REMEMBERED)]:
            del self._jobs[job_id]


class CatalogJobs(JobStore):
    """Jobs of all web workers, in the catalog's PostgreSQL; the others are notified of each change.

    This process has only those that could not be stored, while the database was away.
    """

    def __init__(self, catalog: Catalog, on_change: Callable[[], None]) -> None:
        """``on_change``: called when another worker has changed a job."""
        super().__init__()
        self._tables = catalog.tables(_PREFIX, _metadata)
        self._notices = catalog.shared.notices
        self._notices.subscribe(_PREFIX, lambda _job_id: on_change())

    def get(self, job_id: str) -> dict[str, Any] | None:
        if job_id in self._jobs:
            return super().get(job_id)
        with self._tables.read() as connection:
            found: dict[str, Any] | None = connection.execute(select(_job.c.job).where(_job.c.id == job_id)).scalar()
        return found

    def all(self) -> list[dict[str, Any]]:
        with self._tables.read() as connection:
            rows = {row.id: row.job for row in connection.execute(select(_job.c.id, _job.c.job).order_by(_job.c.at))}
        return list((rows | {job_id: job for job_id, (job, _ended) in self._jobs.items()}).values())

    def put(self, job: Mapping[str, Any], *, ended: bool) -> None:
        self._jobs[job["id"]] = dict(job), ended
        try:
            for job_id, (state, has_ended) in list(self._jobs.items()):
                self._store(job_id, state, has_ended)
                del self._jobs[job_id]
        except StorageError as error:  # the upload goes on, or fails for the same reason and says so
            _log.warning("the progress of an upload was not stored: %s", error)

    def _store(self, job_id: str, state: dict[str, Any], ended: bool) -> None:
        with self._tables.write() as connection:
            values = {"ended": ended, "job": state}
            if not connection.execute(update(_job).where(_job.c.id == job_id).values(**values)).rowcount:
                connection.execute(insert(_job).values(id=job_id, at=time.time(), **values))
            if ended:
                further = select(_job.c.id).where(_job.c.ended).order_by(_job.c.at.desc()).offset(MOST_REMEMBERED)
                old = and_(_job.c.ended, _job.c.at < time.time() - _DAY) | (_job.c.at < time.time() - 7 * _DAY)
                connection.execute(delete(_job).where(_job.c.id.in_(further) | old))
        self._notices.send(_PREFIX, job_id)
