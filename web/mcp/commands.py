"""``ragstone mcp``."""

from __future__ import annotations

import click

from ragstone.core.cli import Deployment


@click.command(epilog="Example: ragstone mcp")
@click.pass_obj
def mcp(deployment: Deployment) -> None:
    """Serve the assistants as tools to an MCP client. It speaks over stdin and stdout until the client closes them."""
    from .stdio import talk  # half a second, which every other command would wait for

    talk(deployment.host())
