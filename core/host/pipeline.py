"""Retrieval and synthesis with the plugins' parts: retriever, postprocessors, synthesizer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from ..errors import PluginError, RagstoneError, StorageAway, StorageBusy, TooLarge, failures
from ..hooks import results
from ..hooks.calls import Hooks
from ..hooks.manager import Plugins, reason_of
from ..retrieval.models import Retrieval, check_top_k
from ..runtime.request import check_budget, in_scope
from ..runtime.time_limits import PluginTimeout
from ..settings import Settings

if TYPE_CHECKING:
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import NodeWithScore
    from llama_index.core.vector_stores.types import MetadataFilters

    from ..answering.synthesis import Synthesizer
    from ..catalog import Catalog
    from ..corpus import Corpus
    from ..embedding import Encoder

#: Chunks on which postprocessors are tried.
_TRIED = 3


class Pipeline:
    """Retrieves chunks and makes synthesizers with what the plugins give. Got from ``Host.pipeline``."""

    def __init__(
        self,
        settings: Settings,
        plugins: Plugins,
        hooks: Hooks,
        *,
        catalog: Callable[[], Catalog],
        corpora: Callable[[], Iterable[Corpus]],
    ) -> None:
        self._settings = settings
        self._plugins = plugins
        self._hooks = hooks
        self._catalog = catalog
        self._corpora = corpora

    def encoders(self) -> tuple[Encoder, ...]:
        """The encoders of the corpora that hold something, each once; without one the deployment's. Raises
        ``EncoderError``, ``StorageError``."""
        used = [corpus for corpus in self._corpora() if corpus.contents.exists]
        found = {corpus.encoder.fingerprint: corpus.encoder for corpus in used}
        return tuple(found.values()) or (self._hooks.encoder,)

    def retrieve(
        self, corpus: Corpus, question: str, *, top_k: int, filters: MetadataFilters | None = None
    ) -> Retrieval:
        """What the corpus offers to a question: from a plugin's retriever or the host's own, postprocessed.

        Raises ``BadRequest`` for a ``top_k`` below 1.
        """
        from llama_index.core.instrumentation.events.retrieval import RetrievalEndEvent, RetrievalStartEvent

        from ..retrieval.sentences import with_sentence_cosines
        from ..tracing import step

        check_top_k(top_k, most=None)
        with step("Pipeline.retrieve", corpus=corpus.name, question=question, top_k=top_k) as retrieved:
            retrieved.emit(lambda: RetrievalStartEvent(str_or_query_bundle=question))
            retrieval = None
            while retrieval is None:  # at most once for each plugin: one that fails is disabled
                found = self._retrieve(corpus, question, top_k, filters)
                # also what a retriever found that knows no filters
                nodes = tuple(each for each in found.nodes if in_scope(each.node.metadata))
                retrieval = self._postprocessed(corpus, replace(found, nodes=nodes), question)
            offered = list(retrieval.nodes)
            retrieved.emit(lambda: RetrievalEndEvent(str_or_query_bundle=question, nodes=offered))
        return with_sentence_cosines(retrieval, corpus.encoder) if retrieval.nodes else retrieval

    def _retrieve(self, corpus: Corpus, question: str, top_k: int, filters: MetadataFilters | None) -> Retrieval:
        check_budget()
        from ..retrieval.search import retrieve_with

        plugin, retriever = self._hooks.for_questions.retriever(corpus, top_k, filters)
        retrieve = partial(retrieve_with, retriever, corpus, question, filters, results.nodes)
        if plugin is None:
            return retrieve()
        try:
            return self._plugins.run_for_question(
                plugin, "its retriever", lambda: results.retrieval(retrieve(), corpus.encoder.dimension), question
            )
        except PluginTimeout:
            raise
        except failures() as error:
            if isinstance(error, RagstoneError) and not isinstance(error, PluginError):
                raise
            self._plugins.disable(plugin, reason_of("its retriever", error))
        return self._retrieve(corpus, question, top_k, filters)

    def _postprocessed(self, corpus: Corpus, retrieval: Retrieval, question: str) -> Retrieval | None:
        """The chunks after the postprocessors; ``None`` where one failed, may have changed them, and is disabled.

        ``question``: as of ``Plugins.run_for_question``.
        """
        nodes, cut = list(retrieval.nodes), []
        asked = self._hooks.for_questions.postprocessors(corpus)
        for plugin, postprocessor in asked:
            work = partial(_postprocess, postprocessor, list(nodes), retrieval.question)
            what = type(postprocessor).__name__
            try:
                given = self._plugins.run_for_question(plugin, what, work, question)
            except (StorageAway, StorageBusy, TooLarge, PluginTimeout):  # no plugin's fault, or one question's
                raise
            except failures() as error:
                self._plugins.disable(plugin, reason_of(what, error))
                return None
            kept = {node.node.node_id for node in given}
            cut += [(node, plugin) for node in nodes if node.node.node_id not in kept]
            nodes = given
        # A postprocessor may have given another text to a chunk.
        terms = {} if asked else retrieval.stored_terms
        return replace(retrieval, nodes=tuple(nodes), cut=tuple(cut), stored_terms=terms)

    def synthesizer(self, prompt: str) -> Synthesizer:
        """Extractive, unless the deployment sets a language model."""
        from ..answering.answer_cache import AnswerCache
        from ..answering.synthesis import Extractive, Generative

        if self._hooks.llm is None:
            return Extractive()
        if prompt not in self._hooks.prompts:
            raise PluginError(f"no plugin gives a prompt named {prompt!r}", hint="see ragstone plugins")
        asks = Generative(self._hooks.llm, self._hooks.prompts[prompt], self._settings.llm)
        if not self._settings.llm.remember:
            return asks
        return AnswerCache(asks, self._catalog(), self._hooks.prompts[prompt], self._settings.llm)

    def note_failure(self, plugin: str, reason: str) -> None:
        """Note in the plugin's state what failed, where that is no reason to disable it."""
        self._plugins.note(plugin, reason)

    def try_postprocessors(self) -> None:
        """Run each corpus's postprocessors on its first chunks, so that one that fails is found."""
        from llama_index.core.schema import NodeWithScore

        for corpus in self._corpora():
            if corpus.contents.exists:
                with corpus.catalog.read() as snapshot:
                    documents = snapshot.documents(corpus.contents.row(snapshot).id)
                    stored = (node for document in documents for node in snapshot.chunks.of_document(document.key))
                    nodes = tuple(NodeWithScore(node=node, score=1.0) for node in islice(stored, _TRIED))
                while self._postprocessed(corpus, Retrieval("What is this about?", nodes), "") is None:
                    pass


def _postprocess(
    postprocessor: BaseNodePostprocessor, nodes: list[NodeWithScore], question: str
) -> list[NodeWithScore]:
    from llama_index.core.schema import QueryBundle

    return results.nodes(postprocessor.postprocess_nodes(nodes, query_bundle=QueryBundle(query_str=question)))
