"""The parts of a corpus's documents: the chapters of a document that has several, and their sections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from llama_index.core.schema import TextNode

from ragstone.core import Corpus

#: Between the titles of a path of sections.
SEPARATOR = " › "


@dataclass(frozen=True)
class DocumentPart:
    """A document of a corpus, or a chapter or section of one with its chunks; ``metadata`` names it."""

    metadata: Mapping[str, Any]
    doc_id: str
    nodes: tuple[TextNode, ...] = ()
    #: Whether it is one of several chapters of a document.
    is_chapter: bool = False

    def fact(self, *keys: str) -> str:
        """The first of these facts that it has; empty without one."""
        return next((str(self.metadata[key]) for key in keys if self.metadata.get(key)), "")

    @property
    def title(self) -> str:
        """Its title in one line."""
        return " ".join((self.fact("title", "page_title", "file_name", "path") or "Untitled").split())[:150]

    @property
    def book_title(self) -> str:
        """Its book's title, or the slug of a book without one; empty where it is of no book."""
        return self.fact("book_title", "book")

    @property
    def books(self) -> list[str]:
        """Its book's slug and title in small letters."""
        return [self.fact(key).casefold() for key in ("book", "book_title") if self.fact(key)]


def chapters_of(corpus: Corpus, part: DocumentPart) -> list[DocumentPart]:
    """The chapters of a document that has several; else the part itself, with its chunks."""
    nodes = part.nodes or tuple(corpus.contents.document_nodes(part.doc_id))
    chapters = dict.fromkeys(str(node.metadata.get("chapter") or "") for node in nodes)
    if len(chapters) < 2:
        return [replace(part, nodes=nodes)]
    return [
        DocumentPart({**part.metadata, "title": title, "chapter": title}, part.doc_id, own, is_chapter=True)
        for title in filter(None, chapters)
        if (own := tuple(node for node in nodes if node.metadata.get("chapter") == title))
    ]


def sections_of(part: DocumentPart) -> list[DocumentPart]:
    """The sections of a chapter of a document with several chapters; else the part itself."""
    paths = (section_of(node).split(SEPARATOR) for node in part.nodes)
    titles = [next((title for title in path if title.strip() and title != part.title), "") for path in paths]
    if len(set(titles)) < 2 or not part.is_chapter:
        return [part]
    return [
        replace(
            part,
            metadata={**part.metadata, "title": name or part.title},
            nodes=tuple(node for node, own in zip(part.nodes, titles, strict=True) if own == name),
        )
        for name in dict.fromkeys(titles)
    ]


def section_of(node: TextNode) -> str:
    """The path of a chunk's sections; empty without one."""
    return str(node.metadata.get("section") or node.metadata.get("heading") or "")
