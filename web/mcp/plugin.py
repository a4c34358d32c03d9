"""The hooks that the MCP interface implements; it is on wherever the extra ``mcp`` is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragstone.core import hookimpl, require_extra

if TYPE_CHECKING:
    import click

    from ragstone.core import Host

require_extra("mcp", "mcp")


@hookimpl
def ragstone_commands(cli: click.Group) -> None:
    """Add ``ragstone mcp``."""
    from .commands import mcp

    cli.add_command(mcp)


@hookimpl
def ragstone_pages(host: Host) -> Any:
    """``/mcp``, for programs."""
    from .pages import blueprint

    return blueprint(host)
