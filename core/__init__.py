"""The host: opens a deployment, loads its plugins, and gives them every way in.

These are the public names; everything else in this package may change without notice.
"""

from .answers import Answer, Citation, Delta, Timings
from .assistants import Assistant, Profile
from .cli.app import Deployment
from .cli.show import as_json as show_json
from .cli.show import printable
from .cli.show import progress as show_progress
from .cli.show import table as show_table
from .conversation import Turn
from .corpus import Corpus, CorpusInfo
from .drafts import Sentence
from .errors import (
    BadRequest,
    EncoderError,
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
    TooLarge,
)
from .guards import CitedWarning, Guard, Verdict
from .health import Check
from .hookspecs import hookimpl
from .host import Host
from .ingest import IngestProgress, IngestReport
from .loading import PluginState, require_extra
from .questions import read_question
from .retrieval import HybridRetriever, Retrieval, Scores
from .settings import EncoderSettings, LLMSettings, Settings, Table, read_settings

__all__ = [
    "Answer",
    "Assistant",
    "BadRequest",
    "Check",
    "Citation",
    "CitedWarning",
    "Corpus",
    "CorpusInfo",
    "Delta",
    "Deployment",
    "EncoderError",
    "EncoderSettings",
    "Guard",
    "Host",
    "HybridRetriever",
    "IngestProgress",
    "IngestReport",
    "LLMError",
    "LLMSettings",
    "MissingExtra",
    "NotFound",
    "PluginError",
    "PluginState",
    "Profile",
    "RagstoneError",
    "Retrieval",
    "Scores",
    "Sentence",
    "Settings",
    "SettingsError",
    "SourceError",
    "StorageAway",
    "StorageBusy",
    "StorageDenied",
    "StorageError",
    "StorageFull",
    "Table",
    "Timings",
    "TooLarge",
    "Turn",
    "Verdict",
    "hookimpl",
    "printable",
    "read_question",
    "read_settings",
    "require_extra",
    "show_json",
    "show_progress",
    "show_table",
]
