"""The host: one open deployment, its life, its corpora, and what is asked of them."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial
from importlib import metadata
from typing import TYPE_CHECKING, TypeVar

import click

from ..errors import NotFound, PluginError, RagstoneError, StorageAway, StorageBusy, StorageError, TooLarge, is_failure
from ..health import Check
from ..hooks import results
from ..hooks.calls import Hooks
from ..hooks.manager import reason_of
from ..retrieval.models import Retrieval, check_top_k
from ..runtime.budget import check_budget
from ..runtime.lazy import lazily
from ..settings import Settings, read_settings
from .checks import check_catalog, check_encoder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from types import TracebackType

    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import NodeWithScore
    from llama_index.core.vector_stores.types import MetadataFilters

    from ..answering.synthesis import Synthesizer
    from ..catalog import Catalog
    from ..corpus import Corpus, CorpusInfo
    from ..vector_index import IndexFollowers

_log = logging.getLogger(__name__)

Thing = TypeVar("Thing")

#: Passages on which postprocessors are tried.
_TRIED = 3


class Host(Hooks):
    """Opens a deployment, loads its plugins and gives them every way in. A context manager::

        with Host.open("ragstone.toml") as host:
            print(host.assistant("book_chat").ask("What is a zero moment point?").text)

    Nothing that costs time (the encoder, readers, assistants) is made before it is needed. Safe to use from several
    threads.
    """

    def __init__(self, settings: Settings, *, plugins: dict[str, object] | None = None) -> None:
        """``plugins``: further plugins by name, beside the installed ones."""
        super().__init__(settings, plugins)
        self._corpora: dict[str, Corpus] = {}
        self._kinds: dict[str, str] = {}
        self._followers: IndexFollowers | None = None
        self._opened = self._closed = False
        self._once: dict[object, object] = {}
        self._for_long_life: list[Callable[[], None]] = []
        self._ends: list[Callable[[], None]] = []

    @classmethod
    def open(cls, config: Path | str | None = None, *, plugins: dict[str, object] | None = None) -> Host:
        """An open host; ``config`` as for ``read_settings``. Raises ``SettingsError`` or ``StorageError``."""
        host = cls(read_settings(config), plugins=plugins)
        host.start()
        return host

    def start(self) -> None:
        """Open the catalog and tell the plugins; once."""
        if not self._opened:
            _ = self.catalog
            self._opened, self._closed = True, False
            try:
                for _name, _result in self._plugins.call("ragstone_opened", host=self):
                    pass
            except StorageError:
                self.close()
                raise

    def try_plugins(self, known: Sequence[click.Command] = ()) -> None:
        """Fire the hooks that cost little, so that a plugin that fails is found out before it is needed.

        ``known``: the commands that the command line has without plugins.
        """
        _ = self.readers, self.prompts
        self.add_commands(click.Group("ragstone", commands=known))
        if self.settings.data_dir.is_dir():  # looking at the plugins makes no data folder
            self.start()
            _ = self.assistants, self.tools
            for _check in self.plugin_checks():
                pass
            self.try_postprocessors()

    def try_postprocessors(self) -> None:
        """Show each corpus's first passages to its postprocessors, so that one that fails is found out."""
        from llama_index.core.schema import NodeWithScore

        _ = self.assistants  # they bring their corpora
        for corpus in list(self._corpora.values()):
            if corpus.exists:
                nodes = tuple(NodeWithScore(node=node, score=1.0) for node in corpus.first_nodes(_TRIED))
                while self._postprocessed(corpus, Retrieval("What is this about?", nodes)) is None:
                    pass

    def close(self) -> None:
        """Tell the plugins, stop what follows, let go of the catalog. A fork leaves all that to who opened it."""
        if not self._opened or self._lock.is_fork:
            return
        self._opened, self._closed = False, True
        if self._followers is not None:  # before the plugins, whose stores it fills
            self._followers.stop()
        for end in reversed(self._ends):
            try:
                end()
            except Exception:  # the host closes all the same
                _log.exception("something was not closed in order")
        for name in self._plugins.names:
            try:
                self._plugins.call_one(name, "ragstone_closing", host=self)
            except StorageError as error:  # the host closes all the same
                _log.warning("plugin %s was closed without its storage: %s", name, error)
        if "catalog" in self.__dict__:
            self.catalog.close()

    def __enter__(self) -> Host:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # What there is

    @property
    def closed(self) -> bool:
        """Whether ``close`` has begun. What fails in a thread from then on fails because of it."""
        return self._closed

    @property
    def version(self) -> str:
        """Ragstone's version."""
        return metadata.version("ragstone")

    @lazily
    def catalog(self) -> Catalog:
        """The catalog. Raises ``StorageError``."""
        from ..catalog import Catalog

        return Catalog(self.settings.database, self.settings.data_dir)

    def once(self, make: Callable[[Host], Thing]) -> Thing:
        """What ``make`` makes of this host, made once in its life: a plugin's own place on it, by its own function."""
        with self._lock:
            if make not in self._once:
                self._once[make] = make(self)
            made: Thing = self._once[make]  # type: ignore[assignment]  # this very function made it
            return made

    def corpus(self, name: str, *, kind: str, hint: str = "add something to it first") -> Corpus:
        """The corpus of that name.

        ``kind``: the document type whose node parser cuts its documents. ``hint``: what to do while it is empty.
        Raises ``PluginError`` for another kind than the one it has.
        """
        with self._lock:
            if self._kinds.setdefault(name, kind) != kind:
                raise PluginError(
                    f"the corpus {name!r} is of the kind {self._kinds[name]!r} and cannot be of {kind!r} too",
                    hint="give the corpus another name",
                )
            if name not in self._corpora:
                from ..corpus import Corpus

                self._corpora[name] = Corpus(
                    name,
                    catalog=self.catalog,
                    encoder=lambda: self.encoder,
                    parser=lambda: self.node_parser(kind),
                    options=self.settings.retrieval,
                    hint=hint,
                )
                if self._followers is not None:
                    self._followers.add(self._corpora[name])
            return self._corpora[name]

    def corpora(self) -> tuple[CorpusInfo, ...]:
        """Every corpus of the deployment that holds something."""
        _ = self.assistants  # they bring their corpora
        return tuple(corpus.info() for corpus in self._corpora.values() if corpus.exists)

    def find_corpus(self, name: str) -> Corpus:
        """The corpus of that name. Raises ``NotFound``."""
        _ = self.assistants
        if name not in self._corpora:
            known = ", ".join(self._corpora) or "none"
            raise NotFound(f"there is no corpus {name!r}", hint=f"known: {known}")
        return self._corpora[name]

    # Asking

    def retrieve(
        self, corpus: Corpus, question: str, *, top_k: int, filters: MetadataFilters | None = None
    ) -> Retrieval:
        """What the corpus offers to a question: from a plugin's retriever or the host's own, postprocessed.

        Raises ``BadRequest`` for a ``top_k`` below 1.
        """
        from llama_index.core.instrumentation.events.retrieval import RetrievalEndEvent, RetrievalStartEvent

        from ..tracing import step

        check_top_k(top_k, most=None)
        with step("Host.retrieve", corpus=corpus.name, question=question, top_k=top_k) as retrieved:
            retrieved.emit(lambda: RetrievalStartEvent(str_or_query_bundle=question))
            retrieval = None
            while retrieval is None:  # at most once for each plugin: one that fails is taken out
                retrieval = self._postprocessed(corpus, self._retrieve(corpus, question, top_k, filters))
            nodes = list(retrieval.nodes)
            retrieved.emit(lambda: RetrievalEndEvent(str_or_query_bundle=question, nodes=nodes))
        return retrieval

    def _retrieve(self, corpus: Corpus, question: str, top_k: int, filters: MetadataFilters | None) -> Retrieval:
        check_budget()
        from ..retrieval.search import retrieve_with

        plugin, retriever = self._given_retriever(corpus, top_k, filters)
        retrieve = partial(retrieve_with, retriever, corpus, question, filters, results.nodes)
        if plugin is None:
            return retrieve()
        try:
            return self._plugins.run_for_question(
                plugin, "its retriever", lambda: results.retrieval(retrieve(), corpus.encoder.dimension)
            )
        except BaseException as error:
            expected = isinstance(error, RagstoneError) and not isinstance(error, PluginError)
            if expected or not is_failure(error):
                raise
            self.disable(plugin, reason_of("its retriever", error))
        return self._retrieve(corpus, question, top_k, filters)

    def _postprocessed(self, corpus: Corpus, retrieval: Retrieval) -> Retrieval | None:
        """What the plugins make of the passages; ``None`` where one failed, which may have spoilt them, and is out."""
        nodes, cut = list(retrieval.nodes), []
        for plugin, postprocessor in self.postprocessors(corpus):
            work = partial(_postprocess, postprocessor, list(nodes), retrieval.question)
            what = type(postprocessor).__name__
            try:
                given = self._plugins.run_for_question(plugin, what, work)
            except (StorageAway, StorageBusy, TooLarge):  # no plugin's fault
                raise
            except BaseException as error:
                if not is_failure(error):
                    raise
                self.disable(plugin, reason_of(what, error))
                return None
            kept = {node.node.node_id for node in given}
            cut += [(node, plugin) for node in nodes if node.node.node_id not in kept]
            nodes = given
        return replace(retrieval, nodes=tuple(nodes), cut=tuple(cut))

    def synthesizer(self, prompt: str) -> Synthesizer:
        """Extractive, unless the deployment sets a language model."""
        from ..answering.answer_cache import AnswerCache
        from ..answering.synthesis import Extractive, Generative

        if self.llm is None:
            return Extractive(self.encoder)
        if prompt not in self.prompts:
            raise PluginError(f"no plugin gives a prompt named {prompt!r}", hint="see ragstone plugins")
        asks = Generative(self.llm, self.prompts[prompt], self.settings.llm)
        if not self.settings.llm.remember:
            return asks
        return AnswerCache(asks, self.settings.data_dir / "answers", self.prompts[prompt], self.settings.llm)

    def checks(self) -> tuple[Check, ...]:
        """The host's own checks and the plugins'."""
        return tuple(check for look in self.check_parts().values() for check in look())

    def check_parts(self) -> dict[str, Callable[[], Sequence[Check]]]:
        """The checks by what they look at, for a caller that limits the time of each."""
        parts: dict[str, Callable[[], Sequence[Check]]] = {
            "encoder": lambda: [check_encoder(self)],
            "catalog": lambda: [check_catalog(self)],
        }
        if self._followers is not None:
            parts["index"] = self._followers.checks
        parts["plugins"] = self._plugin_checks
        return parts

    def _plugin_checks(self) -> Sequence[Check]:
        try:
            return list(self.plugin_checks())
        except StorageError as error:  # a database that is away for a moment is no plugin's fault
            return [Check("plugins", False, error.what)]

    # Long life

    def follow(self) -> None:
        """Let vector indexes follow the corpora from now on, in the background. For hosts that live long."""
        from ..vector_index import IndexFollowers

        with self._lock:
            if self._followers is None:
                self._followers = IndexFollowers(
                    self.catalog, self.settings.data_dir / "index", self.settings.index, self.vector_store
                )
                for corpus in self._corpora.values():
                    self._followers.add(corpus)
                self._followers.start()
                for start in self._for_long_life:
                    start()

    def when_closing(self, end: Callable[[], None]) -> None:
        """Call this when the host closes, the latest first: who makes something says how it ends (see ``once``)."""
        with self._lock:
            self._ends.append(end)

    def when_long_lived(self, start: Callable[[], None]) -> None:
        """Call this as soon as it is known that the host lives long (``follow``): for what works in the background."""
        with self._lock:
            self._for_long_life.append(start)
            if self._followers is not None:
                start()


def _postprocess(
    postprocessor: BaseNodePostprocessor, nodes: list[NodeWithScore], question: str
) -> list[NodeWithScore]:
    from llama_index.core.schema import QueryBundle

    return results.nodes(postprocessor.postprocess_nodes(nodes, query_bundle=QueryBundle(query_str=question)))
