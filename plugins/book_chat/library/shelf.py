"""The shelf: lists, adds and removes books."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragstone.core import BadRequest, NotFound, SourceError

from ..settings import BookChatSettings
from .books import (
    FIRST_EDITION,
    LONGEST_EDITION,
    LONGEST_TITLE,
    AddReport,
    Book,
    CountedBook,
    by_title,
    own_slug,
    shown,
    slug_among,
)
from .pdf_files import PdfFiles

if TYPE_CHECKING:
    from ragstone.core import Corpus, Host
    from ragstone.core.ingestion import OnProgress

    from ..pdf.ocr import Ocr
    from .documents import BookDocuments
    from .layouts.layout import BookLayout
    from .source_pages import SourcePage

CORPUS = "books"
KIND = "book"
_EMPTY = "put a book on the shelf: ragstone book add PATH"
#: Of a book's chunks, about simulation and about real hardware each.
_LEAST_SHARE = 0.02


class Shelf:
    """All books of a host. Every document of the corpus ``books`` is one file of one book."""

    def __init__(self, host: Host, claim: Callable[[str], None] | None = None) -> None:
        """``claim``: called with the slug of a book before anything of it is stored; what it raises keeps it off.

        The caller who gives it calibrates the corpus when the last book is added.
        """
        self._host = host
        self._claim = claim
        #: What was made from facets, with these: the books, which every question needs.
        self._books: tuple[object, tuple[Book, ...]] = (None, ())
        self._on_simulation: tuple[object, frozenset[str]] = (None, frozenset())

    @property
    def corpus(self) -> Corpus:
        """The corpus that holds the books."""
        return self._host.corpus(CORPUS, kind=KIND, hint=_EMPTY)

    @cached_property  # it remembers the hashes of unchanged files
    def pdfs(self) -> PdfFiles:
        """The PDFs of the books, as far as the settings let them be opened."""
        allowed = self._host.hooks.options(BookChatSettings).serve_pdf
        return PdfFiles(self.corpus, allowed, self._host.settings.data_dir / "pdfs")

    @property
    def ocr(self) -> Ocr:
        """What OCR has read, and reads in the languages of the settings."""
        from ..pdf.ocr import Ocr

        return Ocr(self._host.hooks.options(BookChatSettings).ocr, self._host.settings.data_dir / "ocr")

    @property
    def suffixes(self) -> frozenset[str]:
        """Suffixes of the files that can be read, such as ".md"."""
        return frozenset(suffix for suffix in self._host.hooks.readers if suffix.startswith("."))

    def books(self) -> tuple[Book, ...]:
        """Every book, by title and edition."""
        facets = self.corpus.contents.document_facets("book", "book_title", "edition")
        made_of, books = self._books
        if made_of is not facets:  # the corpus returns the same list until it changes
            books = tuple(sorted((Book(*values) for values, _ in facets if all(values)), key=by_title))
            self._books = facets, books
        return books

    def books_on_simulation(self) -> frozenset[str]:
        """Slugs of the books on simulation and on hardware: each has a share of at least ``_LEAST_SHARE``."""
        from ..guardrails import HARDWARE, SIMULATION

        facets = self.corpus.contents.facets("book", "setting")
        made_of, found = self._on_simulation
        if made_of is not facets:
            chunks: dict[str, Counter[str]] = defaultdict(Counter)
            for (slug, setting), count in facets:
                chunks[slug][setting] += count
            found = frozenset(
                slug
                for slug, counts in chunks.items()
                if min(counts[SIMULATION], counts[HARDWARE]) >= max(1, _LEAST_SHARE * counts.total())
            )
            self._on_simulation = facets, found
        return found

    def counted(self) -> tuple[CountedBook, ...]:
        """Every book in the same order, with its numbers; all chunks are counted for it."""
        chunks: Counter[tuple[str, str, str]] = Counter()
        chapters, files = defaultdict[Any, set[str]](set), defaultdict[Any, set[str]](set)
        facets = self.corpus.contents.facets("book", "book_title", "edition", "chapter", "path")
        for (slug, title, edition, chapter, path), count in facets:
            book = (slug, title, edition)
            chunks[book] += count
            chapters[book].add(chapter)
            files[book].add(path)
        kinds = self._kinds("")
        found = [
            CountedBook(*book, len(chapters[book]), count, len(files[book]), dict(kinds[book[0]].most_common()))
            for book, count in chunks.items()
            if all(book)
        ]
        return tuple(sorted(found, key=by_title))

    def kinds(self, slug: str) -> dict[str, int]:
        """How many sentences, items and rows of each kind of text the book's chunks have, the most frequent first.

        Empty for a book that an older Ragstone read, until its corpus is rebuilt.
        """
        return dict(self._kinds(f"{slug}:")[slug].most_common())

    def _kinds(self, prefix: str) -> dict[str, Counter[str]]:
        """The numbers of kinds of each book, by slug, in the documents whose ids begin with the prefix."""
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for document in self.corpus.contents.documents(prefix):
            counts[document.doc_id.partition(":")[0]].update(document.kinds or {})
        return counts

    def book(self, slug: str) -> Book:
        """The book with that slug. Raises ``NotFound``."""
        books = {book.slug: book for book in self.books()}
        if slug in books:
            return books[slug]
        hint = f"there are: {', '.join(books)}" if books else "there is none yet; ragstone book add PATH"
        raise NotFound(f"there is no book {slug[:80]!r}", hint=hint)

    def source_page(self, chunk_id: str) -> SourcePage:
        """The page that a citation opens. Raises ``NotFound``."""
        from .source_pages import source_page

        return source_page(self.corpus, chunk_id)

    def plan(self, path: Path, site: str | None = None) -> BookLayout:
        """The files that would be read from the path, or of several books in it from the one in the folder ``site``.

        Raises ``SourceError``, and ``SeveralBooks`` when one of them must be chosen.
        """
        from .layouts.layout import read_layout

        return read_layout(path, self.suffixes, site)

    def add(self, layout: BookLayout, *, on_progress: OnProgress | None = None, **named: str | None) -> AddReport:
        """Add the book, or update it: only new and changed files are embedded. ``named``: as for ``identified``.

        A book is identified by its title and edition. A file that cannot be read is left out and named, and what
        was stored of it before stays. Raises ``BadRequest`` and ``SourceError``.
        """
        return self.store(self.identified(layout, **named), on_progress)

    def identified(
        self,
        layout: BookLayout,
        *,
        title: str | None = None,
        edition: str | None = None,
        uploaded_as: str | None = None,
    ) -> BookDocuments:
        """What ``add`` would store, with the book's slug and title in ``about``. Raises ``BadRequest``.

        ``uploaded_as``: the client's name of an upload, whose path is temporary.
        """
        from .documents import BookDocuments

        reading = BookDocuments(self._host, layout, uploaded_as)
        title = _checked(title or shown(reading.title()), "title", LONGEST_TITLE)
        edition = _checked(edition or reading.manifest.edition or FIRST_EDITION, "edition", LONGEST_EDITION)
        slug = slug_among(self.books(), title, edition)
        if self._claim is not None:
            self._claim(slug)
        reading.about = {"book": slug, "book_title": title, "edition": edition}
        return reading

    def store(self, reading: BookDocuments, on_progress: OnProgress | None = None) -> AddReport:
        """Add or update the book that ``identified`` gave, as ``add`` does. Raises ``SourceError``, ``StorageBusy``."""
        locks = self._host.settings.data_dir / "slugs"
        claimed = reading.about["book"]
        with own_slug(locks, reading.about, self.books) as slug:
            if self._claim is not None and slug != claimed:
                self._claim(slug)
            return self._store(reading, slug, on_progress)

    def _store(self, reading: BookDocuments, slug: str, on_progress: OnProgress | None) -> AddReport:
        layout, report = reading.layout, reading.report
        report.book, report.title, report.edition = slug, reading.about["book_title"], reading.about["edition"]
        done = self.corpus.ingest(reading, on_progress=on_progress, prefix=f"{slug}:", calibrate=self._claim is None)
        report.authors = list(layout.authors) or reading.authors
        if not (done.added or done.updated or done.unchanged):
            if reading.fault is not None:
                raise reading.fault
            failed = report.left_out[len(layout.left_out) :]
            reasons = "; ".join(f"{left.relative}: {left.reason}" for left in failed[:3])
            raise SourceError(f"no file of the book could be read: {reasons}", where=str(layout.root))
        kept = {*done.added, *done.updated, *done.unchanged, *reading.failed_ids}
        stored = self._doc_ids(slug)
        gone = [doc_id for doc_id in stored if doc_id not in kept]
        self.corpus.remove(gone)
        if not self.corpus.contents.has_chunks(f"{slug}:"):
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
        return [document.doc_id for document in self.corpus.contents.documents(f"{slug}:")]


def _checked(text: str, name: str, longest: int) -> str:
    text = " ".join(text.split())
    if not any(map(str.isprintable, text)) or len(text) > longest or text != shown(text):
        raise BadRequest(f"the {name} must be 1 to {longest} printable characters", where=text[:60] or None)
    return text
