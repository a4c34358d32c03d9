"""Which file is of which kind: path patterns under the root, each with a document type and a way to cut it."""

from __future__ import annotations

import re
from dataclasses import dataclass
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
    _rule("**/*.mbox", "email"),
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
    "**/*.db-*",
    "**/*.sqlite*",
    "**/*~",
    "**/.#*",
    "**/*.sw?",
    "**/*.tmp",
    "**/*.part",
)


class Kinds:
    """The rules and what is left out, as one look each: five thousand paths are looked at in an update."""

    def __init__(self, rules: tuple[Rule, ...], exclude: tuple[str, ...]) -> None:
        self._kinds = [Kind(rule.type, rule.strategy or _USUAL[rule.type]) for rule in rules]
        ruled = "|".join(f"(?P<r{number}>{_pattern(rule.pattern)})" for number, rule in enumerate(rules))
        self._ruled = re.compile(ruled or r"(?!)", re.DOTALL)
        self._excluded = re.compile("|".join(_pattern(each) for each in exclude) or r"(?!)", re.DOTALL)

    def of(self, path: str) -> Kind | None:
        """The kind of the file at this path (relative to the root, with ``/``); ``None`` if no rule names it."""
        found = self._ruled.fullmatch(path)
        return None if found is None else self._kinds[int(str(found.lastgroup)[1:])]

    def excluded(self, path: str) -> bool:
        """Whether this file or folder itself is left out."""
        return self._excluded.fullmatch(path) is not None


def _pattern(pattern: str) -> str:
    """The pattern as a regular expression for whole paths; letters count as they are."""
    parts: list[str] = []
    for piece in re.findall(r"\*\*/|\*+|\?|[^*?]+", pattern.removeprefix("./").lstrip("/")):
        if piece == "**/":
            parts.append("(?:.+/)?")
        elif piece == "**":
            parts.append(".*")
        elif piece[0] == "*":
            parts.append("[^/]*")
        elif piece == "?":
            parts.append("[^/]")
        else:
            parts.append(re.escape(piece))
    return "".join(parts)
