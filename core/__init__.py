"""The host: opens a deployment, loads its plugins, and gives them every interface.

These are the names that every plugin needs; ``retrieval``, ``text``, ``citations``, ``answering``, ``llm``, ``cli``,
``runtime``, ``catalog``, ``errors``, ``pages`` and ``testing`` have further public names in their ``__all__``.
Everything else may change without notice. Each name is imported when it is first used: ``hookimpl`` alone brings
nothing but pluggy.
"""

from typing import TYPE_CHECKING

from .lazy_names import lazy_names

if TYPE_CHECKING:
    from .answering.answer import Answer, Citation, Delta, Timings
    from .answering.assistant import Assistant
    from .answering.draft import Sentence
    from .answering.guard import CitedWarning, Guard, Verdict
    from .answering.profile import Profile
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
    )
    from .extras import require_extra
    from .health import Check
    from .hooks.discovery import PluginState
    from .hooks.spec import HOOKS_VERSION
    from .host.host import Host
    from .ingestion.pipeline import IngestProgress, IngestReport
    from .ingestion.span_node_parser import SlicingNodeParser
    from .markers import hookimpl
    from .retrieval.follow_up import Turn
    from .settings import EncoderSettings, LLMSettings, Settings, Table, read_settings

__all__ = [
    "HOOKS_VERSION",
    "Answer",
    "Assistant",
    "BadRequest",
    "Check",
    "Citation",
    "CitedWarning",
    "Corpus",
    "CorpusInfo",
    "Delta",
    "Encoder",
    "EncoderError",
    "EncoderSettings",
    "Guard",
    "Host",
    "IngestProgress",
    "IngestReport",
    "LLMBusy",
    "LLMError",
    "LLMSettings",
    "MissingExtra",
    "NotFound",
    "PluginError",
    "PluginState",
    "Profile",
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
    "Timings",
    "TooLarge",
    "Turn",
    "Verdict",
    "hookimpl",
    "read_settings",
    "require_extra",
]

#: The names of each module.
_NAMES = {
    "answering.answer": "Answer Citation Delta Timings",
    "answering.assistant": "Assistant",
    "answering.draft": "Sentence",
    "answering.guard": "CitedWarning Guard Verdict",
    "answering.profile": "Profile",
    "corpus": "Corpus CorpusInfo",
    "embedding": "Encoder",
    "errors": "BadRequest EncoderError LLMBusy LLMError MissingExtra NotFound PluginError RagstoneError "
    "SettingsError SourceError StorageAway StorageBusy StorageDenied StorageError StorageFull StorageLost TooLarge",
    "extras": "require_extra",
    "health": "Check",
    "hooks.discovery": "PluginState",
    "hooks.spec": "HOOKS_VERSION",
    "host.host": "Host",
    "ingestion.pipeline": "IngestProgress IngestReport",
    "ingestion.span_node_parser": "SlicingNodeParser",
    "markers": "hookimpl",
    "retrieval.follow_up": "Turn",
    "settings": "EncoderSettings LLMSettings Settings Table read_settings",
}
__getattr__, __dir__ = lazy_names(__name__, _NAMES)
