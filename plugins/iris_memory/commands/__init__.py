"""``ragstone memory``: one module for each command or pair of them."""

from __future__ import annotations

import click

from .keeping import forget, status, update
from .query import query
from .watch import watch


@click.group()
def memory() -> None:
    """An agent's files as its memory: bring it up to date, watch, ask, forget."""


memory.add_command(forget)
memory.add_command(query)
memory.add_command(status)
memory.add_command(update)
memory.add_command(watch)
