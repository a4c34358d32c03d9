"""Texts through book chat's readers."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from llama_index.core.schema import Document

from ragstone.core import Host
from ragstone.core.text import KINDS, unpack_kinds
from ragstone.plugins.book_chat import BookLayout, BookNodeParser, MarkdownReader, PlainTextReader


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


def read_file(host: Host, path: Path) -> Document:
    """The document that the host's reader of the file's suffix makes of it."""
    (document,) = host.hooks.read(path.suffix, path)
    return document


def read_bytes(host: Host, content: bytes, suffix: str) -> Document:
    """The document that the host's reader of the suffix makes of the content."""
    path = Path(_folder().name, f"page{suffix}")
    path.write_bytes(content)
    return read_file(host, path)


def normalized(source: str) -> str:
    """The normalized Markdown of a page."""
    return read(source).text


def names(layout: BookLayout) -> list[str]:
    """The files of a planned book in their order."""
    return [file.relative for file in layout.files]


def reasons(layout: BookLayout) -> dict[str, str]:
    """Why each thing is left out of a planned book."""
    return {entry.relative: entry.reason for entry in layout.left_out}


def kinds(document: Document) -> list[tuple[str, str]]:
    """Each kind of text that the elements of a page state, with the text it is stated of."""
    return [(kind, document.text[start:end]) for start, end, kind in unpack_kinds(document.metadata.get(KINDS, ""))]


def places(document: Document) -> list[tuple[str, tuple[int | None, str]]]:
    """Each word that is in no heading, with the number and the label of its page, as chunks of one word have them."""
    parser = BookNodeParser(count_tokens=lambda text: len(text.split()), max_tokens=1, overlap_tokens=0)
    nodes = parser.get_nodes_from_documents([document])
    return [(node.get_content(), (node.metadata["page_index"], node.metadata["page_label"])) for node in nodes]
