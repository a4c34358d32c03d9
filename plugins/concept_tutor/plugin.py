"""Concept tutor's door plate: every hook that it implements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragstone.core import hookimpl, require_extra

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import click
    from llama_index.core.node_parser import NodeParser
    from llama_index.core.readers.base import BaseReader
    from pydantic import BaseModel

    from ragstone.core import Check, Host

require_extra("tutor", "lxml", "requests")


@hookimpl
def ragstone_settings() -> type[BaseModel]:
    """The options of ``[plugins.concept_tutor]``."""
    from .settings import ConceptTutorSettings

    return ConceptTutorSettings


@hookimpl
def ragstone_readers(host: Host) -> Mapping[str, BaseReader]:
    """Pages of the wikis in the settings: ``mediawiki:WIKI/PAGE``."""
    from .wikis import WikiReader

    return {"mediawiki:": WikiReader(host)}


@hookimpl
def ragstone_node_parsers(host: Host) -> Mapping[str, NodeParser]:
    """Wiki pages, cut into chunks of their sections; and passages, which are chunks already."""
    from .plans.corpus import KIND, PassageParser
    from .settings import ConceptTutorSettings

    return {"mediawiki": host.options(ConceptTutorSettings).pages.node_parser(), KIND: PassageParser()}


@hookimpl
def ragstone_commands(cli: click.Group) -> None:
    """``ragstone tutor``."""
    from .commands import tutor

    cli.add_command(tutor)


@hookimpl
def ragstone_checks(host: Host) -> Sequence[Check]:
    """Whether there is a plan to learn from, and whether the wikis may be asked."""
    from .service import checks

    return checks(host)
