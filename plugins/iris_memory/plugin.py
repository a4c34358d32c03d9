"""The hooks of iris_memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragstone.core import hookimpl

if TYPE_CHECKING:
    import click
    from llama_index.core.node_parser import NodeParser
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.prompts import BasePromptTemplate
    from llama_index.core.readers.base import BaseReader
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.tools import BaseTool
    from llama_index.core.vector_stores.types import MetadataFilters
    from pydantic import BaseModel

    from ragstone.core import Assistant, Check, Corpus, Host


@hookimpl
def ragstone_settings() -> type[BaseModel]:
    """The options of ``[plugins.iris_memory]``."""
    from .settings import IrisMemorySettings

    return IrisMemorySettings


@hookimpl
def ragstone_serving(host: Host) -> None:
    """Watch the memory's files, if the settings say so."""
    from .indexing.watcher import background_watcher

    host.once(background_watcher)


@hookimpl
def ragstone_readers(host: Host) -> Mapping[str, BaseReader]:
    """Text, mail, state and transcripts, by schemes of their own: a suffix here would be read by other plugins too."""
    from .readers.files import TextReader
    from .readers.mail import MailReader
    from .readers.state import StateReader
    from .readers.transcript import TranscriptReader
    from .settings import IrisMemorySettings

    longest = host.hooks.options(IrisMemorySettings).max_bytes
    return {
        "memory-text:": TextReader(longest),
        "memory-mail:": MailReader(longest),
        "memory-state:": StateReader(longest),
        "memory-transcript:": TranscriptReader(longest),
    }


@hookimpl
def ragstone_node_parsers(host: Host) -> Mapping[str, NodeParser]:
    """The files of a memory, each cut by its strategy."""
    from .indexing.memory import memory_of
    from .parsers.node_parser import MemoryNodeParser
    from .settings import CORPUS, IrisMemorySettings

    options = host.hooks.options(IrisMemorySettings)
    parser = MemoryNodeParser(
        minimum=options.min_chunk_tokens,
        maximum=options.max_chunk_tokens,
        overlap=options.overlap_tokens,
        count_tokens=lambda text: memory_of(host).corpus.encoder.count_tokens(text),  # noqa: PLW0108 - the encoder is made when it is needed
    )
    return {CORPUS: parser}


@hookimpl
def ragstone_retriever(host: Host, corpus: Corpus, top_k: int, filters: MetadataFilters | None) -> BaseRetriever | None:
    """For the memory: the host's own search, and a light preference for later logs and mails."""
    from .settings import CORPUS, IrisMemorySettings

    if corpus.name != CORPUS:  # before the imports: the first question to every other corpus comes here too
        return None
    from .retrievers import MemoryRetriever

    return MemoryRetriever(corpus, top_k=top_k, filters=filters, options=host.hooks.options(IrisMemorySettings))


@hookimpl
def ragstone_postprocessors(host: Host, corpus: Corpus) -> Sequence[BaseNodePostprocessor]:
    """For the memory: no mail that is too old, and of several versions of a note the newest."""
    from .settings import CORPUS, IrisMemorySettings

    if corpus.name != CORPUS:
        return []
    from .recall.postprocessors import CurrentChunks

    options = host.hooks.options(IrisMemorySettings)
    return [CurrentChunks(days=options.mail_days, share=options.same_share)]


@hookimpl
def ragstone_prompts() -> Mapping[str, BasePromptTemplate]:
    """The instructions of a language model that answers."""
    from .prompts import prompts

    return prompts()


@hookimpl
def ragstone_assistants(host: Host) -> Sequence[Assistant]:
    """The assistant ``memory``."""
    from .assistant import assistant

    return [assistant(host)]


@hookimpl
def ragstone_tools(host: Host) -> Sequence[BaseTool]:
    """The block for a prompt, for programs."""
    from .tools import tools

    return tools(host)


@hookimpl
def ragstone_pages(host: Host) -> Any:
    """The page that a citation opens."""
    from .pages import blueprint

    return blueprint(host)


@hookimpl
def ragstone_commands(cli: click.Group) -> None:
    """``ragstone memory``."""
    from ragstone.core.cli import LazyGroup

    modules = {"forget": "indexing", "query": "query", "status": "indexing", "update": "indexing", "watch": "indexing"}
    paths = {name: f"{__package__}.commands.{module}.{name}" for name, module in modules.items()}
    text = "An agent's files as its memory: update, watch, query, forget."
    cli.add_command(LazyGroup("memory", help=text, lazy_subcommands=paths))


@hookimpl
def ragstone_checks(host: Host) -> Sequence[Check]:
    """Whether the folder to remember is there and can be watched."""
    from .checks import checks

    return checks(host)
