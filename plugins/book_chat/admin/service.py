"""What is done with an uploaded book."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from ragstone.core import SourceError

from ..shelf import Shelf
from .jobs import Jobs
from .uploads import book_of, sweep

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ragstone.core import Host, IngestProgress

    from ..layouts import BookLayout
    from ..shelf import AddReport
    from .uploads import Upload


def uploads_of(host: Host) -> Path:
    """Where uploaded files lie until they are read."""
    return host.settings.data_dir / "uploads"


def jobs_of(host: Host) -> Jobs:
    """A queue that puts uploads on the shelf of ``host``."""
    sweep(uploads_of(host))

    def add(upload: Upload, tell: Callable[[int, int, int], None]) -> AddReport:
        shelf = Shelf(host)
        layout = shelf.plan(book_of(upload))
        tell(0, len(layout.files), 0)

        def on_progress(progress: IngestProgress) -> None:
            tell(min(progress.documents, len(layout.files)), len(layout.files), progress.chunks)

        title = upload.title or _title_of(host, layout, upload.name)
        return shelf.add(layout, title=title, edition=upload.edition, on_progress=on_progress)

    return Jobs(add)


def _title_of(host: Host, layout: BookLayout, name: str) -> str | None:
    """The book's own title; else its file's name made readable, not the generated one under which it was stored."""
    if layout.title:
        return layout.title
    if layout.kind == "file":
        with suppress(SourceError):
            first = host.readers[layout.root.suffix.lower()].load_data(layout.root)[:1]
            if first and first[0].metadata.get("title"):
                return str(first[0].metadata["title"])
    words = " ".join(re.split(r"[-_\s]+", PurePosixPath(name).stem))
    return "".join(sign for sign in words if sign.isprintable()).strip().capitalize() or None
