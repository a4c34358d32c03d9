"""Where the jobs of uploads are remembered: in this process, or in PostgreSQL for all web workers."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from sqlalchemy import JSON, Boolean, Column, Float, MetaData, Table, Text, and_, delete, insert, select, update

from ragstone.core import StorageError
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


@dataclass(frozen=True)
class Job:
    """The state of one upload; a new object for every step."""

    id: str
    file: str
    state: Literal["queued", "reading", "done", "failed"] = "queued"
    #: Whether a server that has stopped since had it first.
    resumed: bool = False
    #: Files of the book that are done, and how many there are; 0 while that is not known.
    files: int = 0
    of: int = 0
    chunks: int = 0
    #: Passages of the files that are stored next, and how many of them are embedded.
    unstored: int = 0
    embedded: int = 0
    #: What became of the book, file by file.
    report: dict[str, Any] | None = None
    #: What went wrong, as problem details.
    problem: dict[str, Any] | None = None

    @property
    def ended(self) -> bool:
        """Whether it is done or failed."""
        return self.state in {"done", "failed"}


class JobStore:
    """Jobs of this process by id, the latest last; of those that have ended only the latest are kept."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}

    def get(self, job_id: str) -> Job | None:
        """The job of that id."""
        return self._jobs.get(job_id)

    def all(self) -> list[Job]:
        """Every job that is remembered."""
        return list(self._jobs.values())

    def put(self, job: Job) -> None:
        """Remember the job's state in the place of an older one."""
        self._jobs[job.id] = job
        done = [job_id for job_id, each in self._jobs.items() if each.ended]
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

    def get(self, job_id: str) -> Job | None:
        if job_id in self._jobs:
            return super().get(job_id)
        with self._tables.read() as connection:
            found = connection.execute(select(_job.c.job).where(_job.c.id == job_id)).scalar()
        return None if found is None else Job(**found)

    def all(self) -> list[Job]:
        with self._tables.read() as connection:
            rows = connection.execute(select(_job.c.id, _job.c.job).order_by(_job.c.at)).all()
        return list(({row.id: Job(**row.job) for row in rows} | self._jobs).values())

    def put(self, job: Job) -> None:
        self._jobs[job.id] = job
        try:
            for each in super().all():
                self._store(each)
                del self._jobs[each.id]
        except StorageError as error:  # the upload goes on, or fails for the same reason and says so
            _log.warning("the progress of an upload was not stored: %s", error)

    def _store(self, job: Job) -> None:
        with self._tables.write() as connection:
            values = {"ended": job.ended, "job": asdict(job)}
            if not connection.execute(update(_job).where(_job.c.id == job.id).values(**values)).rowcount:
                connection.execute(insert(_job).values(id=job.id, at=time.time(), **values))
            if job.ended:
                further = select(_job.c.id).where(_job.c.ended).order_by(_job.c.at.desc()).offset(MOST_REMEMBERED)
                old = and_(_job.c.ended, _job.c.at < time.time() - _DAY) | (_job.c.at < time.time() - 7 * _DAY)
                connection.execute(delete(_job).where(_job.c.id.in_(further) | old))
        self._notices.send(_PREFIX, job.id)
