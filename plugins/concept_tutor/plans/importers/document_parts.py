"""The parts of a corpus's documents: the chapters of a document that has several, and their sections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    title = title_of(part.metadata)
    titles = [_first_section(node, title) for node in part.nodes]
    if len(set(titles)) < 2 or not part.is_chapter:
        return [part]
    return [
        replace(
            part,
            metadata={**part.metadata, "title": name or title},
            nodes=tuple(node for node, own in zip(part.nodes, titles, strict=True) if own == name),
        )
        for name in dict.fromkeys(titles)
    ]


def _first_section(node: TextNode, chapter: str) -> str:
    titles = [title for title in section_of(node).split(SEPARATOR) if title.strip()]
    return next((title for title in titles if title != chapter), "")


def title_of(metadata: Mapping[str, Any]) -> str:
    """The title of a document or a part in one line."""
    named = (metadata.get(key) for key in ("title", "page_title", "file_name", "path"))
    return " ".join(str(next(filter(None, named), "Untitled")).split())[:150]


def section_of(node: TextNode) -> str:
    """The path of a chunk's sections; empty without one."""
    return str(node.metadata.get("section") or node.metadata.get("heading") or "")
