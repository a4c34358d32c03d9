"""Which articles belong into the shard: by title, and never one id twice."""

from __future__ import annotations

import re
import sqlite3
from typing import TYPE_CHECKING

from ragstone.core import BadRequest, NotFound, TooLarge

if TYPE_CHECKING:
    from pathlib import Path

_LONGEST_PATTERN = 1000
_LARGEST_LIST = 256 * 2**20


class Choice:
    """By a list of titles and by a pattern that is searched in titles; without either everything is chosen."""

    def __init__(self, titles: Path | None, match: str | None) -> None:
        """Raises ``BadRequest`` for a pattern that is none, ``NotFound`` for a list that is not there."""
        self._titles = None if titles is None else read_titles(titles)
        self._match = None if match is None else compiled(match)

    def __call__(self, title: str) -> bool:
        """Whether an article with that title is wanted."""
        if self._titles is not None and plain(title) not in self._titles:
            return False
        return self._match is None or self._match.search(title) is not None


def plain(title: str) -> str:
    """The title with single spaces, as people write what MediaWiki writes with underscores."""
    return " ".join(title.replace("_", " ").split())


def read_titles(path: Path) -> frozenset[str]:
    """The titles in a file, one a line. Raises ``NotFound`` or ``BadRequest``."""
    try:
        with path.open("rb") as file:
            raw = file.read(_LARGEST_LIST + 1)
        if len(raw) > _LARGEST_LIST:
            raise TooLarge(f"the list of titles is larger than {_LARGEST_LIST >> 20} MB", where=str(path))
        found = frozenset(filter(None, map(plain, raw.decode("utf-8-sig").splitlines())))
    except FileNotFoundError:
        raise NotFound("there is no such list of titles", where=str(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequest(f"the list of titles cannot be read: {error}", where=str(path)) from error
    if not found:
        raise BadRequest("the list of titles is empty", where=str(path), hint="one title a line")
    return found


def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern. Raises ``BadRequest`` with the place of the fault.

    A pattern that takes too long for a title is not found out here: reading ends then, see ``feeding``.
    """
    if len(pattern) > _LONGEST_PATTERN:
        raise TooLarge(f"--match is longer than {_LONGEST_PATTERN} characters", hint="give the titles with --titles")
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadRequest(f"--match is no regular expression: {error}", where=pattern[:100]) from error


class Seen:
    """The ids so far, on disk: memory does not grow with them, and a later run knows them."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(path, isolation_level=None)
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.execute("PRAGMA synchronous=NORMAL")
        self._database.execute("CREATE TABLE IF NOT EXISTS ids (id TEXT PRIMARY KEY, place TEXT) WITHOUT ROWID")

    def is_new(self, name: str, place: str) -> bool:
        """Whether no article at another place has that id."""
        self._database.execute("INSERT OR IGNORE INTO ids VALUES (?, ?)", (name, place))
        row = self._database.execute("SELECT place FROM ids WHERE id = ?", (name,)).fetchone()
        return bool(row[0] == place)

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()
