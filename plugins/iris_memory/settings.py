"""The options of ``[plugins.iris_memory]``."""

from pathlib import Path
from typing import Literal, get_args

from pydantic import Field

from ragstone.core import Table

#: The corpus of all chunks, and its kind.
CORPUS = "memory"
DocType = Literal["prompt", "note", "procedure", "exploration", "email", "state", "log", "transcript"]
Strategy = Literal["markdown", "exploration", "mail", "state", "log", "chat", "transcript"]

DOC_TYPES: tuple[DocType, ...] = get_args(DocType)


class Rule(Table):
    """One entry of ``[[plugins.iris_memory.map]]``: the first whose pattern a path matches decides."""

    #: Relative to the root, with ``/``: ``*`` and ``?`` within a name, ``**`` for any folders.
    pattern: str = Field(min_length=1, max_length=500)
    type: DocType
    #: How it is cut; by default as its type usually is.
    strategy: Strategy | None = None


#: The specification's survey of an agent's home; then whatever else is Markdown or mail.
_DEFAULT_TYPES: dict[str, DocType] = {
    "prompts/**/*.md": "prompt",
    "explorations/**/*.md": "exploration",
    "docs/operations/**/*.md": "procedure",
    "docs/services/**/*.md": "procedure",
    "docs/emails/**/*.txt": "email",
    "docs/emails/**/*.eml": "email",
    "docs/**/*.md": "note",
    "memory-legacy/procedures/**/*.md": "procedure",
    "memory-legacy/notes/**/*.md": "note",
    "logs/**/*.md": "log",
    "logs/**/*.log": "log",
    "logs/**/*.txt": "log",
    "transcripts/**/*.jsonl": "transcript",
    ".claude/projects/**/*.jsonl": "transcript",
    ".codex/sessions/**/*.jsonl": "transcript",
    ".pi/agent/sessions/**/*.jsonl": "transcript",
    "state.json": "state",
    "OPERATIONS_MANUAL.md": "procedure",
    "**/*.md": "note",
    "**/*.eml": "email",
    "**/*.mbox": "email",
}
DEFAULT_MAP: tuple[Rule, ...] = (
    *(Rule(pattern=pattern, type=doc_type) for pattern, doc_type in _DEFAULT_TYPES.items()),
    *(Rule(pattern=f"chats/**/*.{suffix}", type="log", strategy="chat") for suffix in ("txt", "log")),
)

#: Folders and files of no use in a memory, at any depth.
DEFAULT_EXCLUDE: tuple[str, ...] = (
    *["**/.git", "**/.hg", "**/.svn", "**/venv", "**/.venv", "**/node_modules", "**/__pycache__"],
    *["**/*.pyc", "**/*.db", "**/*.db-*", "**/*.sqlite*", "**/*~", "**/.#*", "**/*.sw?", "**/*.tmp", "**/*.part"],
)


class IrisMemorySettings(Table):
    """Without ``root`` there is no memory; everything else has a default."""

    #: The folder that holds the agent's files.
    root: Path | None = None
    #: Which file is of which type; the first rule that matches decides.
    map: tuple[Rule, ...] = DEFAULT_MAP
    #: Patterns of what is left out, files and folders.
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE
    #: Days that a mail stays in memory; 0 for ever. The specification says 30 in one place and 60 in another.
    mail_days: int = Field(default=60, ge=0, le=36500)
    #: Bytes of the largest file that is read.
    max_bytes: int = Field(default=10_000_000, ge=1000, le=1_000_000_000)
    #: Tokens of the encoder that a chunk has at least (mail and state: any number) and at most.
    min_chunk_tokens: int = Field(default=50, ge=1, le=800)
    max_chunk_tokens: int = Field(default=800, ge=100, le=8000)
    #: Tokens that a chunk of an exploration shares with the one before.
    overlap_tokens: int = Field(default=50, ge=0, le=400)
    #: Seconds between two whole scans while watching, for missed events.
    rescan_seconds: float = Field(default=60.0, ge=1, le=86400)
    #: Whether a server watches the root as long as it runs.
    watch: bool = False
    #: Results of a query, and the cosine below which a chunk is none.
    n_results: int = Field(default=5, ge=1, le=100)
    min_relevance: float = Field(default=0.3, ge=-1, le=1)
    #: Tokens of the encoder that the whole block for a prompt may have.
    block_tokens: int = Field(default=3000, ge=100, le=1_000_000)
    #: What its date adds to the score (0 to 1.8) of a log or mail of now, and half of it after so many days.
    date_weight: float = Field(default=0.2, ge=0, le=2)
    half_life_days: float = Field(default=30.0, gt=0, le=36500)
    #: Share of a note's runs of three words that a newer note must have to supersede it; above 1 none does.
    same_share: float = Field(default=0.7, ge=0.1, le=2)
