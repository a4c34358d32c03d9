"""One file of a book as a LlamaIndex document of normalized Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document
from pydantic import TypeAdapter

from ragstone.core import MissingExtra, SourceError
from ragstone.core.runtime import Unanswered, Workers, open_regular
from ragstone.core.text import KINDS, counted, pack_kinds

from .library.files import digest_of, is_text
from .library.page_files import read_page, title_of
from .markdown.html import worker
from .markdown.html.text import Text
from .markdown.plain_text import read_plain_text
from .pdf.limits import MAX_BYTES
from .pdf.ocr import Ocr
from .pdf.page_map import KEY, LISTED, packed
from .pdf.process import PdfProcess

_TEXT = TypeAdapter(Text)
#: The packages that reading a suffix needs, where it is not lxml alone, and megabytes of address space.
_PACKAGES = {".docx": ("lxml", "mammoth"), ".rst": ("lxml", "docutils")}
_MEGABYTES = 1500
_HINTS = {
    "encrypted": "a copy without protection can be read",
    "broken": "open it in a reader or a browser, and save it anew",
    "too_large": "split it into smaller files",
    "timeout": "split it into smaller files",
    "empty": "look at it in a reader; of pictures of pages make a PDF, and a text layer by OCR",
    "crashed": "its reader broke down",
}
_PDF_HINTS = _HINTS | {
    "needs_ocr": "ocr of [plugins.book_chat] reads it, or add a text layer with ocrmypdf",
    "too_large": "pdf_megabytes of [plugins.book_chat]",
    "timeout": "pdf_seconds of [plugins.book_chat]",
}


class MarkdownReader(BaseReader):
    """Reads one file of Markdown or MDX as one LlamaIndex ``Document`` of normalized Markdown."""

    def load_data(self, file: Path | str, extra_info: dict[str, Any] | None = None) -> list[Document]:
        """One document, its metadata ``title``, ``extra_info``, and ``kinds`` where its elements state kinds of text.

        Raises ``SourceError`` when the file is gone, unreadable, too large or not UTF-8 text.
        """
        front, text, stated = read_page(Path(file))
        return [_document(Text(text, title_of(front, text), kinds=tuple(stated)), extra_info)]


class UnreadableFile(SourceError):
    """A file that gives no text. ``reason`` is one word: encrypted, broken, too_large, empty, timeout, crashed."""

    def __init__(self, reason: str, path: Path, message: str, hint: str | None = None) -> None:
        self.reason = reason
        super().__init__(f"{reason}: {message}", where=str(path), hint=hint)

    def to_problem(self) -> dict[str, Any]:
        """The problem details, with ``reason`` for programs."""
        return {**super().to_problem(), "reason": self.reason}


class UnreadablePdf(UnreadableFile):
    """A PDF that gives no text. ``reason`` is one word: needs_ocr, encrypted, broken, too_large, timeout, crashed."""


class PdfReader(BaseReader):
    """Reads a PDF in a subprocess that has ``seconds`` for 300 pages and ``megabytes`` for 1,000."""

    def __init__(self, *, seconds: float = 30.0, megabytes: int = 512, ocr: Ocr | None = None) -> None:
        """``ocr``: reads the pages that have no text."""
        self._seconds = seconds
        self._megabytes = megabytes
        self._ocr = ocr

    def load_data(self, file: Path | str, extra_info: dict[str, Any] | None = None) -> list[Document]:
        """One document. Its metadata: ``title``, ``extra_info``, and ``pdf`` with the page map, the
        file's absolute path and SHA-256, and the pages (from 1) that need OCR, were read by it or are broken.

        Raises ``UnreadablePdf``, and ``SourceError`` when the file is gone or the extra is not installed.
        """
        path = Path(file)
        if not is_text(path.resolve()):  # it is kept, so that the book can be opened
            raise SourceError("its path is not UTF-8: rename its folder", where=str(path))
        _require_packages(path, "pdf", ("pypdfium2",))
        with (
            open_regular(path, MAX_BYTES) as opened,
            PdfProcess(path, opened, seconds=self._seconds, megabytes=self._megabytes) as process,
        ):
            digest = digest_of(opened)
            try:
                read = process.read()
                if read.needs_ocr and self._ocr and self._ocr.program:
                    read = process.read(self._ocr.words(path, opened, digest, read.needs_ocr))
            except Unanswered as error:
                raise UnreadablePdf(error.reason, path, f"it {error.detail}", _PDF_HINTS.get(error.reason)) from error
        if not read.text.strip():
            if read.broken and not read.needs_ocr:
                message = f"none of {len(read.broken)} pages can be loaded"
                raise UnreadablePdf("broken", path, message, _PDF_HINTS["broken"])
            missing_ocr = (
                "; tesseract, which would read them, is not installed" if self._ocr and not self._ocr.program else ""
            )
            message = f"no page has text ({counted(page=read.pages)}{missing_ocr})"
            raise UnreadablePdf("needs_ocr", path, message, _PDF_HINTS["needs_ocr"])
        about = {**packed(read.starts, read.labels), "file": str(path.resolve()), "sha256": digest}
        about |= {name: pages for name in ("needs_ocr", "broken", "ocr") if (pages := getattr(read, name))}
        known = {"title": " ".join(read.title.split()) or None, KEY: about}
        return [Document(text=read.text, metadata=known | (extra_info or {}))]


class FormatReader(BaseReader):
    """Reads EPUB, HTML, DOCX and reStructuredText, untrusted files, in worker processes: one for each thread that reads
    at the same time, killed when it takes too much time or memory. They end with ``close``."""

    def __init__(self) -> None:
        self._workers = Workers(worker.__name__, str(_MEGABYTES))

    def load_data(self, file: Path | str, extra_info: dict[str, Any] | None = None) -> list[Document]:
        """One document. Its metadata: ``title``, ``authors``, ``kinds``, ``printed_pages`` and ``extra_info``.

        Never hangs, whatever the file holds. Raises ``UnreadableFile``, and ``SourceError`` when the file is gone or
        the extra is not installed.
        """
        path = Path(file)
        suffix = path.suffix.lower()
        _require_packages(path, "formats", _PACKAGES.get(suffix, ("lxml",)))
        with open_regular(path, worker.MAX_BYTES) as opened:
            size = opened.seek(0, 2)
        request = json.dumps({"path": str(path.absolute()), "suffix": suffix}).encode()
        try:
            text = self._workers.ask_json(request, worker.seconds_for(size), _TEXT)
        except Unanswered as error:
            reason = error.reason if error.reason in _HINTS else "crashed"
            raise UnreadableFile(reason, path, f"it {error.detail}", _HINTS[reason]) from error
        return [_document(text, extra_info)]

    def close(self) -> None:
        """End the idle workers; what is being read is read to its end."""
        self._workers.close()


class PlainTextReader(BaseReader):
    """Reads a book of plain text: its chapters are found by their headings."""

    def load_data(self, file: Path | str, extra_info: dict[str, Any] | None = None) -> list[Document]:
        """One document, its metadata ``title``, ``authors`` and ``extra_info``. Raises ``SourceError``."""
        return [_document(read_plain_text(Path(file)), extra_info)]


def _require_packages(path: Path, extra: str, names: Iterable[str]) -> None:
    """Raise ``SourceError`` for a file whose reader needs packages that are not installed."""
    if missing := tuple(name for name in names if find_spec(name) is None):
        error = MissingExtra(extra, missing)
        what = f"a file {path.suffix.lower()} {error.what}: {error.install}"
        raise SourceError(what, where=str(path), hint=error.install)


def _document(text: Text, extra_info: dict[str, Any] | None) -> Document:
    about: dict[str, Any] = {"title": text.title}
    if text.authors:
        about["authors"] = list(text.authors)
    if text.kinds:
        about[KINDS] = pack_kinds(text.kinds, 0, len(text.text))
    if text.pages:
        starts = [(number, offset) for number, (offset, _label) in enumerate(text.pages, 1)]
        about[LISTED] = packed(starts, [label for _offset, label in text.pages])
    return Document(text=text.text, metadata=about | (extra_info or {}))
