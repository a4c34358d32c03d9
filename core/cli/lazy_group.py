"""Command groups whose module is imported when they are used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable


class LazyGroup(click.Group):
    """A group of commands of which the command line knows the name, and nothing else until it is asked for.

    Every command waits for the commands of all plugins, because any of them might be meant.
    """

    def __init__(self, name: str, find: Callable[[], click.Group]) -> None:
        """``find``: imports the group of that name and returns it."""
        super().__init__(name)
        self._find = find
        self._found = False

    def make_context(self, *arguments: Any, **named: Any) -> click.Context:
        """For a command line, its help and its completion."""
        self._become()
        return super().make_context(*arguments, **named)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands' names."""
        self._become()
        return super().list_commands(ctx)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        self._become()
        return super().get_command(ctx, cmd_name)

    def get_short_help_str(self, limit: int = 45) -> str:
        """Its line in the help of all commands."""
        self._become()
        return super().get_short_help_str(limit)

    def to_info_dict(self, ctx: click.Context) -> dict[str, Any]:
        """What tools that write documentation ask for."""
        self._become()
        return super().to_info_dict(ctx)

    def _become(self) -> None:
        """From now on it has whatever the group has that it stands for."""
        if not self._found:
            self.__dict__.update(vars(self._find()))
            self._found = True
