"""Tries a host's plugins, so that one that fails is found before it is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .host import Host


def try_plugins(host: Host, known: Sequence[click.Command] = ()) -> None:
    """Fire the hooks that cost little. ``known``: the commands that the command line has without plugins."""
    _ = host.hooks.readers, host.hooks.prompts
    host.hooks.commands.add(click.Group("ragstone", commands=known))
    if host.settings.data_dir.is_dir():  # looking at the plugins makes no data folder
        host.start()
        _ = host.hooks.assistants, host.hooks.tools
        for _check in host.hooks.checks():
            pass
        host.pipeline.try_postprocessors()
