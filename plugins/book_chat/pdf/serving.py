"""The PDF itself, for books whose settings allow it: the very file that was read, or none."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING
from urllib.parse import urlencode

from ragstone.core import NotFound, SourceError

from .pagemap import KEY
from .reader import digest_of, open_plain

if TYPE_CHECKING:
    from collections.abc import Collection

    from ragstone.core import Corpus

_REMEMBERED = 1_000


@dataclass(frozen=True)
class OpenPdf:
    """A file that is open for reading, and what it is."""

    file: IO[bytes]
    size: int
    sha256: str


class PdfFiles:
    """The PDFs of a corpus. Addresses come from the catalog; nothing of a request ever becomes a path."""

    def __init__(self, corpus: Corpus, allowed: Collection[str]) -> None:
        """``allowed``: slugs of the books whose PDF may be served, "*" for all."""
        self._corpus = corpus
        self._allowed = frozenset(allowed)
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
        several = sum(1 for _ in self._stored(slug)) > 1
        query = f"?{urlencode({'path': path})}" if several else ""
        return f"{root}/{slug}.pdf{query}#page={page}"

    def open(self, slug: str, path: str | None) -> OpenPdf:
        """The book's PDF, or of several the one with this path in the book. Raises ``NotFound``."""
        stored = dict(self._stored(slug)) if self.allows(slug) else {}
        if path is None and len(stored) == 1:
            (path,) = stored
        if path is None or path not in stored:
            raise NotFound("there is no PDF to open here", hint="serve_pdf of [plugins.book_chat] names the books")
        file, sha256 = stored[path]
        try:
            opened = open_plain(Path(file))
        except SourceError as error:
            raise NotFound("the PDF is not where it was when it was added") from error
        if self._digest(opened) != sha256:
            opened.close()
            raise NotFound("the PDF is no longer the file that was added", hint="add it again")
        opened.seek(0)
        return OpenPdf(opened, os.fstat(opened.fileno()).st_size, sha256)

    def _stored(self, slug: str) -> list[tuple[str, tuple[str, str]]]:
        """Path in the book, and path on the disk with the SHA-256, of each PDF of a book."""
        return [
            (str(known["path"]), (str(known[KEY]["file"]), str(known[KEY]["sha256"])))
            for known in (document.metadata for document in self._corpus.documents())
            if known.get("book") == slug and KEY in known
        ]

    def _digest(self, opened: IO[bytes]) -> str:
        found = os.fstat(opened.fileno())
        key = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
        with self._lock:
            if key not in self._known:
                if len(self._known) >= _REMEMBERED:
                    self._known.clear()
                self._known[key] = digest_of(opened)
            return self._known[key]
