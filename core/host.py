"""The host: one open deployment, with one typed method for each hook."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial
from importlib import metadata
from typing import TYPE_CHECKING, Any, TypeVar

import click
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import LLM
from llama_index.core.node_parser import NodeParser
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.prompts import BasePromptTemplate
from llama_index.core.readers.base import BaseReader
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import QueryBundle
from llama_index.core.vector_stores.types import BasePydanticVectorStore, MetadataFilters

from .assistants import Assistant
from .catalog import Catalog
from .contributions import by_name, model_class, one, several
from .corpus import Corpus, CorpusInfo
from .embed_models import default_embed_model
from .encoder import Encoder
from .errors import (
    EncoderError,
    NotFound,
    PluginError,
    RagstoneError,
    SettingsError,
    StorageAway,
    StorageBusy,
    StorageError,
)
from .forks import OwnLock
from .health import Check, check_catalog, check_encoder
from .index import Following
from .lazily import lazily
from .loading import Plugins, PluginState
from .prompts import replaced_prompts
from .remembering import Remembering
from .retrieval import HybridRetriever, Retrieval, retrieve_with
from .settings import Settings, check_options, read_settings
from .synthesis import Extractive, Generative, Synthesizer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import TracebackType

    from pydantic import BaseModel


_log = logging.getLogger(__name__)

Options = TypeVar("Options", bound="BaseModel")
Thing = TypeVar("Thing")


class Host:
    """Opens a deployment, loads its plugins and gives them every way in. A context manager::

        with Host.open("ragstone.toml") as host:
            print(host.assistant("book_chat").ask("What is a zero moment point?").text)

    Nothing that costs time (the encoder, readers, assistants) is made before it is needed. Safe to use from several
    threads.
    """

    def __init__(self, settings: Settings, *, plugins: dict[str, object] | None = None) -> None:
        """``plugins``: further plugins by name, beside the installed ones."""
        self.settings = settings
        self._plugins = Plugins(settings.plugins, given=plugins)
        self._lock = OwnLock()
        self._corpora: dict[str, Corpus] = {}
        self._following: Following | None = None
        self._opened = False
        self._options = self._checked_options()

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
            self._opened = True
            try:
                for _name, _result in self._plugins.call("ragstone_opened", host=self):
                    pass
            except StorageError:
                self.close()
                raise

    def try_plugins(self) -> None:
        """Fire the hooks that cost nothing, so that a plugin that raises is found out before it is needed."""
        _ = self.readers, self.prompts
        if self.settings.data_dir.is_dir():  # looking at the plugins makes no data folder
            self.start()
            _ = self.assistants

    def close(self) -> None:
        """Tell the plugins, stop what follows, let go of the catalog. A fork leaves all that to who opened it."""
        if not self._opened or self._lock.is_copy:
            return
        self._opened = False
        for name in self._plugins.names:
            try:
                self._plugins.call_one(name, "ragstone_closing", host=self)
            except StorageError as error:  # the host closes all the same
                _log.warning("plugin %s was closed without its storage: %s", name, error)
        if self._following is not None:
            self._following.stop()
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
    def version(self) -> str:
        """Ragstone's version."""
        return metadata.version("ragstone")

    @property
    def plugins(self) -> tuple[PluginState, ...]:
        """Every plugin in calling order: loaded, disabled or failed, and why."""
        return self._plugins.states

    def disable(self, plugin: str, reason: str) -> None:
        """Take a plugin out because of what it did outside its hooks."""
        self._plugins.disable(plugin, reason)

    @lazily
    def catalog(self) -> Catalog:
        """The catalog. Raises ``StorageError``."""
        return Catalog(self.settings.database, self.settings.data_dir)

    @lazily
    def encoder(self) -> Encoder:
        """The sentence encoder: the first plugin's that embeds something, else the host's own.

        When a plugin's fails later, the host's own takes over, if its vectors can be compared. Raises ``EncoderError``.
        """
        settings = self.settings.encoder
        own = partial(default_embed_model, settings, self.settings.cache_dir)
        for plugin, model in self._plugins.call("ragstone_embed_model", one(BaseEmbedding), settings=settings):
            try:
                return Encoder(model, stand_in=own)
            except EncoderError as error:
                self.disable(plugin, f"its encoder cannot be used: {error}")
        return Encoder(own())

    def corpus(self, name: str, *, kind: str, hint: str = "add something to it first") -> Corpus:
        """The corpus of that name.

        ``kind``: the document type whose node parser cuts its documents. ``hint``: what to do while it is empty.
        """
        with self._lock:
            if name not in self._corpora:
                self._corpora[name] = Corpus(
                    name,
                    catalog=self.catalog,
                    encoder=lambda: self.encoder,
                    parser=lambda: self.node_parser(kind),
                    options=self.settings.retrieval,
                    hint=hint,
                )
                if self._following is not None:
                    self._following.add(self._corpora[name])
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

    @property
    def assistants(self) -> Mapping[str, Assistant]:
        """What can be asked, by name, of the plugins that are well."""
        loaded = self._plugins.names
        return {name: made for name, (plugin, made) in self._made_assistants.items() if plugin in loaded}

    @lazily
    def _made_assistants(self) -> dict[str, tuple[str, Assistant]]:
        """Assistants with their plugins. A name that two give belongs to the first; the second is disabled."""
        found: dict[str, tuple[str, Assistant]] = {}
        for plugin, given in self._plugins.call("ragstone_assistants", several(Assistant), host=self):
            taken = next((made.name for made in given if made.name in found), None)
            if taken is not None:
                self.disable(plugin, f"both {found[taken][0]} and {plugin} give an assistant {taken!r}")
                continue
            found.update({made.name: (plugin, made) for made in given})
        return found

    def assistant(self, name: str) -> Assistant:
        """The assistant of that name. Raises ``NotFound``."""
        found = self.assistants.get(name)
        if found is None:
            known = ", ".join(self.assistants) or "none; see ragstone plugins"
            raise NotFound(f"there is no assistant {name!r}", hint=f"known: {known}")
        return found

    # One method for each hook

    def options(self, model: type[Options]) -> Options:
        """A plugin's typed options, by the model that it gave in ``ragstone_settings``."""
        for options in self._options.values():
            if isinstance(options, model):
                return options
        return model()

    @lazily
    def readers(self) -> Mapping[str, BaseReader]:
        """Readers by lower-case suffix or scheme; of two plugins the first keeps it."""
        return self._by_key("ragstone_readers", BaseReader, host=self)

    def node_parser(self, kind: str) -> NodeParser:
        """The node parser of that document type. Raises ``PluginError``."""
        found = self._node_parsers.get(kind)
        if found is None:
            raise PluginError(f"no plugin gives a node parser for {kind!r}", hint="see ragstone plugins")
        return found

    @lazily
    def _node_parsers(self) -> Mapping[str, NodeParser]:
        return self._by_key("ragstone_node_parsers", NodeParser, host=self)

    def vector_store(self, corpus: Corpus) -> BasePydanticVectorStore | None:
        """The first plugin's store for the corpus; ``None`` leaves it to the host's own."""
        return self._first("ragstone_vector_store", BasePydanticVectorStore, corpus=corpus)

    def retrieve(
        self, corpus: Corpus, question: str, *, top_k: int, filters: MetadataFilters | None = None
    ) -> Retrieval:
        """What the corpus offers to a question: from a plugin's retriever or the host's own, postprocessed."""
        retrieval = self._retrieve(corpus, question, top_k, filters)
        nodes, cut = list(retrieval.nodes), []
        for plugin, postprocessor in self.postprocessors(corpus):
            before = nodes
            try:
                nodes = postprocessor.postprocess_nodes(nodes, query_bundle=QueryBundle(query_str=question))
            except (StorageAway, StorageBusy):  # no plugin's fault
                raise
            except Exception as error:
                self.disable(plugin, f"{type(postprocessor).__name__} raised {type(error).__name__}: {error}")
            kept = {node.node.node_id for node in nodes}
            cut += [(node, plugin) for node in before if node.node.node_id not in kept]
        return replace(retrieval, nodes=tuple(nodes), cut=tuple(cut))

    def retriever(self, corpus: Corpus, top_k: int, filters: MetadataFilters | None = None) -> BaseRetriever:
        """The retriever of the corpus: the first plugin's, else the host's own."""
        return self._given_retriever(corpus, top_k, filters)[1]

    def _given_retriever(
        self, corpus: Corpus, top_k: int, filters: MetadataFilters | None
    ) -> tuple[str | None, BaseRetriever]:
        arguments = {"host": self, "corpus": corpus, "top_k": top_k, "filters": filters}
        given = self._plugins.call("ragstone_retriever", one(BaseRetriever), **arguments)
        return next(given, (None, HybridRetriever(corpus, top_k=top_k, filters=filters)))

    def _retrieve(self, corpus: Corpus, question: str, top_k: int, filters: MetadataFilters | None) -> Retrieval:
        plugin, retriever = self._given_retriever(corpus, top_k, filters)
        try:
            return retrieve_with(retriever, corpus, question, filters)
        except Exception as error:
            if plugin is None or isinstance(error, RagstoneError):
                raise
            self.disable(plugin, f"its retriever raised {type(error).__name__}: {error}")
        return self._retrieve(corpus, question, top_k, filters)

    def postprocessors(self, corpus: Corpus) -> list[tuple[str, BaseNodePostprocessor]]:
        """What reranks, filters or guards the corpus's passages, with its plugin, in the plugins' order."""
        calls = self._plugins.call("ragstone_postprocessors", several(BaseNodePostprocessor), corpus=corpus)
        return [(plugin, postprocessor) for plugin, given in calls for postprocessor in given]

    @lazily
    def prompts(self) -> Mapping[str, BasePromptTemplate]:
        """Prompt templates by name; a later plugin replaces an earlier one's, and the deployment replaces any.

        Raises ``SettingsError`` for a replacement that no plugin's template has, or that leaves a variable out.
        """
        found: dict[str, BasePromptTemplate] = {}
        for _plugin, given in self._plugins.call("ragstone_prompts", by_name(BasePromptTemplate)):
            found.update(given)
        return {**found, **replaced_prompts(self.settings.prompts, found)}

    def synthesizer(self, prompt: str) -> Synthesizer:
        """Extractive, unless the deployment sets a language model."""
        if self.llm is None:
            return Extractive(self.encoder)
        if prompt not in self.prompts:
            raise PluginError(f"no plugin gives a prompt named {prompt!r}", hint="see ragstone plugins")
        asks = Generative(self.llm, self.prompts[prompt], self.settings.llm)
        if not self.settings.llm.remember:
            return asks
        return Remembering(asks, self.settings.data_dir / "answers", self.prompts[prompt], self.settings.llm)

    @lazily
    def llm(self) -> LLM | None:
        """The language model; ``None`` for the extractive answerer. Raises ``SettingsError``."""
        settings = self.settings.llm
        if settings.provider == "extractive":
            return None
        calls = self._plugins.call("ragstone_llm", one(LLM), (SettingsError,), settings=settings)
        given: LLM | None = next((llm for _plugin, llm in calls), None)
        if given is None:
            named = next((state for state in self.plugins if state.name == settings.provider), None)
            raise SettingsError(
                f"no plugin provides the language model {settings.provider!r}",
                where="[llm] provider",
                hint=named.reason if named is not None else None,
            )
        return given

    def pages(self) -> list[tuple[str, Any]]:
        """Plugins with pages, each with its ``flask.Blueprint``."""
        return list(self._plugins.call("ragstone_pages", host=self))

    def add_commands(self, cli: click.Group) -> None:
        """Let the plugins add their commands. A name that is taken stays with who had it; the other is disabled."""
        owners = dict.fromkeys(cli.commands, "ragstone")
        for plugin in self._plugins.names:
            own = click.Group(cli.name)
            self._plugins.call_one(plugin, "ragstone_commands", cli=own)
            if plugin not in self._plugins.names:
                continue
            taken = [name for name in own.commands if name in owners]
            if taken:
                self.disable(plugin, f"both {owners[taken[0]]} and {plugin} give a command {taken[0]!r}")
                continue
            cli.commands.update(own.commands)
            owners.update(dict.fromkeys(own.commands, plugin))

    def checks(self) -> tuple[Check, ...]:
        """The host's own checks and the plugins'."""
        found = [check_encoder(self), check_catalog(self)]
        if self._following is not None:
            found += self._following.checks()
        try:
            called = self._plugins.call("ragstone_checks", several(Check), (StorageError,), host=self)
            for _plugin, given in called:
                found += given
        except StorageError as error:  # a database that is away for a moment is no plugin's fault
            found.append(Check("plugins", False, error.what))
        return tuple(found)

    # Long life

    def follow(self) -> None:
        """Let vector indexes follow the corpora from now on, in the background. For hosts that live long."""
        with self._lock:
            if self._following is None:
                self._following = Following(self)
                for corpus in self._corpora.values():
                    self._following.add(corpus)
                self._following.start()

    # Inside

    def _checked_options(self) -> dict[str, BaseModel]:
        found: dict[str, BaseModel] = {}
        raw = self.settings.plugins.options
        for plugin, model in self._plugins.call("ragstone_settings", model_class):
            found[plugin] = check_options(plugin, model, raw.get(plugin, {}))
        known = {state.name for state in self.plugins}
        for name, table in raw.items():
            if name not in known:
                raise SettingsError(
                    f"there is no plugin {name!r}" if isinstance(table, dict) else f"unknown key {name}",
                    where="[plugins]",
                    hint=f"known: {', '.join(sorted(known))}; also enabled, disabled",
                )
        return found

    def _first(self, hook: str, kind: type[Thing], **arguments: Any) -> Thing | None:
        return next((result for _plugin, result in self._plugins.call(hook, one(kind), **arguments)), None)

    def _by_key(self, hook: str, kind: type[Thing], **arguments: Any) -> dict[str, Thing]:
        """What the plugins give, by key. Of two that give the same key the first keeps it; the second is disabled."""
        found: dict[str, Thing] = {}
        givers: dict[str, str] = {}
        for plugin, given in self._plugins.call(hook, by_name(kind), **arguments):
            taken = next((key for key in given if key in found), None)
            if taken is not None:
                what = hook.removeprefix("ragstone_")
                self.disable(plugin, f"both {givers[taken]} and {plugin} give {what} for {taken!r}")
                continue
            found.update(given)
            givers.update(dict.fromkeys(given, plugin))
        return found
