"""The queue of uploads: one is read at a time, in the background."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ragstone.core import Host, NotFound, RagstoneError, StorageBusy
from ragstone.core.catalog import Catalog, is_server
from ragstone.core.ingestion import IngestProgress
from ragstone.core.runtime import JobQueue

from ..books import AddReport
from ..shelf import Shelf
from .files import Upload, book_of, unfinished_uploads
from .job_store import CatalogJobs, Job, JobStore

_log = logging.getLogger(__name__)

#: Uploads that may wait.
MOST_WAITING = 20
_MOST_NAMED = 100
#: Times that reading a book is begun: one that ends the server each time is given up.
MOST_BEGUN = 3
#: Seconds between two looks at an upload that another process has, should its message be lost.
_POLL = 3.0


class Jobs:
    """All uploads of a server. Thread-safe; the uploads are read in a thread of its own."""

    def __init__(self, add: Callable[[Upload, Callable[..., None]], AddReport], catalog: Catalog | None = None) -> None:
        """``add``: reads an upload and reports its progress, as fields of its job. ``catalog``: remembers the jobs, for
        all web workers."""
        self._add = add
        # each document is stored in one transaction, so that the thread may be killed
        self._queue: JobQueue[Upload] = JobQueue("ragstone-uploads", self._work)
        self._jobs = JobStore()
        if catalog is not None:
            self._jobs = CatalogJobs(catalog, self._queue.notify)
        self._reading: Upload | None = None

    def submit(self, upload: Upload) -> Job:
        """Queue an upload. Raises ``StorageBusy`` when too many wait already; the upload is gone then."""
        job = Job(upload.folder.name, upload.name)
        with self._queue.locked():
            if not self._queue.add(upload, MOST_WAITING):
                upload.remove()
                raise StorageBusy(f"{MOST_WAITING} books are waiting already", hint="come back when some are read")
            self._jobs.put(job)
        return job

    def resume(self, uploads: Iterable[Upload]) -> None:
        """Queue the uploads of a server that stopped, under the same ids; what it has stored is not read again."""
        with self._queue.locked():
            for upload in uploads:
                job = Job(upload.folder.name, upload.name, resumed=True)
                if upload.about.begun < MOST_BEGUN:
                    self._jobs.put(job)
                    self._queue.add(upload)
                    continue
                fault = RagstoneError(
                    f"the server has stopped {MOST_BEGUN} times while it was being read",
                    hint="see the server's log; what was read of it is on the shelf, and it may be sent again",
                )
                _log.warning("the uploaded book %r is given up: %s", upload.name, fault)
                self._jobs.put(replace(job, state="failed", problem=fault.to_problem()))
                upload.remove()

    def close(self) -> None:
        """The server is closing: the next one resumes, and this stop does not count as a failure of the book."""
        with self._queue.locked():
            self._queue.stop()
            if self._reading is not None:
                self._reading.begin(-1)

    def jobs(self) -> tuple[Job, ...]:
        """All that are remembered, the latest last."""
        with self._queue.locked():
            return tuple(self._jobs.all())

    def job(self, job_id: str) -> Job:
        """Raises ``NotFound``."""
        if (job := self._jobs.get(job_id)) is None:
            raise NotFound("there is no such upload; only the last ones are remembered")
        return job

    def follow(self, job_id: str, pause: float) -> Iterator[Job | None]:
        """The job now and after every step, up to its end; ``None`` when nothing has happened for ``pause`` seconds."""

        def look() -> tuple[dict[str, Job], bool]:
            job = self._jobs.get(job_id)
            return ({}, True) if job is None else ({job_id: job}, job.ended)

        return self._queue.follow(look, pause, _POLL)

    def _update(self, upload: Upload, **facts: Any) -> None:
        with self._queue.locked():
            if job := self._jobs.get(upload.folder.name):
                self._jobs.put(replace(job, **facts))

    def _work(self, upload: Upload) -> None:
        self._update(upload, state="reading")
        try:
            with self._queue.locked():
                upload.begin()
                self._reading = upload
            report = self._add(upload, partial(self._update, upload))
            facts = {"state": "done", "report": _report_dict(report)}
        except Exception as error:
            if self._queue.is_stopped:  # the error comes from the closing server: the next one resumes
                return
            facts = {"state": "failed", "problem": _problem(upload, error)}
        with self._queue.locked():
            self._reading = None
            upload.remove()
            self._update(upload, **facts)


def _problem(upload: Upload, error: Exception) -> dict[str, Any]:
    if isinstance(error, RagstoneError):
        _log.warning("the uploaded book %r was not read: %s", upload.name, error)
        return error.to_problem()
    _log.error("reading the uploaded book %r failed", upload.name, exc_info=error)
    return RagstoneError("reading the book failed; the log says more").to_problem()


def _report_dict(report: AddReport) -> dict[str, Any]:
    found: dict[str, Any] = {name: getattr(report, name) for name in ("book", "title", "edition", "layout", "chunks")}
    for name in ("added", "updated", "unchanged", "removed"):
        found[name] = len(getattr(report, name))
    found["left_out"] = [{"file": one.relative, "reason": one.reason} for one in report.left_out[:_MOST_NAMED]]
    for name in ("needs_ocr", "broken_pages"):
        files = list(getattr(report, name).items())[:_MOST_NAMED]
        found[name] = [{"file": file, "pages": pages} for file, pages in files]
    return found


def uploads_of(host: Host) -> Path:
    """The folder of uploaded files until they are read."""
    return host.settings.data_dir / "uploads"


def jobs_of(host: Host) -> Jobs:
    """A queue that puts uploads on the shelf of ``host``."""

    def add(upload: Upload, report_progress: Callable[..., None]) -> AddReport:
        shelf = Shelf(host)
        layout = shelf.plan(book_of(upload))
        of = len(layout.files)
        report_progress(of=of)

        def on_progress(now: IngestProgress) -> None:
            counts = {"chunks": now.chunks, "unstored": now.unstored, "embedded": now.embedded}
            report_progress(files=min(now.documents, of), **counts)

        about = upload.about
        report = shelf.add(
            layout, title=about.title, edition=about.edition, uploaded_as=about.name, on_progress=on_progress
        )
        shelf.pdfs.keep(report.book, upload.folder)
        shelf.pdfs.remove_unused()
        return report

    return Jobs(add, host.catalog if is_server(host.settings.database) else None)


def resume_uploads(host: Host) -> None:
    """Queue the uploads that were left when the last server stopped."""
    host.once(jobs_of).resume(unfinished_uploads(uploads_of(host)))
