"""The hooks that the plugin implements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ragstone.core import hookimpl

if TYPE_CHECKING:
    import click
    from llama_index.core.node_parser import NodeParser
    from llama_index.core.prompts import BasePromptTemplate
    from llama_index.core.readers.base import BaseReader
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.vector_stores.types import MetadataFilters
    from pydantic import BaseModel

    from ragstone.core import Assistant, Check, Corpus, Host


@hookimpl
def ragstone_settings() -> type[BaseModel]:
    """The options of ``[plugins.wiki_edge]``."""
    from .settings import WikiEdgeSettings

    return WikiEdgeSettings


@hookimpl
def ragstone_readers(host: Host) -> Mapping[str, BaseReader]:
    """ZIM files, dumps, and ``articles:`` for every format. Suffixes that others may read are left to the settings."""
    from .readers.article_reader import ArticleReader
    from .settings import WikiEdgeSettings

    suffixes = (".zim", ".xml.bz2", ".xml.gz", *host.hooks.options(WikiEdgeSettings).reader_suffixes)
    return dict.fromkeys(("articles:", *suffixes), ArticleReader())


@hookimpl
def ragstone_node_parsers(host: Host) -> Mapping[str, NodeParser]:
    """Articles, cut into chunks of 512 to 1,024 tokens."""
    from .parsers.article_parser import ArticleNodeParser

    return {"article": ArticleNodeParser.of(host.hooks.encoder)}


@hookimpl
def ragstone_prompts() -> Mapping[str, BasePromptTemplate]:
    """The prompts of answers and of the planner."""
    from .prompts import prompts

    return prompts()


@hookimpl
def ragstone_retriever(host: Host, corpus: Corpus, top_k: int, filters: MetadataFilters | None) -> BaseRetriever | None:
    """The shards, for the corpus ``wiki_edge``; ``None`` for every other corpus."""
    from .settings import NAME

    if corpus.name != NAME:  # before the imports: the first question to every other corpus comes here too
        return None
    from .retrievers import retriever

    return retriever(host, top_k, filters)


@hookimpl
def ragstone_assistants(host: Host) -> Sequence[Assistant]:
    """The assistant ``wiki_edge``."""
    from .assistant import assistant

    return [assistant(host)]


@hookimpl
def ragstone_checks(host: Host, thorough: bool) -> Sequence[Check]:
    """Whether every installed shard can be searched, and its files are as they were."""
    from .checks import checks

    return checks(host, thorough=thorough)


@hookimpl
def ragstone_commands(cli: click.Group) -> None:
    """``ragstone wiki``."""
    from ragstone.core.cli import LazyGroup

    modules = dict.fromkeys(("merge", "plan", "work"), "build")
    modules |= {"keygen": "publish", "sign": "publish", "verify": "info"}
    names = (*modules, "build", "episodes", "export", "info", "install", "publish", "search", "tend")
    paths = {name: f"{__package__}.commands.{modules.get(name, name)}.{name}" for name in names}
    text = "Shards of an encyclopedia: build, sign, install, search."
    cli.add_command(LazyGroup("wiki", help=text, lazy_subcommands=paths))
