"""One typed method for each hook: pluggy is untyped, and no other module calls it.

LlamaIndex and what is made with it are imported by the methods that need them: loading them takes longer than most
commands do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from ..errors import EncoderError, PluginError, RagstoneError, SettingsError, SourceError, StorageError, failures
from ..health import Check
from ..runtime.forks import lazily
from ..settings import Settings
from ..settings_file import check_options
from . import results
from .commands import PluginCommands
from .manager import Plugins, reason_of
from .question_hooks import QuestionHooks
from .results import Shape, by_name, one, several

if TYPE_CHECKING:
    from llama_index.core.llms import LLM
    from llama_index.core.node_parser import NodeParser
    from llama_index.core.prompts import BasePromptTemplate
    from llama_index.core.readers.base import BaseReader
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import Document
    from llama_index.core.tools import BaseTool
    from llama_index.core.vector_stores.types import BasePydanticVectorStore, MetadataFilters

    from ..answering.assistant import Assistant
    from ..corpus import Corpus
    from ..embedding import Encoder
    from .encoder import Encoders

Options = TypeVar("Options", bound="BaseModel")


class Hooks:
    """What the plugins of a deployment give; each thing is made when it is first asked for. Got from ``Host.hooks``."""

    def __init__(self, settings: Settings, plugins: Plugins, encoders: Encoders, host: object) -> None:
        """Checks the plugins' options. ``host``: given to the hooks. Raises ``SettingsError``."""
        self._settings = settings
        self._plugins = plugins
        self._encoders = encoders
        self._host = host
        self._lock = encoders.lock  # a plugin's encoder may need other hooks, and they the encoder
        self._options = _checked_options(plugins, settings.plugins.options)
        #: The plugins' commands.
        self.commands = PluginCommands(plugins)
        #: What is called for each question.
        self.for_questions = QuestionHooks(plugins, host)

    def options(self, model: type[Options]) -> Options:
        """A plugin's typed options, by the model that it gave in ``ragstone_settings``."""
        for options in self._options.values():
            if isinstance(options, model):
                return options
        return model()

    @lazily
    def readers(self) -> Mapping[str, BaseReader]:
        """Readers by lower-case suffix or scheme; of two plugins the first keeps it."""
        given = self._by_name("ragstone_readers", results.readers_by_key, "readers for")
        return {key: reader for key, (_plugin, reader) in given.items()}

    def read(self, key: str, source: object, **arguments: Any) -> list[Document]:
        """What the reader of that suffix or scheme gives for a source. Raises ``SourceError``.

        What the reader raises besides, and what it gives that is no list of documents, is a ``SourceError`` too.
        """
        from llama_index.core.schema import Document

        reader = self.readers.get(key)
        if reader is None:
            raise SourceError(f"no plugin gives a reader for {key!r}", where=str(source), hint="see ragstone plugins")
        try:
            return list(several(Document)(reader.load_data(source, **arguments)))
        except RagstoneError:
            raise
        except failures() as error:
            raise SourceError(reason_of("its reader", error), where=str(source)) from error

    def node_parser(self, kind: str) -> NodeParser:
        """The node parser of that document type.

        Raises ``PluginError``, and ``EncoderError`` or ``SettingsError`` where a plugin's needs an encoder that is
        missing: no fault of the plugin.
        """
        found = self._node_parsers.get(kind)
        if found is None:
            known = ", ".join(self._node_parsers) or "none; see ragstone plugins"
            raise PluginError(f"no plugin gives a node parser for {kind!r}", hint=f"known: {known}")
        return found

    @lazily
    def _node_parsers(self) -> Mapping[str, NodeParser]:
        from llama_index.core.node_parser import NodeParser

        errors = (EncoderError, SettingsError)
        given = self._by_name("ragstone_node_parsers", by_name(NodeParser), "node_parsers for", errors)
        return {kind: parser for kind, (_plugin, parser) in given.items()}

    def vector_store(self, corpus: Corpus) -> BasePydanticVectorStore | None:
        """The first plugin's store for the corpus; ``None`` leaves it to the host's own."""
        from llama_index.core.vector_stores.types import BasePydanticVectorStore

        arguments = {"host": self._host, "corpus": corpus}
        calls = self._plugins.call("ragstone_vector_store", one(BasePydanticVectorStore), **arguments)
        return next((store for _plugin, store in calls), None)

    @property
    def encoder(self) -> Encoder:
        """The sentence encoder: the first plugin's that embeds something, else the host's own.

        Raises ``EncoderError``, ``SettingsError``.
        """
        return self._encoders.encoder

    def retriever(self, corpus: Corpus, top_k: int, filters: MetadataFilters | None = None) -> BaseRetriever:
        """The retriever of the corpus: the first plugin's, else the host's own."""
        return self.for_questions.retriever(corpus, top_k, filters)[1]

    @lazily
    def prompts(self) -> Mapping[str, BasePromptTemplate]:
        """Prompt templates by name; a later plugin replaces an earlier one's, and the deployment replaces any.

        Raises ``SettingsError`` for a replacement that no plugin's template has, or that leaves a variable out.
        """
        found: dict[str, BasePromptTemplate] = {}
        for _plugin, given in self._plugins.call("ragstone_prompts", results.prompts_like(found)):
            found.update(given)
        return {**found, **results.replaced_prompts(self._settings.prompts, found)}

    @lazily
    def llm(self) -> LLM | None:
        """The language model; ``None`` for the extractive answerer. Raises ``SettingsError``."""
        settings = self._settings.llm
        if settings.provider == "extractive":
            return None
        from llama_index.core.llms import LLM

        calls = self._plugins.call("ragstone_llm", one(LLM), (SettingsError,), settings=settings)
        given: LLM | None = next((llm for _plugin, llm in calls), None)
        if given is None:
            raise SettingsError(
                f"no plugin provides the language model {settings.provider!r}",
                where="[llm] provider",
                hint=self._plugins.failure_of(settings.provider)
                or "openai_like, gemini, or a plugin's; see ragstone plugins",
            )
        return given

    def pages(self) -> list[tuple[str, Any]]:
        """Plugins with pages, each with its ``flask.Blueprint``."""
        from ..answering import assistant as _loaded  # noqa: F401 - LlamaIndex, outside the plugins' time limits

        return list(self._plugins.call("ragstone_pages", host=self._host))

    @property
    def assistants(self) -> Mapping[str, Assistant]:
        """The assistants by name, of the plugins that work."""
        loaded = self._plugins.names
        return {name: made for name, (plugin, made) in self._made_assistants.items() if plugin in loaded}

    @lazily
    def _made_assistants(self) -> dict[str, tuple[str, Assistant]]:
        from ..answering import assistant as _loaded  # noqa: F401 - LlamaIndex, outside the plugins' time limits

        given = self._by_name("ragstone_assistants", results.assistants_by_name, "an assistant")
        for plugin, made in given.values():
            made.plugin = plugin
        return given

    @property
    def tools(self) -> Mapping[str, tuple[str, BaseTool]]:
        """The tools by name, each with its plugin, of the plugins that work."""
        loaded = self._plugins.names
        return {name: given for name, given in self._made_tools.items() if given[0] in loaded}

    @lazily
    def _made_tools(self) -> dict[str, tuple[str, BaseTool]]:
        from ..answering import assistant as _loaded  # noqa: F401 - LlamaIndex, outside the plugins' time limits

        return self._by_name("ragstone_tools", results.tools_by_name, "a tool")

    def checks(self, *, thorough: bool = False) -> Iterator[Check]:
        """The plugins' checks, which may ask other machines if ``thorough``. Raises ``StorageError``."""
        from ..answering import assistant as _loaded  # noqa: F401 - LlamaIndex, outside the plugins' time limits

        results_of = self._plugins.call(
            "ragstone_checks", results.checks, (StorageError,), host=self._host, thorough=thorough
        )
        for _plugin, given in results_of:
            yield from given

    def _by_name(
        self, hook: str, shape: Shape, what: str, may_raise: tuple[type[RagstoneError], ...] = ()
    ) -> dict[str, tuple[str, Any]]:
        """What the plugins give, by name, with its plugin. A name that two give is the first's; the second is disabled.

        ``what``: it is, before its name in the reason.
        """
        found: dict[str, tuple[str, Any]] = {}
        for plugin, given in self._plugins.call(hook, shape, may_raise, host=self._host):
            taken = next((name for name in given if name in found), None)
            if taken is not None:
                self._plugins.disable(plugin, f"both {found[taken][0]} and {plugin} give {what} {taken!r}")
                continue
            found.update((name, (plugin, each)) for name, each in given.items())
        return found


def _checked_options(plugins: Plugins, raw: Mapping[str, Any]) -> dict[str, BaseModel]:
    """The options by plugin. ``raw``: the tables ``[plugins.NAME]``. Raises ``SettingsError``."""
    found: dict[str, BaseModel] = {}
    for plugin, model in plugins.call("ragstone_settings", results.model_class):
        try:
            found[plugin] = check_options(plugin, model, raw.get(plugin, {}))
        except SettingsError as error:
            if plugin in raw:
                raise
            plugins.disable(plugin, str(error))  # a required option is not set
        except failures() as error:
            plugins.disable(plugin, reason_of("its settings model", error))
    known = {state.name for state in plugins}
    for name, table in raw.items():
        if name not in known:
            raise SettingsError(
                f"there is no plugin {name!r}" if isinstance(table, dict) else f"unknown key {name}",
                where="[plugins]",
                hint=f"known: {', '.join(sorted(known))}; also enabled, disabled",
            )
    return found
