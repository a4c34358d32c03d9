"""The type of each file, by the rules of the settings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..settings import DocType, Rule, Strategy

#: How a file of a type is cut, unless its rule says otherwise.
_STRATEGIES: dict[DocType, Strategy] = {
    "prompt": "markdown",
    "note": "markdown",
    "procedure": "markdown",
    "exploration": "exploration",
    "email": "mail",
    "state": "state",
    "log": "log",
}


@dataclass(frozen=True)
class FileType:
    """What a file is and how it is cut."""

    doc_type: DocType
    strategy: Strategy


class FileTypes:
    """All rules in one regular expression, and all exclusions in another: an update matches thousands of paths."""

    def __init__(self, rules: tuple[Rule, ...], exclude: tuple[str, ...]) -> None:
        self._types = [FileType(rule.type, rule.strategy or _STRATEGIES[rule.type]) for rule in rules]
        ruled = "|".join(f"(?P<r{number}>{_pattern(rule.pattern)})" for number, rule in enumerate(rules))
        self._ruled = re.compile(ruled or r"(?!)", re.DOTALL)
        self._excluded = re.compile("|".join(_pattern(each) for each in exclude) or r"(?!)", re.DOTALL)

    def of(self, path: str) -> FileType | None:
        """The type of the file at this path (relative to the root, with ``/``); ``None`` if no rule names it."""
        found = self._ruled.fullmatch(path)
        return None if found is None else self._types[int(str(found.lastgroup)[1:])]

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
