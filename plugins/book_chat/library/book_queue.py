"""The queue of books: one job a book in the catalog's PostgreSQL, for workers on any machine that sees the files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragstone.core import BadRequest, Host, MissingExtra, SettingsError, SourceError
from ragstone.core.catalog import QueuedJob, QueueState, Report, Unfit

from .files import LeftOut, is_inside, natural, walk
from .layouts.layout import LAYOUTS
from .shelf import Shelf

if TYPE_CHECKING:
    from ragstone.core.catalog import SharedQueue
    from ragstone.core.ingestion import IngestProgress

    from .books import AddReport

_QUEUE = "books"
_COUNTS = ("total", "done", "waiting", "failed", "per_minute", "minutes_left")
#: What a worker reports of a book that it reads.
_PROGRESS = ("files", "of", "chunks")


@dataclass(frozen=True)
class Queued:
    """The result of queueing books."""

    queued: int
    #: Books that wait already or are being read.
    known: int
    left_out: tuple[LeftOut, ...]


def queue_dict(host: Host) -> dict[str, Any]:
    """How far the queue is, for readers of a page: by the books' names, without paths of the machine.

    It is empty where there can be none.
    """
    try:
        state = BookQueue(host).jobs.state()
    except (SettingsError, MissingExtra):
        state = QueueState(0, 0, (), 0, (), None)
    counts = {name: getattr(state, name) for name in _COUNTS}
    reading = [{"book": book_name(job), **{key: job.note.get(key, 0) for key in _PROGRESS}} for job in state.running]
    failures = [{"book": book_name(job), "problem": job.note.get("problem", "")} for job in state.failures]
    return {**counts, "reading": reading, "failures": failures}


def book_name(job: QueuedJob) -> str:
    """The name of the job's file or folder."""
    return Path(job.job["path"]).name


def find_books(folder: Path, suffixes: frozenset[str]) -> tuple[list[Path], list[LeftOut]]:
    """The books of a folder of books: each file that can be read, and each folder with one in it.

    Raises ``SourceError``, and ``BadRequest`` for a folder that is itself one book.
    """
    marks = sorted({mark for layout in LAYOUTS.values() for mark in layout.marks if (folder / mark).is_file()})
    if marks:
        raise BadRequest(
            f"is one book, by its {marks[0]}", where=str(folder), hint="give the folder above, or leave --queue out"
        )
    try:
        paths = sorted(folder.iterdir(), key=lambda path: natural(path.name))
    except OSError as error:
        raise SourceError(f"cannot be listed: {error.strerror}", where=str(folder)) from error
    books, left = [], []
    for path in paths:
        name = path.name
        if name.startswith("."):
            continue
        if not is_inside(path, folder):
            left.append(LeftOut(name, "a link that leaves the folder, or to nothing"))
        elif path.is_dir():
            if any(each.suffix.lower() in suffixes for each in walk(path, [])):
                books.append(path)
            else:
                left.append(LeftOut(f"{name}/", "holds no file that can be read"))
        elif path.suffix.lower() in suffixes:
            books.append(path)
        else:
            left.append(LeftOut(name, f"no reader for {path.suffix or 'files without a suffix'}"))
    return books, left


class BookQueue:
    """The books that wait for workers, and the worker. Raises ``SettingsError`` unless the catalog is in PostgreSQL."""

    def __init__(self, host: Host) -> None:
        self._host = host
        #: The books as jobs: how far they are, the failed ones again, all forgotten.
        self.jobs: SharedQueue = host.catalog.shared.queue(_QUEUE)

    def add(self, path: Path, **options: str | None) -> Queued:
        """Queue each book of a folder, or the one file. ``options``: ``title`` and ``edition`` of a file."""
        suffixes = Shelf(self._host).suffixes
        path = path.resolve()
        if path.is_dir():
            if any(options.values()):
                raise BadRequest(
                    "a folder of books has no title, edition or site of its own",
                    hint="say them in each book's book.toml",
                )
            books, left = find_books(path, suffixes)
            if not books:
                raise SourceError("holds no book", where=str(path), hint="each file or folder in it is one book")
            home = path
        else:
            Shelf(self._host).plan(path)  # raises now if it cannot be read
            home, books, left = path.parent, [path], []
        jobs = [{"path": str(book), "folder": str(home), **options} for book in books]
        queued = self.jobs.add(jobs, key=lambda job: job["path"])
        return Queued(queued, len(jobs) - queued, tuple(left))

    def work(self, *, at_once: int, until_empty: bool, on_book: Callable[[AddReport], None], **lease: float) -> None:
        """Put queued books on the shelf until a signal; with ``until_empty`` until none waits or is being read.

        Raises ``ragstone.core.catalog.Unfit`` on a machine that does not see the books' folder.
        """

        def read(job: dict[str, Any], report: Report) -> Mapping[str, Any]:
            try:
                done = self._read(job, report)
            except (BadRequest, SourceError):
                self._calibrate_last(job)
                raise
            self._calibrate_last(job)
            on_book(done)
            return {"book": done.book, "title": done.title, "chunks": done.chunks, "left_out": len(done.left_out)}

        _ = self._host.hooks.encoder  # a worker without its model must not take a book
        self.jobs.work(read, at_once=at_once, until_empty=until_empty, **lease)

    def _calibrate_last(self, job: Mapping[str, Any]) -> None:
        """Calibrate the corpus if no book waits: it needs all vectors in memory, and each growth needs it anew.

        Of the books that are being read the last one does it, so that no two do.
        """
        if self._host.settings.retrieval.threshold is not None:
            return
        state, corpus = self.jobs.state(), Shelf(self._host).corpus
        last = max(state.running, key=lambda other: other.id, default=None)
        if not state.waiting and (last is None or last.job == job) and corpus.contents.exists:
            corpus.calibrate()

    def _read(self, job: Mapping[str, Any], report: Report) -> AddReport:
        path, home = Path(job["path"]), Path(job["folder"])
        if not home.is_dir():
            raise Unfit("this machine does not see the folder of the books", where=str(home), hint="mount it here")

        def claim(slug: str) -> None:
            try:
                report({"book": slug}, claim=slug)
            except BadRequest as error:
                raise BadRequest(
                    f"another book in the queue has the same title and edition ({slug})",
                    where=str(path),
                    hint="say another title or edition in its book.toml, or with --title and --edition",
                ) from error

        def on_progress(now: IngestProgress) -> None:
            report({"files": now.documents, "of": len(layout.files), "chunks": now.chunks + now.embedded})

        shelf = Shelf(self._host, claim)
        layout = shelf.plan(path)
        report({"files": 0, "of": len(layout.files), "chunks": 0})
        return shelf.add(layout, title=job.get("title"), edition=job.get("edition"), on_progress=on_progress)
