"""Every hook that a plugin may implement. The contract is this file; `plugins/HOOKS.md` has an example for each.

A plugin is a module (or object) named by an entry point of the group ``ragstone``; it implements any of these as
functions marked with ``@hookimpl``. Hooks are called plugin by plugin in the deployment's order. A hook that raises,
takes longer than its time limit or returns another type disables its plugin and no other. Errors of a storage that is
away or busy are raised to the caller and disable no plugin.
"""

# mypy: disable-error-code="empty-body"

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..markers import hookspec

if TYPE_CHECKING:
    import click
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.llms import LLM
    from llama_index.core.node_parser import NodeParser
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.prompts import BasePromptTemplate
    from llama_index.core.readers.base import BaseReader
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.tools import BaseTool
    from llama_index.core.vector_stores.types import BasePydanticVectorStore, MetadataFilters
    from pydantic import BaseModel

    from ..answering.assistant import Assistant
    from ..corpus import Corpus
    from ..health import Check
    from ..host.host import Host
    from ..llm.settings import LLMSettings
    from ..settings import EncoderSettings

#: Increased when a hook or an argument is added, renamed or changes its meaning. A plugin's attribute
#: ``ragstone_hooks`` is the version that it was written for; a plugin for a later version is not loaded.
HOOKS_VERSION = 1


@hookspec
def ragstone_settings() -> type[BaseModel]:
    """Fires once when the plugin is loaded; returns the pydantic model of its table ``[plugins.NAME]``."""


@hookspec
def ragstone_opened(host: Host) -> None:
    """Fires when the host has opened and before anything is asked of it; returns nothing."""


@hookspec
def ragstone_serving(host: Host) -> None:
    """Fires when the host begins to live long, as a server does; starts what works in the background, and samples."""


@hookspec
def ragstone_closing(host: Host) -> None:
    """Fires when the host is about to close, while its catalog is still open; returns nothing."""


@hookspec
def ragstone_readers(host: Host) -> Mapping[str, BaseReader]:
    """Fires when readers are first needed; returns readers by lower-case suffix (``.md``) or scheme (``wiki:``)."""


@hookspec
def ragstone_node_parsers(host: Host) -> Mapping[str, NodeParser]:
    """Fires when node parsers are first needed; returns node parsers by document type (``book``)."""


@hookspec
def ragstone_vector_store(host: Host, corpus: Corpus) -> BasePydanticVectorStore | None:
    """Fires when a long-lived host lets an index follow a corpus; returns an empty or known store, or ``None``."""


@hookspec
def ragstone_retriever(host: Host, corpus: Corpus, top_k: int, filters: MetadataFilters | None) -> BaseRetriever | None:
    """Fires when a corpus is searched; returns the retriever that is to search it, or ``None`` to pass."""


@hookspec
def ragstone_postprocessors(host: Host, corpus: Corpus) -> Sequence[BaseNodePostprocessor]:
    """Fires when a corpus is searched; returns postprocessors that rerank, filter or check its chunks, in order."""


@hookspec
def ragstone_prompts() -> Mapping[str, BasePromptTemplate]:
    """Fires when prompts are first needed; returns templates by name (``book_chat/answer``); later plugins win."""


@hookspec
def ragstone_embed_model(settings: EncoderSettings) -> BaseEmbedding | None:
    """Fires when the encoder is first needed; returns the model that embeds texts, or ``None`` to pass."""


@hookspec
def ragstone_llm(settings: LLMSettings) -> LLM | None:
    """Fires when a language model is set and first needed; returns it, or ``None`` to pass."""


@hookspec
def ragstone_assistants(host: Host) -> Sequence[Assistant]:
    """Fires when assistants are first needed; returns the plugin's assistants, which every interface then has."""


@hookspec
def ragstone_tools(host: Host) -> Sequence[BaseTool]:
    """Fires when tools are first needed; returns functions that the interfaces for programs then offer."""


@hookspec
def ragstone_pages(host: Host) -> Any:
    """Fires when the web front is made; returns one ``flask.Blueprint`` with the plugin's pages."""


@hookspec
def ragstone_commands(cli: click.Group) -> None:
    """Fires when the command line starts; adds the plugin's commands to ``cli`` and returns nothing."""


@hookspec
def ragstone_checks(host: Host, thorough: bool) -> Sequence[Check]:
    """Fires when health is asked for; returns the plugin's checks, each done and with its result."""
