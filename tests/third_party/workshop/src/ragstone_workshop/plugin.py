"""The plugin: a reader of notebooks, and a vector store for every corpus or for those that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragstone.core import Table, hookimpl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from llama_index.core.readers.base import BaseReader
    from llama_index.core.vector_stores.types import BasePydanticVectorStore
    from pydantic import BaseModel

    from ragstone.core import Corpus, Host

ragstone_hooks = 1


class Options(Table):
    """The options of ``[plugins.workshop]``."""

    corpora: tuple[str, ...] = ()


@hookimpl
def ragstone_settings() -> type[BaseModel]:
    """The plugin's options."""
    return Options


@hookimpl
def ragstone_readers() -> Mapping[str, BaseReader]:
    """Notebooks, which book chat then reads."""
    from .notebooks import NotebookReader

    return {".ipynb": NotebookReader()}


@hookimpl
def ragstone_vector_store(host: Host, corpus: Corpus) -> BasePydanticVectorStore | None:
    """An empty store, which the host fills."""
    from .store import MemoryStore

    wanted = host.hooks.options(Options).corpora
    return MemoryStore() if not wanted or corpus.name in wanted else None
