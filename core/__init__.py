"""The host: opens a deployment, loads its plugins, and gives them every way in.

These are the public names; everything else in this package may change without notice.
"""

from .uncollected import uncollected

with uncollected():
    from .answering.answer import Answer, Citation, Delta, Timings
    from .answering.assistant import Assistant
    from .answering.draft import Sentence
    from .answering.extractive import Quote
    from .answering.extractive import choose as choose_quotes
    from .answering.findings import Findings, FoundPassage, find_passages
    from .answering.guard import CitedWarning, Guard, Verdict
    from .answering.profile import Profile
    from .answering.question import check_type, read_question
    from .catalog import PluginTables
    from .citations import CheckedSentence, Passages, split_answer
    from .citations.contradictions import Contradiction, contradictions
    from .cli.deployment import Deployment
    from .cli.lazy_group import LazyGroup
    from .cli.output import as_json as show_json
    from .cli.output import printable
    from .cli.output import progress as show_progress
    from .cli.output import table as show_table
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
        is_failure,
    )
    from .extras import require_extra
    from .health import Check
    from .hooks.manager import PluginState
    from .hooks.spec import HOOKS_VERSION
    from .host.host import Host
    from .host.llm_completion import ask_llm
    from .ingestion.pipeline import IngestProgress, IngestReport
    from .ingestion.span_node_parser import SlicingNodeParser
    from .llm.addresses import server_address
    from .llm.chat_client import ChatFailed, ChatReply, ChatServer, ask_chat
    from .markers import hookimpl
    from .retrieval.calibration import DEFAULT_THRESHOLD, FEWEST_CHUNKS, OFFERED, Calibration, calibrate
    from .retrieval.evidence_gate import Evidence
    from .retrieval.evidence_gate import evidence as weigh_evidence
    from .retrieval.follow_up import Turn
    from .retrieval.fusion import Scores, inverse_frequencies, rank
    from .retrieval.models import Retrieval
    from .retrieval.search import HybridRetriever, ScoredRetriever
    from .retrieval.top_k import best_of_sums
    from .runtime.budget import Budget, Places, check_budget, set_budget
    from .runtime.fork_server import Ended, ForkServer
    from .runtime.owned_files import OwnedFolders, remove_own_file, sync_folder, write_atomically
    from .runtime.sqlite_files import write_ahead
    from .runtime.subprocesses import apart
    from .settings import EncoderSettings, LLMSettings, Settings, Table, read_settings
    from .text.instructions import is_addressed
    from .text.packed_terms import is_packed, pack
    from .text.sanitizing import LIKE_LESS_THAN, harmless, one_line, visible
    from .text.segmentation import sentence_spans
    from .text.stemming import question_stems, stems

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
