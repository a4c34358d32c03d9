"""Which articles are read: by title, and each id once."""

from __future__ import annotations

import io
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from heapq import nlargest
from operator import itemgetter
from pathlib import Path
from typing import TextIO

from ragstone.core import BadRequest, NotFound
from ragstone.core.runtime import open_regular


def title_filter(titles: Path | None, match: str | None) -> Callable[[str], bool]:
    """Whether an article with a title passes: by a list of titles and by a pattern that is searched in them; without
    either every one. Raises ``BadRequest`` for an invalid pattern, ``NotFound`` for a list that does not exist.

    A pattern that backtracks without end is not found here: the process that searches titles is then ended.
    """
    listed = None if titles is None else read_titles(titles)
    try:
        pattern = re.compile(match or "")
    except (re.error, OverflowError, RecursionError) as error:
        raise BadRequest(f"--match is no regular expression: {error}", where=str(match)[:100]) from error
    return lambda title: (listed is None or plain(title) in listed) and pattern.search(title) is not None


def plain(title: str) -> str:
    """The title with single spaces, as people write what MediaWiki writes with underscores."""
    return " ".join(title.replace("_", " ").split())


def read_titles(path: Path) -> frozenset[str]:
    """The titles in a file, one a line. Raises ``NotFound``, ``SourceError`` or ``BadRequest``."""
    with _lines_of(path, "list of titles") as lines:
        found = frozenset(filter(None, map(plain, lines)))
    if not found:
        raise BadRequest("the list of titles is empty", where=str(path), hint="one title a line")
    return found


def first_titles(path: Path, count: int) -> list[str]:
    """The titles with the highest counts in a file with a title, a space or a tab, and its count a line.

    Of equal ones the first; memory for ``count`` of them. Raises ``NotFound``, ``SourceError``, or ``BadRequest`` with
    the line.
    """
    found = [title for _, title in nlargest(count, _counts(path), key=itemgetter(0))]
    if not found:
        raise BadRequest("the list of titles with counts is empty", where=str(path), hint="Coffee cup 1234")
    return found


def _counts(path: Path) -> Iterator[tuple[int, str]]:
    with _lines_of(path, "list of titles with counts") as lines:
        for number, line in enumerate(lines, 1):
            title, _, views = line.strip().replace("\t", " ").rpartition(" ")
            if not line.strip():
                continue
            if not views.isascii() or not views.isdigit() or not plain(title):
                raise BadRequest("has no title and count", where=f"{path}:{number}", hint="Coffee cup 1234")
            yield int(views[:18]), plain(title)


@contextmanager
def _lines_of(path: Path, what: str) -> Iterator[TextIO]:
    if not path.exists():
        raise NotFound(f"there is no such {what}", where=str(path))
    try:
        with io.TextIOWrapper(open_regular(path), "utf-8-sig") as lines:
            yield lines
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequest(f"the {what} cannot be read: {error}", where=str(path)) from error


class SeenIds:
    """The ids so far, in a temporary file: memory does not grow with them."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("")
        self._database.execute("CREATE TABLE ids (id TEXT PRIMARY KEY) WITHOUT ROWID")

    def is_new(self, name: str) -> bool:
        """Whether the id is asked for the first time."""
        return self._database.execute("INSERT OR IGNORE INTO ids VALUES (?)", (name,)).rowcount == 1

    def close(self) -> None:
        """Remove the file."""
        self._database.close()
