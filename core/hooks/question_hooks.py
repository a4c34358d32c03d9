"""The hooks that are called for each question, with the plugin of what they give: one that fails is disabled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .results import one, several

if TYPE_CHECKING:
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.vector_stores.types import MetadataFilters

    from ..corpus import Corpus
    from .manager import Plugins


class QuestionHooks:
    """Got from ``Hooks.for_questions``."""

    def __init__(self, plugins: Plugins, host: object) -> None:
        """``host``: given to the hooks."""
        self._plugins = plugins
        self._host = host

    def retriever(
        self, corpus: Corpus, top_k: int, filters: MetadataFilters | None
    ) -> tuple[str | None, BaseRetriever]:
        """The first plugin's retriever of the corpus with its plugin, else the host's own with ``None``."""
        from llama_index.core.retrievers import BaseRetriever

        from ..retrieval.search import HybridRetriever

        arguments = {"host": self._host, "corpus": corpus, "top_k": top_k, "filters": filters}
        given = self._plugins.call("ragstone_retriever", one(BaseRetriever), **arguments)
        return next(given, (None, HybridRetriever(corpus, top_k=top_k, filters=filters)))

    def postprocessors(self, corpus: Corpus) -> list[tuple[str, BaseNodePostprocessor]]:
        """What reranks, filters or guards the corpus's chunks, with its plugin, in the plugins' order."""
        from llama_index.core.postprocessor.types import BaseNodePostprocessor

        arguments = {"host": self._host, "corpus": corpus}
        calls = self._plugins.call("ragstone_postprocessors", several(BaseNodePostprocessor), **arguments)
        return [(plugin, postprocessor) for plugin, given in calls for postprocessor in given]
