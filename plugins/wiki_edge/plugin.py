"""Wiki edge's door plate: every hook that it implements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragstone.core import hookimpl

if TYPE_CHECKING:
    from collections.abc import Mapping

    import click
    from llama_index.core.prompts import BasePromptTemplate
    from pydantic import BaseModel


@hookimpl
def ragstone_settings() -> type[BaseModel]:
    """The options of ``[plugins.wiki_edge]``."""
    from .settings import WikiEdgeSettings

    return WikiEdgeSettings


@hookimpl
def ragstone_prompts() -> Mapping[str, BasePromptTemplate]:
    """What a model is told before it helps a planner."""
    from .planner.prompts import prompts

    return prompts()


@hookimpl
def ragstone_commands(cli: click.Group) -> None:
    """``ragstone wiki``."""
    from .commands import wiki

    cli.add_command(wiki)
