"""``ragstone book watch``: follow folders of books."""

from __future__ import annotations

import json
import logging
import signal
import time
from dataclasses import asdict
from pathlib import Path

import click

from ragstone.core import StorageError
from ragstone.core.cli import Deployment, json_option, printable
from ragstone.core.text import counted

from ..library.follow_record import Mode
from ..library.followed import SETTLE, Event, FollowedFolder
from ..library.shelf import Shelf

_log = logging.getLogger(__name__)
#: Seconds until the next try when the storage was busy or away.
_AFTER_FAILURE = 5.0


@click.command(epilog="Example: ragstone book watch ./library --each")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--each", "mode", flag_value="each", help="Each file and folder in it is a book.")
@click.option("--one", "mode", flag_value="one", help="The folder is one book, as for ragstone book add.")
@click.option("--once", is_flag=True, help="Bring the shelf up to date and end; with 1 if a book could not be read.")
@json_option("Print each event as one line of JSON.")
@click.pass_context
def watch(ctx: click.Context, folder: Path, mode: Mode | None, once: bool, as_json: bool) -> None:
    """Follow a folder: its books come, change and go with its files.

    A folder with a book's configuration or with pages of text in it is one book; in any other each file and folder is
    one. The choice is kept. Books that were uploaded or added otherwise are never touched, and a book that you remove
    from the shelf stays off until its file changes. Files are read when they have not changed for two seconds; Ctrl+C
    ends it, and the next start goes on where it was.
    """
    deployment: Deployment = ctx.obj
    host = deployment.host()
    followed = FollowedFolder(Shelf(host), folder, host.settings.data_dir, mode)
    # Ends at once: each document is stored in one transaction.
    before = {each: signal.signal(each, signal.default_int_handler) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        if not as_json and not once:
            how = "as one book" if followed.mode == "one" else "each file and folder in it is a book"
            click.echo(printable(f"Following {followed.folder}, {how}; Ctrl+C ends it."))
        failed = _follow(followed, once, as_json)
    except KeyboardInterrupt:
        if once:
            raise
        failed = False
    finally:
        followed.close()
        for number, handler in before.items():
            signal.signal(number, handler)
    ctx.exit(1 if once and failed else 0)


def _follow(followed: FollowedFolder, once: bool, as_json: bool) -> bool:
    """Update until it is interrupted, or with ``once`` until nothing is left to do; whether something failed."""
    failed, events = False, 0
    while True:
        pause = SETTLE
        try:
            for event in followed.update():
                _show(event, as_json)
                events += 1
                failed |= event.action in ("failed", "unreachable")
        except (StorageError, OSError) as error:
            if once:
                raise
            _log.warning("the shelf is not as the folder is: %s", error)
            pause = _AFTER_FAILURE
        if once and not followed.is_settling():
            if not events and not as_json:
                click.echo("Nothing has changed.")
            return failed
        time.sleep(pause)


def _show(event: Event, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"at": round(time.time(), 3), **asdict(event)}))
        return
    words = f"{event.action:11} {event.entry}"
    if event.book:
        words += f": '{event.title}' ({event.book})"
    if event.chunks:
        words += f", {counted(passage=event.chunks)} embedded"
    click.echo(printable(f"{words}{': ' + event.reason if event.reason else ''}"))
