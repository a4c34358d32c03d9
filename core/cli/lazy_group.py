"""A command group that imports its commands on first use."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """A group of commands that are named by import paths: click's documented "Lazily Loading Subcommands"."""

    def __init__(self, *arguments: Any, lazy_subcommands: Mapping[str, str], **options: Any) -> None:
        """``lazy_subcommands``: by command name, such as ``{"list": "field_notes.commands.list_notes"}``."""
        super().__init__(*arguments, **options)
        self._lazy_subcommands = lazy_subcommands
        # Names alone: click lists them, and suggests the nearest one for a name that is none.
        self.commands = {**dict.fromkeys(lazy_subcommands, click.Command(None)), **self.commands}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._lazy_subcommands:
            return super().get_command(ctx, cmd_name)
        module, _, name = self._lazy_subcommands[cmd_name].rpartition(".")
        command: click.Command = getattr(import_module(module), name)
        return command
