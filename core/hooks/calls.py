"""One typed method for each hook: pluggy is untyped, the wall stands here, and nobody else sees it.

LlamaIndex and what is made with it are imported by the methods that need them: loading them takes longer than most
commands do.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import (
    EncoderError,
    NotFound,
    PluginError,
    RagstoneError,
    SettingsError,
    SourceError,
    StorageError,
    is_failure,
)
from ..runtime.forks import OwnLock
from ..runtime.lazy import lazily
from ..settings import Settings, check_options
from . import results
from .manager import Plugins, reason_of
from .results import by_name, model_class, one, several, tools_by_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from llama_index.core.llms import LLM
    from llama_index.core.node_parser import NodeParser
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.prompts import BasePromptTemplate
    from llama_index.core.readers.base import BaseReader
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import Document
    from llama_index.core.tools import BaseTool
    from llama_index.core.vector_stores.types import BasePydanticVectorStore, MetadataFilters
    from pydantic import BaseModel

    from ..answering.assistant import Assistant
    from ..corpus import Corpus
    from ..embedding import Encoder
    from ..health import Check
    from .discovery import PluginState

Options = TypeVar("Options", bound="BaseModel")
Thing = TypeVar("Thing")


class Hooks:
    """What the plugins of a deployment give. ``Host`` is one, and what they are handed as their host."""

    def __init__(self, settings: Settings, plugins: dict[str, object] | None) -> None:
        """Loads the plugins, the given ones too, and checks their options. Raises ``SettingsError``."""
        self.settings = settings
        self._plugins = Plugins(settings.plugins, given=plugins, limits=settings.limits)
        self._lock = OwnLock()
        self._command_owners: dict[str, str] = {}
        self._options = self._checked_options()

    @property
    def plugins(self) -> tuple[PluginState, ...]:
        """Every plugin in calling order: loaded, disabled or failed, and why."""
        return self._plugins.states

    def disable(self, plugin: str, reason: str) -> None:
        """Take a plugin out because of what it did outside its hooks."""
        self._plugins.disable(plugin, reason)

    def note_failure(self, plugin: str, reason: str) -> None:
        """Say beside a plugin's state what it did wrong, for what is no reason to take it out, such as one page."""
        self._plugins.note(plugin, reason)

    def options(self, model: type[Options]) -> Options:
        """A plugin's typed options, by the model that it gave in ``ragstone_settings``."""
        for options in self._options.values():
            if isinstance(options, model):
                return options
        return model()

    @lazily
    def readers(self) -> Mapping[str, BaseReader]:
        """Readers by lower-case suffix or scheme; of two plugins the first keeps it."""
        from llama_index.core.readers.base import BaseReader

        return self._by_key("ragstone_readers", BaseReader, host=self)

    def read(self, key: str, source: object, **arguments: Any) -> list[Document]:
        """What the reader of that suffix or scheme gives for a source. Raises ``SourceError``.

        What the reader raises besides, and what it gives that is no list of documents, is a ``SourceError`` too.
        """
        reader = self.readers.get(key)
        if reader is None:
            raise SourceError(f"no plugin gives a reader for {key!r}", where=str(source), hint="see ragstone plugins")
        try:
            return results.documents(reader.load_data(source, **arguments))
        except RagstoneError:
            raise
        except BaseException as error:
            if not is_failure(error):
                raise
            raise SourceError(reason_of("its reader", error), where=str(source)) from error

    def node_parser(self, kind: str) -> NodeParser:
        """The node parser of that document type. Raises ``PluginError``."""
        found = self._node_parsers.get(kind)
        if found is None:
            raise PluginError(f"no plugin gives a node parser for {kind!r}", hint="see ragstone plugins")
        return found

    @lazily
    def _node_parsers(self) -> Mapping[str, NodeParser]:
        from llama_index.core.node_parser import NodeParser

        return self._by_key("ragstone_node_parsers", NodeParser, host=self)

    def vector_store(self, corpus: Corpus) -> BasePydanticVectorStore | None:
        """The first plugin's store for the corpus; ``None`` leaves it to the host's own."""
        from llama_index.core.vector_stores.types import BasePydanticVectorStore

        return self._first("ragstone_vector_store", BasePydanticVectorStore, host=self, corpus=corpus)

    @lazily
    def encoder(self) -> Encoder:
        """The sentence encoder: the first plugin's that embeds something, else the host's own.

        When a plugin's fails later, the host's own takes over, if its vectors can be compared. Raises ``EncoderError``,
        ``SettingsError``.
        """
        from llama_index.core.base.embeddings.base import BaseEmbedding

        from ..embedding import Encoder
        from ..embedding.default_model import default_embed_model

        settings = self.settings.encoder
        is_own = settings.provider == "minilm"
        own = partial(default_embed_model, settings, self.settings.cache_dir)
        calls = self._plugins.call("ragstone_embed_model", one(BaseEmbedding), (SettingsError,), settings=settings)
        for plugin, model in calls:
            try:
                made = Encoder(model, stand_in=own if is_own else None)
                made.embed_chunks([("heading", "text")])
            except EncoderError as error:
                self.disable(plugin, f"its encoder cannot be used: {error}")
            except BaseException as error:
                if not is_failure(error):
                    raise
                self.disable(plugin, reason_of("its encoder", error))
            else:
                return made
        if not is_own:
            raise EncoderError(
                f"no plugin provides the encoder {settings.provider!r}",
                where="[encoder] provider",
                hint=self._why_not(settings.provider),
            )
        return Encoder(own())

    def retriever(self, corpus: Corpus, top_k: int, filters: MetadataFilters | None = None) -> BaseRetriever:
        """The retriever of the corpus: the first plugin's, else the host's own."""
        return self._given_retriever(corpus, top_k, filters)[1]

    def _given_retriever(
        self, corpus: Corpus, top_k: int, filters: MetadataFilters | None
    ) -> tuple[str | None, BaseRetriever]:
        from llama_index.core.retrievers import BaseRetriever

        from ..retrieval.search import HybridRetriever

        arguments = {"host": self, "corpus": corpus, "top_k": top_k, "filters": filters}
        given = self._plugins.call("ragstone_retriever", one(BaseRetriever), **arguments)
        return next(given, (None, HybridRetriever(corpus, top_k=top_k, filters=filters)))

    def postprocessors(self, corpus: Corpus) -> list[tuple[str, BaseNodePostprocessor]]:
        """What reranks, filters or guards the corpus's passages, with its plugin, in the plugins' order."""
        from llama_index.core.postprocessor.types import BaseNodePostprocessor

        arguments = {"host": self, "corpus": corpus}
        calls = self._plugins.call("ragstone_postprocessors", several(BaseNodePostprocessor), **arguments)
        return [(plugin, postprocessor) for plugin, given in calls for postprocessor in given]

    @lazily
    def prompts(self) -> Mapping[str, BasePromptTemplate]:
        """Prompt templates by name; a later plugin replaces an earlier one's, and the deployment replaces any.

        Raises ``SettingsError`` for a replacement that no plugin's template has, or that leaves a variable out.
        """
        from .prompts import replaced_prompts

        found: dict[str, BasePromptTemplate] = {}
        for _plugin, given in self._plugins.call("ragstone_prompts", results.prompts_like(found)):
            found.update(given)
        return {**found, **replaced_prompts(self.settings.prompts, found)}

    @lazily
    def llm(self) -> LLM | None:
        """The language model; ``None`` for the extractive answerer. Raises ``SettingsError``."""
        settings = self.settings.llm
        if settings.provider == "extractive":
            return None
        from llama_index.core.llms import LLM

        calls = self._plugins.call("ragstone_llm", one(LLM), (SettingsError,), settings=settings)
        given: LLM | None = next((llm for _plugin, llm in calls), None)
        if given is None:
            raise SettingsError(
                f"no plugin provides the language model {settings.provider!r}",
                where="[llm] provider",
                hint=self._why_not(settings.provider) or "openai_like, gemini, or a plugin's; see ragstone plugins",
            )
        return given

    def pages(self) -> list[tuple[str, Any]]:
        """Plugins with pages, each with its ``flask.Blueprint``."""
        from ..answering import assistant as _loaded  # noqa: F401 - LlamaIndex, outside the plugins' time limits

        return list(self._plugins.call("ragstone_pages", host=self))

    def add_commands(self, cli: click.Group) -> None:
        """Let the plugins add their commands. A name that is taken stays with who had it; the other is disabled."""
        owners = dict.fromkeys(cli.commands, "ragstone")
        for plugin in self._plugins.names:
            own = click.Group(cli.name)
            self._plugins.call_one(plugin, "ragstone_commands", cli=own)
            if plugin not in self._plugins.names:
                continue
            try:
                results.commands(own)
            except TypeError as error:
                self.disable(plugin, reason_of("ragstone_commands", error))
                continue
            taken = [name for name in own.commands if name in owners]
            if taken:
                self.disable(plugin, f"both {owners[taken[0]]} and {plugin} give a command {taken[0]!r}")
                continue
            cli.commands.update(own.commands)
            owners.update(dict.fromkeys(own.commands, plugin))
        self._command_owners = owners

    def check_commands(self, cli: click.Group) -> None:
        """See that each command of a plugin can be shown in a list; a plugin whose cannot be is disabled."""
        for name, plugin in self._command_owners.items():
            command = cli.commands.get(name)
            if command is None or plugin not in self._plugins.names:
                continue
            try:
                self._plugins.run(plugin, f"its command {name!r}", command.get_short_help_str)
            except BaseException as error:
                if not is_failure(error):
                    raise
                self.disable(plugin, reason_of(f"its command {name!r}", error))
                for other in [each for each, owner in self._command_owners.items() if owner == plugin]:
                    cli.commands.pop(other, None)

    def plugin_of_command(self, name: str) -> str | None:
        """The plugin that gave the command line's command of that name."""
        owner = self._command_owners.get(name)
        return owner if owner in self._plugins.names else None

    @property
    def assistants(self) -> Mapping[str, Assistant]:
        """What can be asked, by name, of the plugins that are well."""
        loaded = self._plugins.names
        return {name: made for name, (plugin, made) in self._made_assistants.items() if plugin in loaded}

    @lazily
    def _made_assistants(self) -> dict[str, tuple[str, Assistant]]:
        """Assistants with their plugins. A name that two give belongs to the first; the second is disabled."""
        from ..answering import assistant as _loaded  # noqa: F401 - LlamaIndex, outside the plugins' time limits

        found: dict[str, tuple[str, Assistant]] = {}
        for plugin, given in self._plugins.call("ragstone_assistants", results.assistants, host=self):
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

    def plugin_of(self, assistant: str) -> str:
        """The plugin that gives the assistant of that name."""
        return self._made_assistants[assistant][0]

    def assistants_of(self, plugin: str) -> tuple[str, ...]:
        """The names of the assistants that the plugin gives."""
        return tuple(name for name, (giver, _made) in self._made_assistants.items() if giver == plugin)

    @property
    def tools(self) -> Mapping[str, tuple[str, BaseTool]]:
        """What programs may call besides asking, by name, each with its plugin, of the plugins that are well."""
        loaded = self._plugins.names
        return {name: given for name, given in self._made_tools.items() if given[0] in loaded}

    @lazily
    def _made_tools(self) -> dict[str, tuple[str, BaseTool]]:
        """Tools with their plugins. A name that two give belongs to the first; the second is disabled."""
        from ..answering import assistant as _loaded  # noqa: F401 - LlamaIndex, outside the plugins' time limits

        found: dict[str, tuple[str, BaseTool]] = {}
        for plugin, given in self._plugins.call("ragstone_tools", tools_by_name, host=self):
            if taken := next((name for name in given if name in found), None):
                self.disable(plugin, f"both {found[taken][0]} and {plugin} give a tool {taken!r}")
                continue
            found.update((name, (plugin, tool)) for name, tool in given.items())
        return found

    def plugin_checks(self, *, thorough: bool = False) -> Iterator[Check]:
        """The plugins' checks, which may ask other machines if ``thorough``. Raises ``StorageError``."""
        from ..answering import assistant as _loaded  # noqa: F401 - LlamaIndex, outside the plugins' time limits

        asked = self._plugins.call("ragstone_checks", results.checks, (StorageError,), host=self, thorough=thorough)
        for _plugin, given in asked:
            yield from given

    # Inside

    def _why_not(self, plugin: str) -> str | None:
        """Why the plugin of that name gives nothing, if there is one."""
        return next((state.reason for state in self.plugins if state.name == plugin), None)

    def _checked_options(self) -> dict[str, BaseModel]:
        found: dict[str, BaseModel] = {}
        raw = self.settings.plugins.options
        for plugin, model in self._plugins.call("ragstone_settings", model_class):
            try:
                found[plugin] = check_options(plugin, model, raw.get(plugin, {}))
            except SettingsError as error:
                if plugin in raw:
                    raise
                self.disable(plugin, str(error))  # its options have to be set, and nobody did
            except BaseException as error:
                if not is_failure(error):
                    raise
                self.disable(plugin, reason_of("its settings model", error))
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
