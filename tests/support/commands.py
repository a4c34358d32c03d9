"""A plugin's commands on a host that is open already."""

from __future__ import annotations

import click
from click.testing import CliRunner

from ragstone.core import Host
from ragstone.core.cli import Deployment


class Opened(Deployment):
    """A deployment whose host is open already."""

    def __init__(self, host: Host) -> None:
        super().__init__(None)
        self._opened = host

    def host(self) -> Host:
        return self._opened


def run(host: Host, *arguments: str, typed: str = "") -> str:
    """What ``ragstone`` prints on this host for a plugin's command; raises its error."""
    cli = click.Group("ragstone")
    host.hooks.commands.add(cli)
    done = CliRunner().invoke(cli, arguments, obj=Opened(host), input=typed, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output
