"""``ragstone wiki``: one module for each command or pair of them."""

from __future__ import annotations

import click

from .build import build
from .episodes import episodes
from .info import info
from .install import install
from .search import search
from .sign import keygen, sign
from .tend import tend
from .verify import verify


@click.group()
def wiki() -> None:
    """Shards of an offline encyclopedia: build, check, sign, install, search."""


wiki.add_command(build)
wiki.add_command(episodes)
wiki.add_command(info)
wiki.add_command(install)
wiki.add_command(keygen)
wiki.add_command(sign)
wiki.add_command(search)
wiki.add_command(tend)
wiki.add_command(verify)
