"""``ragstone book work`` and ``ragstone book queue``: books that workers on any machine put on the shelf."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from ragstone.core import Host
from ragstone.core.catalog import QueuedJob, QueueState
from ragstone.core.cli import Deployment, json_option, printable, show_json
from ragstone.core.text import counted

from ..library.book_queue import BookQueue, book_name
from ..library.books import AddReport

_NAMES_SHOWN = 5
#: Books that a worker reads at a time.
_AT_ONCE = 2


def add_to_queue(host: Host, path: Path, options: dict[str, str | None], *, as_json: bool) -> None:
    """Queue a book or a folder of books, and say how many."""
    queued = BookQueue(host).add(path, **options)
    if as_json:
        show_json(asdict(queued))
        return
    known = f", {queued.known} in the queue already" if queued.known else ""
    click.echo(f"{counted(book=queued.queued)} queued{known}.")
    for left in queued.left_out[:_NAMES_SHOWN]:
        click.echo(printable(f"Left out: {left.relative}: {left.reason}"))
    if (more := len(queued.left_out) - _NAMES_SHOWN) > 0:
        click.echo(f"… and {more} more; --json names all")
    click.echo("Read them, on this or other machines: ragstone book work")


@click.command(epilog="Example: ragstone book work --until-empty")
@click.option("--until-empty", is_flag=True, help="End when no book waits or is being read.")
@click.pass_obj
def work(deployment: Deployment, until_empty: bool) -> None:
    """Put queued books on the shelf, until Ctrl+C. Run it once for each processor, on any machine.

    Each machine needs the same database and the folder of the books at the same path. Of two books at a time one is
    read and embedded while the other is written. What a stopped or killed worker was reading is read by another one:
    at once, or half a minute after a kill.
    """

    def on_book(report: AddReport) -> None:
        click.echo(printable(f"{report.book}: {counted(passage=report.chunks)} embedded"))

    books = BookQueue(deployment.host())
    if not until_empty:
        click.echo("Waiting for books (Ctrl+C stops)", err=True)
    books.work(at_once=_AT_ONCE, until_empty=until_empty, on_book=on_book)


@click.command(epilog="Example: ragstone book queue --json")
@click.option("--retry", is_flag=True, help="Queue the failed books again.")
@click.option("--clear", is_flag=True, help="Forget all books but those being read; the shelf stays as it is.")
@json_option()
@click.pass_obj
def queue(deployment: Deployment, retry: bool, clear: bool, as_json: bool) -> None:
    """Show how far the queued books are, and what failed."""
    books = BookQueue(deployment.host()).jobs
    if retry and clear:
        raise click.UsageError("--retry and --clear exclude each other")
    changed = books.retry_failed() if retry else books.clear() if clear else None
    state = books.state()
    if as_json:
        show_json({**asdict(state), "total": state.total, "minutes_left": state.minutes_left, "changed": changed})
        return
    if changed is not None:
        click.echo(f"{counted(book=changed)} {'queued again' if retry else 'forgotten'}.")
    for line in _lines(state):
        click.echo(printable(line))


def _lines(state: QueueState) -> list[str]:
    if not state.total:
        return ["The queue is empty. Fill it: ragstone book add FOLDER_OF_BOOKS --queue"]
    shelf = f"{state.done} of {state.total} books are on the shelf"
    lines = [f"{shelf}, {len(state.running)} being read, {state.waiting} waiting, {state.failed} failed."]
    if state.per_minute:
        left = f", about {state.minutes_left:.0f} minutes left" if state.minutes_left else ""
        lines.append(f"{state.per_minute:.1f} books a minute{left}.")
    lines += [f"  {book_name(job)}: {_progress(job)} ({job.worker or 'begun'})" for job in state.running]
    if state.failed:
        lines.append(f"Failed ({state.failed}); again: ragstone book queue --retry")
        lines += [f"  {book_name(job)}: {job.note.get('problem', 'no reason is known')}" for job in state.failures]
    return lines


def _progress(job: QueuedJob) -> str:
    files = job.note.get("of")
    return f"{job.note.get('files', 0)} of {files} files, {job.note.get('chunks', 0)} passages" if files else "begun"
