"""The host: opens a deployment, loads its plugins, and gives them every way in.

These are the public names; everything else in this package may change without notice.
"""

from .uncollected import uncollected

with uncollected():
    from .analysis import question_stems, stems
    from .answers import Answer, Citation, Delta, Timings
    from .assistants import Assistant
    from .budget import Budget, Places, check_budget, set_budget
    from .calibration import DEFAULT_THRESHOLD, FEWEST_CHUNKS, OFFERED, Calibration, calibrate
    from .catalog import PluginTables
    from .child import apart
    from .citations import CheckedSentence, Passages, split_answer
    from .citations.contradicting import Contradiction, contradictions
    from .cli.app import Deployment
    from .cli.lazy_group import LazyGroup
    from .cli.show import as_json as show_json
    from .cli.show import printable
    from .cli.show import progress as show_progress
    from .cli.show import table as show_table
    from .conversation import Turn
    from .corpus import Corpus, CorpusInfo
    from .drafts import Sentence
    from .encoder import Encoder
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
        is_failure,
    )
    from .extractive import Quote
    from .extractive import choose as choose_quotes
    from .fencing import LIKE_LESS_THAN, harmless, one_line, visible
    from .finding import Findings, FoundPassage, find_passages
    from .forking import Ended, ForkServer
    from .gate import Evidence
    from .gate import evidence as weigh_evidence
    from .guards import CitedWarning, Guard, Verdict
    from .health import Check
    from .highest import best_of_sums
    from .hookspecs import HOOKS_VERSION, hookimpl
    from .host import Host
    from .ingest import IngestProgress, IngestReport
    from .instructions import is_addressed
    from .llms.addresses import server_address
    from .llms.plain import ChatFailed, ChatReply, ChatServer, ask_chat
    from .llms.whole import ask_llm
    from .loading import PluginState, require_extra
    from .ownership import OwnedFolders, remove_own_file, sync_folder, write_atomically
    from .profiles import Profile
    from .questions import check_type, read_question
    from .ranking import Scores, inverse_frequencies, rank
    from .retrieval import HybridRetriever, Retrieval, ScoredRetriever
    from .second_look import is_packed, pack
    from .sentences import sentence_spans
    from .settings import EncoderSettings, LLMSettings, Settings, Table, read_settings
    from .slicing import SlicingNodeParser
    from .sqlite_files import write_ahead

__all__ = [
    "DEFAULT_THRESHOLD",
    "FEWEST_CHUNKS",
    "HOOKS_VERSION",
    "LIKE_LESS_THAN",
    "OFFERED",
    "Answer",
    "Assistant",
    "BadRequest",
    "Budget",
    "Calibration",
    "ChatFailed",
    "ChatReply",
    "ChatServer",
    "Check",
    "CheckedSentence",
    "Citation",
    "CitedWarning",
    "Contradiction",
    "Corpus",
    "CorpusInfo",
    "Delta",
    "Deployment",
    "Encoder",
    "EncoderError",
    "EncoderSettings",
    "Ended",
    "Evidence",
    "Findings",
    "ForkServer",
    "FoundPassage",
    "Guard",
    "Host",
    "HybridRetriever",
    "IngestProgress",
    "IngestReport",
    "LLMBusy",
    "LLMError",
    "LLMSettings",
    "LazyGroup",
    "MissingExtra",
    "NotFound",
    "OwnedFolders",
    "Passages",
    "Places",
    "PluginError",
    "PluginState",
    "PluginTables",
    "Profile",
    "Quote",
    "RagstoneError",
    "Retrieval",
    "ScoredRetriever",
    "Scores",
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
    "apart",
    "ask_chat",
    "ask_llm",
    "best_of_sums",
    "calibrate",
    "check_budget",
    "check_type",
    "choose_quotes",
    "contradictions",
    "find_passages",
    "harmless",
    "hookimpl",
    "inverse_frequencies",
    "is_addressed",
    "is_failure",
    "is_packed",
    "one_line",
    "pack",
    "printable",
    "question_stems",
    "rank",
    "read_question",
    "read_settings",
    "remove_own_file",
    "require_extra",
    "sentence_spans",
    "server_address",
    "set_budget",
    "show_json",
    "show_progress",
    "show_table",
    "split_answer",
    "stems",
    "sync_folder",
    "visible",
    "weigh_evidence",
    "write_ahead",
    "write_atomically",
]
