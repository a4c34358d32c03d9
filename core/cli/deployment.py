"""The deployment of a command line: its host, made when a command first needs it."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import click

    from ..host.host import Host


class Deployment:
    """What every command gets as its context object: the host, made when it is first needed."""

    def __init__(self, config: Path | None) -> None:
        #: The settings file that the command line names.
        self.config = config
        self._host: Host | None = None

    def loaded(self) -> Host:
        """The host with its plugins loaded, its catalog perhaps not opened yet. Raises ``SettingsError``."""
        from ..host.host import Host
        from ..settings import read_settings

        if self._host is None:
            with redirect_stdout(sys.stderr):  # what a plugin prints is no part of a command's output
                self._host = Host(read_settings(self.config))
        return self._host

    def host(self) -> Host:
        """The open host. Raises ``SettingsError`` or ``StorageError``."""
        host = self.loaded()
        with redirect_stdout(sys.stderr):
            host.start()
        return host

    def plugin_of_command(self, name: str) -> str | None:
        """The plugin that gave a command."""
        return None if self._host is None else self._host.hooks.commands.plugin_of(name)

    def close(self) -> None:
        """Close the host, if there is one."""
        if self._host is not None:
            self._host.close()


def deployment_of(ctx: click.Context) -> Deployment:
    """The deployment of a command line, also of one that a shell completes."""
    found = ctx.find_object(Deployment)
    if found is None:
        found = ctx.find_root().obj = Deployment(ctx.find_root().params.get("config"))
        ctx.call_on_close(found.close)
    return found
