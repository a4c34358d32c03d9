"""The host: opens a deployment, loads its plugins, and gives them every interface.

These are the names that every plugin needs; ``retrieval``, ``text``, ``citations``, ``answering``, ``llm``, ``cli``,
``runtime``, ``catalog``, ``errors``, ``host``, ``pages`` and ``testing`` have further public names in their
``__all__``. Everything else may change without notice. Each name is imported when it is first used: ``hookimpl`` alone
brings nothing but pluggy.
"""

from typing import TYPE_CHECKING

from .lazy_names import import_lazily, lazy_names

if TYPE_CHECKING:
    from .answering.answer import Answer, Citation, Delta, Sentence
    from .answering.assistant import Assistant
    from .answering.citation_format import CitationFormat
    from .answering.guard import CitedWarning, Guard, Verdict
    from .answering.profile import Profile, QuestionFilter
    from .answering.question import Question
    from .corpus import Corpus, CorpusInfo
    from .embedding import Encoder
    from .errors import (
        BadRequest,
        EncoderError,
        LLMBusy,
        LLMError,
        MissingExtra,
        NotFound,
        PluginError,
        RagstoneError,
        SettingsError,
        SourceError,
        StorageAway,
        StorageBusy,
        StorageDenied,
        StorageError,
        StorageFull,
        StorageLost,
        TooLarge,
        require_extra,
    )
    from .health import Check
    from .hooks.discovery import PluginState
    from .hooks.spec import HOOKS_VERSION
    from .host.host import Host
    from .ingestion.span_node_parser import SlicingNodeParser
    from .llm.settings import LLMSettings
    from .markers import hookimpl
    from .retrieval.follow_up import Turn
    from .settings import EncoderSettings, Settings
    from .settings_file import read_settings
    from .tables import Table

__all__ = [
    "HOOKS_VERSION",
    "Answer",
    "Assistant",
    "BadRequest",
    "Check",
    "Citation",
    "CitationFormat",
    "CitedWarning",
    "Corpus",
    "CorpusInfo",
    "Delta",
    "Encoder",
    "EncoderError",
    "EncoderSettings",
    "Guard",
    "Host",
    "LLMBusy",
    "LLMError",
    "LLMSettings",
    "MissingExtra",
    "NotFound",
    "PluginError",
    "PluginState",
    "Profile",
    "Question",
    "QuestionFilter",
    "RagstoneError",
    "Sentence",
    "Settings",
    "SettingsError",
    "SlicingNodeParser",
    "SourceError",
    "StorageAway",
    "StorageBusy",
    "StorageDenied",
    "StorageError",
    "StorageFull",
    "StorageLost",
    "Table",
    "TooLarge",
    "Turn",
    "Verdict",
    "hookimpl",
    "read_settings",
    "require_extra",
]

__getattr__, __dir__ = lazy_names(__name__)
import_lazily("llama_index.core")
