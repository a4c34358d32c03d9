"""``ragstone doctor``."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Literal

import click

from . import output

if TYPE_CHECKING:
    from ..health import Check
    from .deployment import Deployment

Status = Literal["ok", "impaired", "unavailable"]

#: For monitoring; a wrong command ends with 2 as well.
EXIT_CODES: dict[Status, int] = {"ok": 0, "impaired": 1, "unavailable": 2}


@click.command(epilog="Example: ragstone doctor --json")
@output.json_option()
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """Check the whole deployment, however broken it is. Each part has a line with its repair.

    Exits with 0 when all is well, with 1 when something is not but questions are answered, with 2 when nothing can be.
    """
    from ..diagnostics.examination import Examination

    deployment: Deployment = ctx.obj
    found: list[Check] = []
    with _muted_log():
        for check in Examination(deployment.config).checks():
            found.append(check)
            if not as_json:
                place = f"{check.where}: " if check.where else ""
                repair = f" -> {check.mend}" if check.mend else ""
                line = f"{'ok' if check.ok else 'WRONG':<5} {check.name}: {place}{check.detail}{repair}"
                click.echo(output.printable(line.replace("\n", " ")))
    wrong = [check for check in found if not check.ok]
    status: Status = "unavailable" if any(check.fatal for check in wrong) else "impaired" if wrong else "ok"
    if as_json:
        output.as_json({"status": status, "checks": [asdict(check) for check in found]})
    ctx.exit(EXIT_CODES[status])


@contextmanager
def _muted_log() -> Iterator[None]:
    """Mutes the log unless ``-v`` is given: the checks' lines have the same messages."""
    log = logging.getLogger("ragstone")
    before = log.level
    if before > logging.INFO:
        log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        log.setLevel(before)
