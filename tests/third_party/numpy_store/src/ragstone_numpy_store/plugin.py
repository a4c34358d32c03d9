"""The plugin: a vector store for every corpus, or for those that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragstone.core import Table, hookimpl

if TYPE_CHECKING:
    from llama_index.core.vector_stores.types import BasePydanticVectorStore
    from pydantic import BaseModel

    from ragstone.core import Corpus, Host

ragstone_hooks = 1


class Options(Table):
    """The options of ``[plugins.numpy_store]``."""

    corpora: tuple[str, ...] = ()


@hookimpl
def ragstone_settings() -> type[BaseModel]:
    """The plugin's options."""
    return Options


@hookimpl
def ragstone_vector_store(host: Host, corpus: Corpus) -> BasePydanticVectorStore | None:
    """An empty store, which the host fills."""
    from .store import NumpyStore

    wanted = host.hooks.options(Options).corpora
    return NumpyStore() if not wanted or corpus.name in wanted else None
