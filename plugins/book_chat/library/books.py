"""A book on the shelf, the short name that its title and edition give it, and the result of adding it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from ragstone.core.runtime import file_lock, storage_errors

from .files import LeftOut

FIRST_EDITION = "First Edition"
#: Characters.
LONGEST_TITLE, LONGEST_EDITION = 255, 50
_LONGEST_SLUG = 60
#: Seconds to wait for another process that stores a book of the same slug.
_PATIENCE = 600.0
#: Joiners: not printable for Python, and part of the spelling of Persian, Hindi and other languages, and of emoji.
_JOINERS = "\u200c\u200d"
#: Punctuation that distinguishes two titles: "C#" is not "C".
_SIGNS = "#*&@%"


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
    # What is cut off, or not ASCII, still distinguishes two books.
    return slug if slug and len(slug) <= _LONGEST_SLUG else _numbered(slug, named)


def slug_among(books: Iterable[Book], title: str, edition: str) -> str:
    """The slug of the book with that title and edition among ``books``, else one that no other book has.

    Titles that differ in punctuation and capitals alone are the same; ``C++`` and ``C#``, or two of other scripts with
    the same number, have the same short name, and are two books.
    """
    slug = slug_of(title, edition)
    key = _key(title, edition)
    known = {book.slug: _key(book.title, book.edition) for book in books}
    other = _numbered(slug, " ".join(key))
    return slug if known.get(slug, key) == key and known.get(other) != key else other


@contextmanager
def own_slug(locks: Path, about: dict[str, str], books: Callable[[], Iterable[Book]]) -> Iterator[str]:
    """The slug in ``about``, locked; another one where a book of another process has taken it since it was looked up.

    ``locks``: a folder. Raises ``StorageBusy`` while another process stores a book of that slug, and ``StorageError``.
    """
    with storage_errors(locks):
        locks.mkdir(mode=0o700, parents=True, exist_ok=True)
    while True:
        slug = about["book"]
        with file_lock(locks / f"{slug}.lock", f"another process stores the book {slug!r}", seconds=_PATIENCE):
            about["book"] = slug_among(books(), about["book_title"], about["edition"])
            if about["book"] == slug:
                yield slug
                return


def shown(text: str) -> str:
    """The text without signs that are not displayed."""
    return "".join(sign for sign in text if sign.isprintable() or sign in _JOINERS)


def _numbered(slug: str, named: str) -> str:
    return f"{slug[: _LONGEST_SLUG - 9].rstrip('-')}-{sha256(named.encode()).hexdigest()[:8]}".lstrip("-")


def _key(title: str, edition: str) -> tuple[str, ...]:
    """The letters, numbers and signs of both."""
    return tuple(
        "".join(sign for sign in text if unicodedata.category(sign)[0] in "LNMS" or sign in _SIGNS)
        for text in (unicodedata.normalize("NFKC", part).casefold() for part in (title, edition))
    )
