"""Every hook that the concept tutor implements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragstone.core import hookimpl, require_extra

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import click
    from llama_index.core.node_parser import NodeParser
    from llama_index.core.prompts import BasePromptTemplate
    from llama_index.core.readers.base import BaseReader
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.vector_stores.types import MetadataFilters
    from pydantic import BaseModel

    from ragstone.core import Assistant, Check, Corpus, Host

require_extra("tutor", "fsrs", "lxml", "requests")


@hookimpl
def ragstone_settings() -> type[BaseModel]:
    """The options of ``[plugins.concept_tutor]``."""
    from .settings import ConceptTutorSettings

    return ConceptTutorSettings


@hookimpl
def ragstone_readers(host: Host) -> Mapping[str, BaseReader]:
    """Pages of the wikis in the settings: ``mediawiki:WIKI/PAGE``."""
    from .readers import WikiReader

    return {"mediawiki:": WikiReader(host)}


@hookimpl
def ragstone_node_parsers(host: Host) -> Mapping[str, NodeParser]:
    """Wiki pages, cut into chunks of their sections; and chunks, which are chunks already."""
    from .parsers import ChunkParser, ParsoidNodeParser
    from .plans import KIND
    from .settings import ConceptTutorSettings

    pages = host.hooks.options(ConceptTutorSettings).pages
    return {"mediawiki": ParsoidNodeParser.from_settings(pages), KIND: ChunkParser()}


@hookimpl
def ragstone_retriever(host: Host, corpus: Corpus, top_k: int, filters: MetadataFilters | None) -> BaseRetriever | None:
    """What the plans hold of the concepts in a question; every other corpus is left to others."""
    from .plans import NAME

    if corpus.name != NAME:  # before the imports: the first question to every other corpus comes here too
        return None
    from .retrievers import TutorRetriever

    return TutorRetriever(host, top_k, filters)


@hookimpl
def ragstone_prompts() -> Mapping[str, BasePromptTemplate]:
    """Templates for a plan, an explanation, questions and feedback to an answer."""
    from .prompts import prompts

    return prompts()


@hookimpl
def ragstone_assistants(host: Host) -> Sequence[Assistant]:
    """The assistant ``concept_tutor``."""
    from .assistant import assistant

    return [assistant(host)]


@hookimpl
def ragstone_pages(host: Host) -> Any:
    """Plans, learning, the chat, and the pages that citations open."""
    from .pages import blueprint

    return blueprint(host)


@hookimpl
def ragstone_serving(host: Host) -> None:
    """Give a first start the sample plan, and go on with searches for sources that were interrupted."""
    from .plans.gathering import Gathering
    from .plans.sample import add_sample

    add_sample(host)
    host.once(Gathering).resume()


@hookimpl
def ragstone_commands(cli: click.Group) -> None:
    """``ragstone tutor``."""
    from ragstone.core.cli import LazyGroup

    modules = {"plan": "plans", "sources": "plans", "seed": "files", "export": "files"}
    modules |= dict.fromkeys(("learn", "due", "questions", "anki", "gift", "text2qti", "qti"), "learning")
    modules |= dict.fromkeys(("explain", "progress", "learners"), "progress")
    paths = {name: f"{__package__}.commands.{module}.{name}" for name, module in modules.items()}
    text = "Study plans, their sources, and what is learned from them."
    cli.add_command(LazyGroup("tutor", help=text, lazy_subcommands=paths))


@hookimpl
def ragstone_checks(host: Host, thorough: bool) -> Sequence[Check]:
    """Whether there is a plan to learn from, and whether the wikis may be asked and answer."""
    from .checks import checks

    return checks(host, thorough=thorough)
