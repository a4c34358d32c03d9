"""``ragstone wiki``: one module for each command or pair of them."""

from __future__ import annotations

import click


@click.group()
def wiki() -> None:
    """Shards of an offline encyclopedia: build, check, sign, install, search."""
