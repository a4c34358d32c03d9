"""A book on the shelf, and the short name that its title and edition give it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from hashlib import sha256

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
    """A book with its numbers of chapters, passages and files, and of the sentences, items and rows of each kind."""

    chapters: int
    chunks: int
    files: int
    kinds: dict[str, int]


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
