"""The hooks that the web front implements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragstone.core import hookimpl, require_extra

if TYPE_CHECKING:
    import click
    from pydantic import BaseModel

require_extra("server", "flask", "waitress")


@hookimpl
def ragstone_settings() -> type[BaseModel]:
    """Give the options of the web front."""
    from .settings import WebSettings

    return WebSettings


@hookimpl
def ragstone_commands(cli: click.Group) -> None:
    """Add ``ragstone serve`` and ``ragstone key``."""
    from .commands import key, serve

    cli.add_command(serve)
    cli.add_command(key)
