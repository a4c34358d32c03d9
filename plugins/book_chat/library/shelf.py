"""The shelf: lists, adds and removes books."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from ragstone.core import BadRequest, NotFound, SourceError

from ..guardrails.simulation import HARDWARE, SIMULATION
from ..settings import BookChatSettings
from .documents import BookDocuments
from .manifest import LONGEST_EDITION, LONGEST_TITLE
from .pdf_files import PdfFiles

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ragstone.core import Corpus, Host
    from ragstone.core.ingestion import IngestProgress

    from .files import LeftOut
    from .layouts import BookLayout
    from .source_pages import SourcePage

CORPUS = "books"
KIND = "book"
_EMPTY = "put a book on the shelf: ragstone book add PATH"
FIRST_EDITION = "First Edition"
_LONGEST_SLUG = 60
#: Of a book's passages, about simulation and about real hardware each.
_LEAST_SHARE = 0.02


@dataclass(frozen=True)
class Book:
    """A book on the shelf."""

    slug: str
    title: str
    edition: str


@dataclass(frozen=True)
class CountedBook(Book):
    """A book with its numbers of chapters, passages and files."""

    chapters: int
    chunks: int
    files: int


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
    chunks: int = 0


class Shelf:
    """All books of a host. Every document of the corpus ``books`` is one file of one book."""

    def __init__(self, host: Host) -> None:
        self._host = host
        #: What was made from facets, with these: the books, which every question needs.
        self._books: tuple[object, tuple[Book, ...]] = (None, ())
        self._on_simulation: tuple[object, frozenset[str]] = (None, frozenset())

    @property
    def corpus(self) -> Corpus:
        """The corpus that holds the books."""
        return self._host.corpus(CORPUS, kind=KIND, hint=_EMPTY)

    @property
    def pdfs(self) -> PdfFiles:
        """The PDFs of the books, as far as the settings let them be opened."""
        allowed = self._host.options(BookChatSettings).serve_pdf
        return PdfFiles(self.corpus, allowed, self._host.settings.data_dir / "pdfs")

    @property
    def suffixes(self) -> frozenset[str]:
        """Suffixes of the files that can be read, such as ".md"."""
        return frozenset(suffix for suffix in self._host.hooks.readers if suffix.startswith("."))

    def books(self) -> tuple[Book, ...]:
        """Every book, by title and edition."""
        facets = self.corpus.contents.document_facets("book", "book_title", "edition")
        made_of, books = self._books
        if made_of is not facets:  # the corpus returns the same list until it changes
            books = tuple(sorted((Book(*values) for values, _ in facets), key=_by_title))
            self._books = facets, books
        return books

    def books_on_simulation(self) -> frozenset[str]:
        """Slugs of the books that tell simulation from real hardware: each has a share of at least ``_LEAST_SHARE``."""
        facets = self.corpus.contents.facets("book", "setting")
        made_of, found = self._on_simulation
        if made_of is not facets:
            chunks: dict[str, Counter[str]] = {}
            for (slug, setting), count in facets:
                chunks.setdefault(slug, Counter())[setting] += count
            found = frozenset(
                slug
                for slug, counts in chunks.items()
                if min(counts[SIMULATION], counts[HARDWARE]) >= max(1, _LEAST_SHARE * counts.total())
            )
            self._on_simulation = facets, found
        return found

    def counted(self) -> tuple[CountedBook, ...]:
        """Every book in the same order, with its numbers; all passages are counted for it."""
        chunks: Counter[tuple[str, str, str]] = Counter()
        chapters: dict[tuple[str, str, str], set[str]] = {}
        files: dict[tuple[str, str, str], set[str]] = {}
        facets = self.corpus.contents.facets("book", "book_title", "edition", "chapter", "path")
        for (slug, title, edition, chapter, path), count in facets:
            book = (slug, title, edition)
            chunks[book] += count
            chapters.setdefault(book, set()).add(chapter)
            files.setdefault(book, set()).add(path)
        found = [CountedBook(*book, len(chapters[book]), count, len(files[book])) for book, count in chunks.items()]
        return tuple(sorted(found, key=_by_title))

    def book(self, slug: str) -> Book:
        """The book with that slug. Raises ``NotFound``."""
        books = self.books()
        for book in books:
            if book.slug == slug:
                return book
        known = ", ".join(book.slug for book in books)
        hint = f"there are: {known}" if known else "there is none yet; ragstone book add PATH"
        raise NotFound(f"there is no book {slug[:80]!r}", hint=hint)

    def source_page(self, chunk_id: str) -> SourcePage:
        """The page that a citation opens. Raises ``NotFound``."""
        from .source_pages import source_page

        return source_page(self.corpus, chunk_id)

    def plan(self, path: Path, site: str | None = None) -> BookLayout:
        """The files that would be read from the path, or of several books in it from the one in the folder ``site``.

        Raises ``SourceError``, and ``SeveralBooks`` when one of them must be chosen.
        """
        from .layouts import read_layout

        return read_layout(path, self.suffixes, site)

    def add(
        self,
        layout: BookLayout,
        *,
        title: str | None = None,
        edition: str | None = None,
        uploaded_as: str | None = None,
        on_progress: Callable[[IngestProgress], None] | None = None,
    ) -> AddReport:
        """Add the book, or update it: only new and changed files are embedded.

        A book is identified by its title and edition. A file that cannot be read is left out and named, and what
        was stored of it before stays. ``uploaded_as``: the client's name of an upload, whose path is
        temporary. Raises ``BadRequest`` and ``SourceError``.
        """
        reading = BookDocuments(self._host, layout, uploaded_as)
        title = _checked(title or reading.title(), "title", LONGEST_TITLE)
        edition = _checked(edition or reading.manifest.edition or FIRST_EDITION, "edition", LONGEST_EDITION)
        slug = slug_of(title, edition)
        report = AddReport(slug, title, edition, layout.kind, layout.folder, list(layout.authors))
        report.left_out += layout.left_out
        reading.about = {"book": slug, "book_title": title, "edition": edition}
        done = self.corpus.ingest(reading, on_progress=on_progress)
        report.left_out += reading.failed
        report.needs_ocr, report.broken_pages = reading.needs_ocr, reading.broken_pages
        if not (done.added or done.updated or done.unchanged):
            if reading.fault is not None:
                raise reading.fault
            reasons = "; ".join(f"{left.relative}: {left.reason}" for left in reading.failed[:3])
            raise SourceError(f"no file of the book could be read: {reasons}", where=str(layout.root))
        kept = {*done.added, *done.updated, *done.unchanged, *reading.failed_ids}
        stored = self._doc_ids(slug)
        gone = [doc_id for doc_id in stored if doc_id not in kept]
        self.corpus.remove(gone)
        if slug not in {book.slug for book in self.counted()}:
            self.corpus.remove(stored)
            raise SourceError("holds no text that could be asked about", where=str(layout.root))
        parts = {"added": done.added, "updated": done.updated, "unchanged": done.unchanged, "removed": gone}
        for name, doc_ids in parts.items():
            setattr(report, name, [doc_id.partition(":")[2] for doc_id in doc_ids])
        report.chunks = done.chunks
        return report

    def remove(self, slug: str) -> Book:
        """Take the book off the shelf. Raises ``NotFound``."""
        book = self.book(slug)
        self.corpus.remove(self._doc_ids(slug))
        self.pdfs.remove_unused()
        return book

    def _doc_ids(self, slug: str) -> list[str]:
        return [document.doc_id for document in self.corpus.contents.documents() if document.metadata["book"] == slug]


def _by_title(book: Book) -> tuple[str, str, str]:
    return book.title.casefold(), book.edition, book.slug


def slug_of(title: str, edition: str) -> str:
    """A short name for addresses and the command line, the same for the same title and edition.

    ``Physical AI & Humanoid Robotics`` → ``physical-ai-humanoid-robotics``; another edition than the first is added.
    """
    named = title if edition == FIRST_EDITION else f"{title} {edition}"
    plain = unicodedata.normalize("NFKD", named).encode("ascii", "ignore").decode().lower()
    slug = "-".join(re.findall(r"[a-z0-9]+", plain))
    if len(slug) > _LONGEST_SLUG or not slug:
        # What is cut off, or not ASCII, still tells two books apart.
        slug = f"{slug[: _LONGEST_SLUG - 9].rstrip('-')}-{sha256(named.encode()).hexdigest()[:8]}".lstrip("-")
    return slug


def _checked(text: str, name: str, longest: int) -> str:
    text = " ".join(text.split())
    if not text or len(text) > longest or not text.isprintable():
        raise BadRequest(f"the {name} must be 1 to {longest} printable characters", where=text[:60] or None)
    return text
