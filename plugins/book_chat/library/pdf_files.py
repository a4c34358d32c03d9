"""Serves the PDFs of books, where the settings allow it and the file is unchanged."""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple
from urllib.parse import urlencode

from ragstone.core import Corpus, NotFound, SourceError
from ragstone.core.runtime import open_regular, remove_own_file

from ..pdf.limits import MAX_BYTES
from ..pdf.page_map import KEY
from .files import digest_of, is_file

_REMEMBERED = 1_000


@dataclass(frozen=True)
class OpenPdf:
    """A file that is open for reading, its path, size and SHA-256."""

    path: Path
    file: IO[bytes]
    size: int
    sha256: str


class _Stored(NamedTuple):
    """Where a book's PDF should be, and its SHA-256."""

    file: Path
    sha256: str


class PdfFiles:
    """The PDFs of a corpus. Addresses come from the catalog; nothing of a request ever becomes a path."""

    def __init__(self, corpus: Corpus, allowed: Collection[str], kept: Path) -> None:
        """``allowed``: slugs of the books whose PDF may be served, "*" for all. ``kept``: the folder of those that
        have no other place on the disk."""
        self._corpus = corpus
        self._allowed = frozenset(allowed)
        self._kept = kept
        # The hash of a file that did not change since need not be computed for each range of it.
        self._known: dict[tuple[int, ...], str] = {}
        self._lock = threading.Lock()

    def allows(self, slug: str) -> bool:
        """Whether the settings let the book's PDF be served."""
        return slug in self._allowed or "*" in self._allowed

    def address(self, root: str, slug: str, path: str | None, page: int | None) -> str | None:
        """Where the PDF opens at the physical ``page`` (from 1), below ``root``; None when it is not served."""
        if page is None or path is None or not self.allows(slug):
            return None
        stored = self._stored(slug)
        if path not in stored or not is_file(stored[path].file):
            return None
        query = f"?{urlencode({'path': path})}" if len(stored) > 1 else ""
        return f"{root}/{slug}.pdf{query}#page={page}"

    def open(self, slug: str, path: str | None) -> OpenPdf:
        """The book's PDF, or of several the one with this path in the book. Raises ``NotFound``."""
        stored = self._stored(slug) if self.allows(slug) else {}
        if path is None and len(stored) == 1:
            (path,) = stored
        if path is None or path not in stored:
            raise NotFound("there is no PDF to open here", hint="serve_pdf of [plugins.book_chat] names the books")
        file, sha256 = stored[path]
        try:
            opened = open_regular(file, MAX_BYTES)
        except SourceError as error:
            raise NotFound("the PDF is not where it was when it was added") from error
        if self._digest(opened) != sha256:
            opened.close()
            raise NotFound("the PDF is no longer the file that was added", hint="add it again")
        opened.seek(0)
        return OpenPdf(file, opened, os.fstat(opened.fileno()).st_size, sha256)

    def keep(self, slug: str, folder: Path) -> None:
        """Move the book's PDFs out of an upload's ``folder``, which will be removed, if they may be served."""
        wanted = {known.sha256 for known in self._stored(slug).values()} if self.allows(slug) else set()
        for file in folder.rglob("*") if wanted else ():
            if file.suffix.lower() != ".pdf" or not file.is_file():
                continue
            with open_regular(file, MAX_BYTES) as opened:
                sha256 = digest_of(opened)
            if sha256 in wanted:
                self._kept.mkdir(mode=0o700, parents=True, exist_ok=True)
                file.replace(self._place(sha256))

    def remove_unused(self) -> None:
        """Remove kept files of books that are gone or may not be served any more."""
        # The files are listed first: one that arrives later belongs to a book that is on the shelf already.
        there = list(self._kept.glob("*.pdf")) if self._kept.is_dir() else []
        if not there:
            return
        wanted = {stored.file for slug, _path, stored in self._all() if self.allows(slug)}
        for file in there:
            if file not in wanted and not self._kept.is_symlink():
                with suppress(NotFound, SourceError, OSError), open_regular(file, MAX_BYTES) as opened:
                    if digest_of(opened) == file.stem:  # what has another name or content was not kept by us
                        remove_own_file(file, r"[0-9a-f]{64}\.pdf")

    def _place(self, sha256: str) -> Path:
        return self._kept / f"{sha256}.pdf"

    def _stored(self, slug: str) -> dict[str, _Stored]:
        return {path: stored for book, path, stored in self._all() if book == slug}

    def _all(self) -> Iterator[tuple[str, str, _Stored]]:
        for known in (document.metadata for document in self._corpus.contents.documents()):
            if KEY in known:
                sha256, file = str(known[KEY]["sha256"]), known[KEY].get("file")
                stored = _Stored(Path(file) if file else self._place(sha256), sha256)
                yield str(known.get("book")), str(known["path"]), stored

    def _digest(self, opened: IO[bytes]) -> str:
        found = os.fstat(opened.fileno())
        key = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
        with self._lock:
            if key not in self._known:
                if len(self._known) >= _REMEMBERED:
                    self._known.clear()
                self._known[key] = digest_of(opened)
            return self._known[key]
