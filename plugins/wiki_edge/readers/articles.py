"""Articles as every source gives them: their titles are known before their text is parsed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

#: Characters that an article may have. The longest of the English Wikipedia have about two million.
LONGEST_ARTICLE = 4 * 2**20
#: Between the parts of a heading's path.
HEADING_SEPARATOR = " › "
#: As MediaWiki writes addresses: these stay as they are.
_SAFE = "/:@!$*(),;~'"

#: Increased whenever the same source would give another text.
ARTICLES_VERSION = 2


@dataclass(frozen=True)
class Block:
    """A paragraph, a list, or a table's rows."""

    text: str
    #: The path of headings above it, empty where there is none.
    heading: str = ""
    #: The section's anchor as in an address, without the ``#``.
    anchor: str = ""


@dataclass(frozen=True)
class Text:
    """An article's text, with the address and the revision where only the text has them."""

    blocks: list[Block]
    url: str | None = None
    revision: str | None = None


@dataclass(frozen=True)
class Span:
    """A part of a source, in the source's own measure: bytes, rows, articles, documents."""

    start: int
    #: The first one after it.
    stop: int
    #: Lines of the file before it, where errors name lines.
    line: int = 0


@dataclass(frozen=True)
class Page:
    """An article whose text has not been parsed yet."""

    id: str
    title: str
    #: Empty where the source has none.
    url: str
    #: Parses the text; to be called before the next page is asked for. Raises ``SourceError``.
    read: Callable[[], Text]
    revision: str | None = None
    #: ISO date and time of the revision.
    changed: str | None = None


@dataclass(frozen=True)
class About:
    """A source's own metadata; ``None`` where it has none."""

    language: str | None = None
    license: str | None = None
    revision: str | None = None
    date: str | None = None


@dataclass(frozen=True)
class Source(ABC):
    """A file with articles."""

    path: Path
    #: Before the titles in addresses; of a dump and a ZIM file in place of their own.
    prefix: str = ""
    #: What ``spans`` may write, by which spans are then read.
    beside: Path | None = None

    @property
    def copy(self) -> Path:
        """What spans are of: the copy beside, where there is one."""
        return self.beside if self.beside and self.beside.exists() else self.path

    @abstractmethod
    def about(self) -> About:
        """The source's own metadata. Raises ``SourceError``."""

    @abstractmethod
    def pages(self, span: Span | None = None) -> Iterator[Page]:
        """Its articles in order, or those of the span. Raises ``SourceError``."""

    @abstractmethod
    def spans(self, size: int) -> Iterator[Span]:
        """The whole source in spans of some ``size`` bytes of text, which can be read one without the other.

        A source that can only be read from its beginning is first copied beside. Raises ``SourceError``.
        """


def joined(blocks: Sequence[Block]) -> tuple[str, list[tuple[int, str, str]]]:
    """The blocks as one text, each section's own heading above its first block; and the text's sections.

    A section is ``(start, path of headings, anchor)``.
    """
    parts: list[str] = []
    sections: list[tuple[int, str, str]] = []
    length, before = 0, ("", "")
    for block in blocks:
        if (block.heading, block.anchor) != before:
            sections.append((length, block.heading, block.anchor))
        own = block.heading.rpartition(HEADING_SEPARATOR)[2] if block.heading != before[0] else ""
        parts.append(f"{own}\n{block.text}" if own else block.text)
        length += len(parts[-1]) + 2
        before = (block.heading, block.anchor)
    return "\n\n".join(parts), sections


def address(prefix: str, title: str) -> str:
    """The article's address as MediaWiki writes it; empty without a prefix."""
    return prefix + quote(title.replace(" ", "_"), safe=_SAFE) if prefix else ""


def fragment(heading: str) -> str:
    """The anchor of a section with that heading."""
    return quote("_".join(heading.split()), safe=_SAFE)
