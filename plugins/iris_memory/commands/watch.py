"""``ragstone memory watch``."""

from __future__ import annotations

import json
import signal
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from ..indexing.memory import memory_of
from ..indexing.watcher import Watcher
from .indexing import told

if TYPE_CHECKING:
    from types import FrameType

    from ragstone.core.cli import Deployment

    from ..indexing.updater import UpdateReport


@click.command(epilog="Example: ragstone memory watch")
@click.option("--json", "as_json", is_flag=True, help="Print each update as one line of JSON.")
@click.pass_obj
def watch(deployment: Deployment, as_json: bool) -> None:
    """Keep the memory as the files are, until interrupted. What is written is found within a second."""
    memory = memory_of(deployment.host())
    root = memory.root

    def tell(report: UpdateReport) -> None:
        click.echo(json.dumps(asdict(report)) if as_json else told(report))

    watcher = Watcher(memory, tell)

    def end(_signal: int, _frame: FrameType | None) -> None:
        watcher.end()

    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, end)
    if not as_json:
        click.echo(f"Watching {root}; Ctrl+C ends it.")
    watcher.run()
