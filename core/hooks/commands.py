"""The plugins' commands on the command line."""

from __future__ import annotations

import click

from ..errors import failures
from .manager import Plugins, reason_of
from .results import by_name


class PluginCommands:
    """Adds the plugins' commands to a group, and knows the plugin of each."""

    def __init__(self, plugins: Plugins) -> None:
        self._plugins = plugins
        self._owners: dict[str, str] = {}

    def add(self, cli: click.Group) -> None:
        """Let the plugins add their commands. Of two plugins with the same name the first keeps it."""
        import click

        owners = dict.fromkeys(cli.commands, "ragstone")
        for plugin in self._plugins.names:
            own = click.Group(cli.name)
            self._plugins.call_one(plugin, "ragstone_commands", cli=own)
            if plugin not in self._plugins.names:
                continue
            try:
                by_name(click.Command)(own.commands)
            except TypeError as error:
                self._plugins.disable(plugin, reason_of("ragstone_commands", error))
                continue
            taken = [name for name in own.commands if name in owners]
            if taken:
                self._plugins.disable(plugin, f"both {owners[taken[0]]} and {plugin} give a command {taken[0]!r}")
                continue
            cli.commands.update(own.commands)
            owners.update(dict.fromkeys(own.commands, plugin))
        self._owners = owners

    def check(self, cli: click.Group) -> None:
        """Check that each command has a help line; disable its plugin where that fails."""
        for name, plugin in self._owners.items():
            command = cli.commands.get(name)
            if command is None or plugin not in self._plugins.names:
                continue
            try:
                self._plugins.run(plugin, f"its command {name!r}", command.get_short_help_str)
            except failures() as error:
                self._plugins.disable(plugin, reason_of(f"its command {name!r}", error))
                for other in [each for each, owner in self._owners.items() if owner == plugin]:
                    cli.commands.pop(other, None)

    def plugin_of(self, name: str) -> str | None:
        """The plugin that gave the command line's command of that name."""
        owner = self._owners.get(name)
        return owner if owner in self._plugins.names else None
