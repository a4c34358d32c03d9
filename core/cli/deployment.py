"""The context object of every command: the settings file and the host, created on first use."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

    from ..host.host import Host


class Deployment:
    """The context object of every command; creates the host on first use."""

    def __init__(self, config: Path | None) -> None:
        #: The settings file of ``--config``.
        self.config = config
        self._host: Host | None = None

    def loaded(self) -> Host:
        """The host with its plugins loaded; its catalog may not be open yet. Raises ``SettingsError``."""
        from ..host.host import Host
        from ..settings_file import read_settings

        if self._host is None:
            with redirect_stdout(sys.stderr):  # keeps a plugin's prints out of the command's output
                self._host = Host(read_settings(self.config))
        return self._host

    def host(self) -> Host:
        """The open host. Raises ``SettingsError`` or ``StorageError``."""
        host = self.loaded()
        with redirect_stdout(sys.stderr):
            host.start()
        return host

    def plugin_of_command(self, name: str) -> str | None:
        """The plugin that a command is from; ``None`` for Ragstone's own."""
        return None if self._host is None else self._host.hooks.commands.plugin_of(name)

    def close(self) -> None:
        if self._host is not None:
            self._host.close()


def deployment_of(ctx: click.Context) -> Deployment:
    """The deployment of a command line, also during shell completion."""
    found = ctx.find_object(Deployment)
    if found is None:
        found = ctx.find_root().obj = Deployment(ctx.find_root().params.get("config"))
        ctx.call_on_close(found.close)
    return found
