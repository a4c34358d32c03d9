"""Iris memory's door plate: every hook that it implements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragstone.core import hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    import click
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.vector_stores.types import MetadataFilters
    from pydantic import BaseModel

    from ragstone.core import Corpus, Host


@hookimpl
def ragstone_settings() -> type[BaseModel]:
    """The options of ``[plugins.iris_memory]``."""
    from .settings import IrisMemorySettings

    return IrisMemorySettings


@hookimpl
def ragstone_opened(host: Host) -> None:
    """From now on the module's functions ask this host, unless another was open before."""
    from .recall.resident import RESIDENT

    RESIDENT.arrives(host)


@hookimpl
def ragstone_closing(host: Host) -> None:
    """The module's functions ask another."""
    from .recall.resident import RESIDENT

    RESIDENT.leaves(host)


@hookimpl
def ragstone_retriever(host: Host, corpus: Corpus, top_k: int, filters: MetadataFilters | None) -> BaseRetriever | None:
    """For the memory: the host's own search, and a light preference for later logs and mails."""
    from .recall.service import retriever

    return retriever(host, corpus, top_k, filters)


@hookimpl
def ragstone_postprocessors(host: Host, corpus: Corpus) -> Sequence[BaseNodePostprocessor]:
    """For the memory: of notes that say the same, the newest."""
    from .recall.service import postprocessors

    return postprocessors(host, corpus)


@hookimpl
def ragstone_commands(cli: click.Group) -> None:
    """``ragstone memory``."""
    from .commands import memory

    cli.add_command(memory)
