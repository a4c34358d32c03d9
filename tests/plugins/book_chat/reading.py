"""Texts through book chat's readers."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ragstone.core.text import KINDS, unpack_kinds
from ragstone.plugins.book_chat import MarkdownReader, PlainTextReader

if TYPE_CHECKING:
    from llama_index.core.schema import Document


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory()


def read(source: str, suffix: str = ".md") -> Document:
    """The document that a page of Markdown, of one of its dialects, of AsciiDoc or of plain text becomes."""
    path = Path(_folder().name, f"page{suffix}")
    path.write_bytes(source.encode())
    reader = PlainTextReader() if suffix == ".txt" else MarkdownReader()
    (document,) = reader.load_data(path)
    return document


def normalized(source: str) -> str:
    """The normalized Markdown of a page."""
    return read(source).text


def kinds(document: Document) -> list[tuple[str, str]]:
    """Each kind of text that the elements of a page state, with the text it is stated of."""
    return [(kind, document.text[start:end]) for start, end, kind in unpack_kinds(document.metadata.get(KINDS, ""))]
