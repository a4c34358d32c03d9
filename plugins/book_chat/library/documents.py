"""A book's files as LlamaIndex documents, one after the other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import PurePath

from llama_index.core.schema import Document

from ragstone.core import Host, SourceError

from ..pdf.page_map import KEY as PAGES
from .books import LONGEST_TITLE, AddReport
from .files import ChapterFile, LeftOut
from .layouts.layout import BookLayout
from .manifest import SECTION_KINDS, SIMULATION, read_manifest
from .page_files import page_title

#: Files whose heading may be the book's title, and headings that are none.
_INTRODUCTIONS = (
    "README.md", "readme.md", "intro.md", "index.md", "README.rst", "index.rst", "README.adoc", "index.adoc"
)  # fmt: skip
#: Suffixes of files that hold whole books.
_BOOKS = frozenset({".docx", ".epub", ".txt"})
_GENERAL = re.compile(
    r"(?:readme|home|introduction|intro|overview|welcome|preface|summary|index|(?:table of )?contents)\W*",
    re.IGNORECASE,
)


class BookDocuments:
    """The book's files as documents, with the report of what could not be read."""

    def __init__(self, host: Host, layout: BookLayout, uploaded_as: str | None = None) -> None:
        self._host = host
        self.layout = layout
        self._uploaded_as = uploaded_as
        self._loaded: list[Document] | SourceError | None = None
        self.about: dict[str, str] = {}
        self.manifest = read_manifest(layout.home or layout.root)
        #: Names what cannot be read as the files are read.
        self.report = AddReport("", "", "", layout.kind, layout.folder, left_out=list(layout.left_out))
        self.failed_ids: set[str] = set()

    def title(self) -> str:
        """The book's own title (``book.toml``, layout, a single file's title), else one made from its name."""
        known = self.manifest.title or self.layout.title
        if known:
            return known
        if self.layout.kind == "file":
            with suppress(Exception):  # reported when the file is read for its text
                first = self.load(self.layout.files[0])[:1]
                if first and first[0].metadata.get("title"):
                    return " ".join(str(first[0].metadata["title"]).split())[:LONGEST_TITLE]
        elif title := self._own_heading():
            return title
        root = self.layout.root
        if self._uploaded_as is not None:
            name = PurePath(self._uploaded_as).stem
        else:
            name = root.stem if root.is_file() else root.resolve().name
        return " ".join(re.split(r"[-_\s]+", name)).strip().capitalize() or "Untitled"

    def _own_heading(self) -> str | None:
        """The heading of the README, or of the page that introduces the book, in its folder or above it."""
        root, folder = self.layout.root, self.layout.root / self.layout.folder
        folders = [path for path in (folder, *folder.parents) if path == root or root in path.parents]
        paths = (path / name for path in reversed(folders) for name in _INTRODUCTIONS)
        titles = (page_title(path) for path in paths if path.is_file())
        found = (" ".join(title.split())[:LONGEST_TITLE] for title in titles if title)
        return next((title for title in found if not _GENERAL.fullmatch(title)), None)

    @property
    def authors(self) -> list[str]:
        """The authors that the file of a book of one file names."""
        loaded = self._loaded if isinstance(self._loaded, list) else []
        return [str(name) for document in loaded[:1] for name in document.metadata.get("authors", ())]

    @property
    def fault(self) -> SourceError | None:
        """The error of the only file of a book of one file."""
        return self._loaded if isinstance(self._loaded, SourceError) else None

    def load(self, file: ChapterFile) -> list[Document]:
        """The documents of the file's reader. A book of one file is read once, for its title and its text."""
        loaded = self._loaded
        if loaded is None:
            try:
                loaded = self._host.hooks.read(file.path.suffix.lower(), file.path)
            except SourceError as error:
                loaded = error
            if self.layout.kind == "file":
                self._loaded = loaded
        if isinstance(loaded, SourceError):
            raise loaded
        return loaded

    def __iter__(self) -> Iterator[Document]:
        for file in self.layout.files:
            try:
                documents = self._read(file)
            except Exception as error:
                unexpected = f"its reader raised {type(error).__name__}: {error}"
                reason = error.what if isinstance(error, SourceError) else unexpected
                self.report.left_out.append(LeftOut(file.relative, reason))
                self.failed_ids.add(self._doc_id(file, 0))
            else:
                yield from documents

    def _doc_id(self, file: ChapterFile, number: int) -> str:
        return f"{self.about['book']}:{file.relative}" + (f"#{number}" if number else "")

    def _read(self, file: ChapterFile) -> list[Document]:
        found = []
        for number, document in enumerate(self.load(file)):
            title = file.title or document.metadata.get("title") or file.path.stem
            chapter = file.chapter or document.metadata.get("chapter")
            if chapter is None and self.layout.kind != "file" and not _is_whole_book(document, file):
                chapter = title  # of several files each is a chapter; a single one is divided by its headings
            known = {
                **self.about,
                "path": file.relative,
                "position": file.position,
                "title": title,
                "chapter": chapter,
                "within": list(file.within),
            }
            page = self.layout.page(file)
            stated = {
                "url": self.manifest.url_of(page),
                "licence": self.manifest.licence,
                "authors": list(self.layout.authors) if file.position == 0 else None,
                SIMULATION: self.manifest.simulation_in(page),
                SECTION_KINDS: self.manifest.kinds_in(page),
            }
            stored = {**document.metadata, **known, **{key: value for key, value in stated.items() if value}}
            if PAGES in stored:
                stored[PAGES] = pages = dict(stored[PAGES])
                if self._uploaded_as is not None:
                    del pages["file"]  # it is temporary, and another upload of the same file is the same document
                if pages.get("ocr"):
                    self.report.ocr_pages[file.relative] = list(pages["ocr"])
                for name, named in (("needs_ocr", self.report.needs_ocr), ("broken", self.report.broken_pages)):
                    if gaps := pages.pop(name, None):  # for the report alone
                        named[file.relative] = list(gaps)
            found.append(Document(id_=self._doc_id(file, number), text=document.text, metadata=stored))
        return found


def _is_whole_book(document: Document, file: ChapterFile) -> bool:
    """Whether a PDF, an EPUB or the like beside other files has chapters of its own."""
    is_book = PAGES in document.metadata or file.path.suffix.lower() in _BOOKS
    return is_book and len(re.findall(r"^# ", document.text, re.MULTILINE)) > 1
