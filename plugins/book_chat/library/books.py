"""A book on the shelf, the short name that its title and edition give it, and the result of adding it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .files import LeftOut

FIRST_EDITION = "First Edition"
#: Characters.
LONGEST_TITLE, LONGEST_EDITION = 255, 50
_LONGEST_SLUG = 60


@dataclass(frozen=True)
class Book:
    """A book on the shelf."""

    slug: str
    title: str
    edition: str


@dataclass(frozen=True)
class CountedBook(Book):
    """A book with its numbers of chapters, chunks and files, and of the sentences, items and rows of each kind."""

    chapters: int
    chunks: int
    files: int
    kinds: dict[str, int]


@dataclass
class AddReport:
    """The result of adding a book, file by file."""

    book: str
    title: str
    edition: str
    layout: str
    #: The folder of the pages within what was given.
    site: str = "."
    authors: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    #: Physical pages (from 1) of a PDF that show something and have no text, and those that cannot be loaded.
    needs_ocr: dict[str, list[int]] = field(default_factory=dict)
    broken_pages: dict[str, list[int]] = field(default_factory=dict)
    #: Pages that were read by OCR.
    ocr_pages: dict[str, list[int]] = field(default_factory=dict)
    chunks: int = 0


def by_title(book: Book) -> tuple[str, str, str]:
    """The order of the shelf."""
    return book.title.casefold(), book.edition, book.slug


def slug_of(title: str, edition: str) -> str:
    """A short name for addresses and the command line, the same for the same title and edition.

    ``Physical AI & Humanoid Robotics`` → ``physical-ai-humanoid-robotics``; another edition than the first is added.
    """
    named = title if edition == FIRST_EDITION else f"{title} {edition}"
    plain = unicodedata.normalize("NFKD", named).encode("ascii", "ignore").decode().lower()
    slug = "-".join(re.findall(r"[a-z0-9]+", plain))
    if len(slug) > _LONGEST_SLUG or not slug:
        # What is cut off, or not ASCII, still distinguishes two books.
        slug = f"{slug[: _LONGEST_SLUG - 9].rstrip('-')}-{sha256(named.encode()).hexdigest()[:8]}".lstrip("-")
    return slug
