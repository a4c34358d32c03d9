"""Which file is of which kind: path patterns under the root, each with a document type and a way to cut it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

from pydantic import Field

from ragstone.core import Table

DocType = Literal["prompt", "note", "procedure", "exploration", "email", "state", "log"]
Strategy = Literal["markdown", "exploration", "mail", "state", "log"]

DOC_TYPES: tuple[DocType, ...] = get_args(DocType)

_USUAL: dict[DocType, Strategy] = {
    "prompt": "markdown",
    "note": "markdown",
    "procedure": "markdown",
    "exploration": "exploration",
    "email": "mail",
    "state": "state",
    "log": "log",
}


class Rule(Table):
    """One entry of ``[[plugins.iris_memory.map]]``: the first whose pattern a path matches decides."""

    #: Relative to the root, with ``/``: ``*`` and ``?`` within a name, ``**`` for any folders.
    pattern: str = Field(min_length=1, max_length=500)
    type: DocType
    #: How it is cut; by default as its type usually is.
    strategy: Strategy | None = None


@dataclass(frozen=True)
class Kind:
    """What a file is and how it is cut."""

    doc_type: DocType
    strategy: Strategy


def _rule(pattern: str, doc_type: DocType, strategy: Strategy | None = None) -> Rule:
    return Rule(pattern=pattern, type=doc_type, strategy=strategy)


#: The specification's survey of an agent's home; then whatever else is Markdown or mail.
DEFAULT_MAP: tuple[Rule, ...] = (
    _rule("prompts/**/*.md", "prompt"),
    _rule("explorations/**/*.md", "exploration"),
    _rule("docs/operations/**/*.md", "procedure"),
    _rule("docs/services/**/*.md", "procedure"),
    _rule("docs/emails/**/*.txt", "email"),
    _rule("docs/emails/**/*.eml", "email"),
    _rule("docs/**/*.md", "note"),
    _rule("memory-legacy/procedures/**/*.md", "procedure"),
    _rule("memory-legacy/notes/**/*.md", "note"),
    _rule("logs/**/*.md", "log"),
    _rule("logs/**/*.log", "log"),
    _rule("logs/**/*.txt", "log"),
    _rule("state.json", "state"),
    _rule("OPERATIONS_MANUAL.md", "procedure"),
    _rule("**/*.md", "note"),
    _rule("**/*.eml", "email"),
)

#: Names of folders and files that nobody wants to remember, wherever they lie.
DEFAULT_EXCLUDE: tuple[str, ...] = (
    "**/.git",
    "**/.hg",
    "**/.svn",
    "**/venv",
    "**/.venv",
    "**/node_modules",
    "**/__pycache__",
    "**/*.pyc",
    "**/*.db",
    "**/*.sqlite*",
    "**/*~",
    "**/.#*",
    "**/*.sw?",
    "**/*.tmp",
    "**/*.part",
)


def kind_of(path: str, rules: tuple[Rule, ...]) -> Kind | None:
    """The kind of the file at this path (relative to the root, with ``/``); ``None`` if no rule names it."""
    for rule in rules:
        if matches(path, rule.pattern):
            return Kind(rule.type, rule.strategy or _USUAL[rule.type])
    return None


def matches(path: str, pattern: str) -> bool:
    """Whether the whole path matches the pattern; letters count as they are."""
    return _compiled(pattern).fullmatch(path) is not None


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    parts: list[str] = []
    for piece in re.findall(r"\*\*/|\*+|\?|[^*?]+", pattern.removeprefix("./").lstrip("/")):
        if piece == "**/":
            parts.append("(?:[^/]+/)*+" if not parts else "(?:.+/)?")
        elif piece == "**":
            parts.append(".*")
        elif piece[0] == "*":
            parts.append("[^/]*")
        elif piece == "?":
            parts.append("[^/]")
        else:
            parts.append(re.escape(piece))
    return re.compile("".join(parts), re.DOTALL)
