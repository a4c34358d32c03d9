"""``ragstone memory update``, ``status``, ``forget`` and ``watch``."""

from __future__ import annotations

import json
import signal
from dataclasses import asdict
from datetime import UTC, datetime

import click

from ragstone.core import BadRequest
from ragstone.core.cli import Deployment, json_option, printable, show_json, show_progress, show_table
from ragstone.core.text import counted

from ..indexing.memory import memory_of
from ..indexing.updater import UpdateReport

_SHOWN = 12


@click.command(epilog="Example: ragstone memory update")
@click.option("--full", is_flag=True, help="Read and embed every file anew; what is there answers meanwhile.")
@click.option("--prune", is_flag=True, help="Remove missing files also where that may be a mistake.")
@json_option()
@click.pass_context
def update(ctx: click.Context, full: bool, prune: bool, as_json: bool) -> None:
    """Update the memory from its files. Unchanged files are not read.

    Ends with 1 if files are missing and were not removed: their folder is empty or cannot be read, or more than half of
    all files are gone at once.
    """
    memory = memory_of(ctx.obj.host())
    with show_progress("reading", None) as on_progress:
        report = memory.update_in_full(on_progress, prune=prune) if full else memory.update(on_progress, prune=prune)
    if as_json:
        show_json(asdict(report))
    else:
        click.echo(_summary(report))
    ctx.exit(1 if report.missing else 0)


@click.command(epilog="Example: ragstone memory status --json")
@json_option()
@click.pass_obj
def status(deployment: Deployment, as_json: bool) -> None:
    """Show what is stored, what is left out and why, and what waits."""
    found = memory_of(deployment.host()).status()
    if as_json:
        show_json({**asdict(found), "files": found.files, "chunks": found.chunks})
        return
    click.echo(printable(f"The memory of {found.root}: {counted(file=found.files, chunk=found.chunks)}."))
    if found.updated_at is None:
        click.echo("Never brought up to date: ragstone memory update")
    else:
        at = datetime.fromtimestamp(found.updated_at, UTC).strftime("%Y-%m-%d %H:%M:%S")
        click.echo(f"Brought up to date on {at} UTC, in {found.update_seconds:.1f} s.")
    if found.stale:
        click.echo(printable(f"To be rebuilt by the next update: {found.stale}"))
    show_table(
        ("type", "files", "chunks"),
        [(each.doc_type, each.files, each.chunks) for each in found.types],
        empty="Nothing is remembered yet.",
    )
    _list("Waiting for the next update", found.waiting)
    _list("Missing", [str(each) for each in found.missing])
    _list("Left out", [f"{each.path}: {each.reason}" for each in found.left_out])


@click.command(epilog="Example: ragstone memory forget docs/emails/2026-02-18.txt")
@click.argument("target", metavar="PATH|ID")
@json_option()
@click.pass_obj
def forget(deployment: Deployment, target: str, as_json: bool) -> None:
    """Forget a file, a folder's files, or a chunk, until they change.

    The files themselves are not touched.
    """
    if not target.strip():
        raise BadRequest("nothing is named", hint="give a path under the root, or the id of a chunk")
    found = memory_of(deployment.host()).forget(target)
    if as_json:
        show_json(asdict(found))
        return
    what = found.paths[0] if len(found.paths) == 1 else f"{len(found.paths)} files"
    click.echo(printable(f"Forgotten until it changes: {what}, {counted(chunk=found.chunks)}."))


@click.command(epilog="Example: ragstone memory watch")
@json_option("Print each update as one line of JSON.")
@click.pass_obj
def watch(deployment: Deployment, as_json: bool) -> None:
    """Update the memory whenever a file changes, until interrupted."""
    from ..indexing.watcher import Watcher

    memory = memory_of(deployment.host())
    root = memory.root

    def show(report: UpdateReport) -> None:
        click.echo(json.dumps(asdict(report)) if as_json else _summary(report))

    watcher = Watcher(memory, show)
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda _signal, _frame: watcher.end())
    if not as_json:
        click.echo(f"Watching {root}; Ctrl+C ends it.")
    watcher.run()


def _summary(report: UpdateReport) -> str:
    """What an update did, in one line, and what it left out in a few more."""
    counts = [
        f"{len(paths)} {name}"
        for name, paths in (("added", report.added), ("updated", report.updated), ("removed", report.removed))
        if paths
    ]
    changes = f"{', '.join(counts) or 'nothing has changed'}; {report.unchanged} unchanged"
    lines = [f"{changes[0].upper()}{changes[1:]}; {counted(chunk=report.chunks)} in {report.seconds:.1f} s."]
    if report.rebuilt:
        lines.append(f"  indexed again: {report.rebuilt}")
    lines += [f"  {each}" for each in report.missing[:_SHOWN]]
    if any(each.prunable for each in report.missing):
        lines.append("  if they are meant to be gone: ragstone memory update --prune")
    lines += [f"  left out {each.path}: {each.reason}" for each in report.left_out[:_SHOWN]]
    if len(report.left_out) > _SHOWN:
        lines.append(f"  … and {len(report.left_out) - _SHOWN} more; ragstone memory status names all")
    return printable("\n".join(lines))


def _list(title: str, entries: list[str]) -> None:
    if entries:
        click.echo(f"{title} ({len(entries)}):")
        for entry in entries[:_SHOWN]:
            click.echo(printable(f"  {entry}"))
        if len(entries) > _SHOWN:
            click.echo(f"  … and {len(entries) - _SHOWN} more; --json names all")
