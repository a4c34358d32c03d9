"""What flows out of every kind of source: pages that can be told from one another before their text is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

#: Characters that an article may have. The longest of the English Wikipedia have about two million.
LONGEST_ARTICLE = 4 * 2**20
#: Between the parts of a heading's path.
HEADING_SEPARATOR = " › "
#: As MediaWiki writes addresses: these stay as they are.
_SAFE = "/:@!$*(),;~'"

#: Raised whenever the same source would give other text.
ARTICLES_VERSION = 1

#: Where a source is to be read again: plain JSON that only the source itself understands.
Position = dict[str, Any]


@dataclass(frozen=True)
class Block:
    """A paragraph, a list, or a table's rows."""

    text: str
    #: The path of headings above it, empty where there is none.
    heading: str = ""
    #: The section's anchor as it stands in an address, without the ``#``.
    anchor: str = ""


@dataclass(frozen=True)
class Text:
    """What an article says, and what only its text tells about it."""

    blocks: list[Block]
    url: str | None = None
    revision: str | None = None


@dataclass(frozen=True)
class Page:
    """An article whose text has not been looked at yet."""

    id: str
    title: str
    #: Empty where nobody knows it.
    url: str
    #: Reads the text; to be called before the next page is asked for. Raises ``SourceError``.
    read: Callable[[], Text]
    #: Where the source begins again with this page.
    at: Position
    #: Bytes of the source, compressed as it lies on disk, that had been read.
    done: int
    revision: str | None = None
    #: ISO date and time of the revision.
    changed: str | None = None


@dataclass(frozen=True)
class About:
    """What a source says of itself; ``None`` where it says nothing."""

    kind: str
    #: Bytes on disk.
    size: int
    language: str | None = None
    license: str | None = None
    revision: str | None = None
    date: str | None = None


class Source(Protocol):
    """A file with articles."""

    def about(self) -> About:
        """What the source says of itself. Raises ``SourceError``."""

    def pages(self, start: Position | None) -> Iterator[Page]:
        """Its articles in order, from ``start`` on, which an earlier page gave. Raises ``SourceError``."""


def address(prefix: str, title: str) -> str:
    """The article's address as MediaWiki writes it; empty without a prefix."""
    return prefix + quote(title.replace(" ", "_"), safe=_SAFE) if prefix else ""


def fragment(heading: str) -> str:
    """The anchor of a section with that heading."""
    return quote("_".join(heading.split()), safe=_SAFE)


def anchored(url: str, anchor: str) -> str:
    """The address of the section."""
    return f"{url}#{anchor}" if url and anchor else url


def readable_size(path: Path) -> int:
    """Bytes of the file."""
    return path.stat().st_size
