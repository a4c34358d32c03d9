"""What is done with an uploaded book."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..shelf import Shelf
from .jobs import Jobs
from .uploads import book_of, left_behind

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ragstone.core import Host, IngestProgress

    from ..shelf import AddReport
    from .uploads import Upload


def uploads_of(host: Host) -> Path:
    """Where uploaded files lie until they are read."""
    return host.settings.data_dir / "uploads"


def jobs_of(host: Host) -> Jobs:
    """A queue that puts uploads on the shelf of ``host``."""

    def add(upload: Upload, tell: Callable[[int, int, int], None]) -> AddReport:
        shelf = Shelf(host)
        layout = shelf.plan(book_of(upload))
        tell(0, len(layout.files), 0)

        def on_progress(progress: IngestProgress) -> None:
            tell(min(progress.documents, len(layout.files)), len(layout.files), progress.chunks)

        about = upload.about
        report = shelf.add(
            layout, title=about.title, edition=about.edition, uploaded_as=about.name, on_progress=on_progress
        )
        shelf.pdfs.keep(report.book, upload.folder)
        shelf.pdfs.tidy()
        return report

    jobs = Jobs(add, lambda: host.closed)
    host.when_closing(jobs.stop)
    return jobs


def resume_uploads(host: Host) -> None:
    """Queue the uploads that were left when the last server stopped."""
    host.once(jobs_of).resume(left_behind(uploads_of(host)))
