"""``ragstone tutor``: study plans, their sources, and what is learned from them."""

from __future__ import annotations

import click

from ..learn.commands import register
from .making import add, export, seed
from .plans import plan
from .sources import sources


@click.group()
def tutor() -> None:
    """Study plans, their sources, and what is learned from them."""


plan.add_command(add)
for command in (plan, sources, seed, export):
    tutor.add_command(command)
register(tutor)
