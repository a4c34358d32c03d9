"""Iris memory's door plate: every hook that it implements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragstone.core import hookimpl

if TYPE_CHECKING:
    import click
    from pydantic import BaseModel


@hookimpl
def ragstone_settings() -> type[BaseModel]:
    """The options of ``[plugins.iris_memory]``."""
    from .settings import IrisMemorySettings

    return IrisMemorySettings


@hookimpl
def ragstone_commands(cli: click.Group) -> None:
    """``ragstone memory``."""
    from .commands import memory

    cli.add_command(memory)
