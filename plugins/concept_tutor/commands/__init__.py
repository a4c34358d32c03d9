"""``ragstone tutor``: study plans, their sources, and what is learned from them."""

from __future__ import annotations

import click

from ..learn.commands import register
from .plans import plan


@click.group()
def tutor() -> None:
    """Study plans, their sources, and what is learned from them."""


tutor.add_command(plan)
register(tutor)
