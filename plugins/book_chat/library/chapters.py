"""A book's chapters and sections in their order, each with the chunk that it begins with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters

from ragstone.core import Corpus

from ..markdown.characters import SEPARATOR
from .headings import path_from


@dataclass(frozen=True)
class Section:
    """A section: its title, how deep it is below its chapter (from 0), its first chunk and that one's page."""

    title: str
    depth: int
    chunk_id: str
    page_label: str | None


@dataclass(frozen=True)
class Chapter:
    """A chapter; its first chunk is that of what stands before its first section, if anything does."""

    title: str
    chunk_id: str
    sections: tuple[Section, ...] = field(default=())


def nodes_in_order(corpus: Corpus, slug: str) -> list[TextNode]:
    """The chunks of a book in the order of its pages, which the catalog keeps in the order of their last change."""
    positions = _positions(corpus, slug)
    return sorted(corpus.contents.find(of_book(slug)), key=lambda node: positions.get(node.ref_doc_id or "", 0))


def paths_in_order(corpus: Corpus, slug: str) -> list[list[str]]:
    """The headings of each of these chunks, its chapter first, in the same order; their texts are not read."""
    positions = _positions(corpus, slug)
    found = corpus.contents.values(of_book(slug), "chapter", "section")
    found.sort(key=lambda row: positions.get(row[1], 0))
    return [path_from(chapter or "", section or "") for _, _, chapter, section in found]


def _positions(corpus: Corpus, slug: str) -> dict[str, int]:
    documents = corpus.contents.documents(f"{slug}:")
    return {each.doc_id: int(each.metadata.get("position") or 0) for each in documents}


def of_book(slug: str) -> MetadataFilters:
    """The filter for the chunks of a book."""
    return MetadataFilters(filters=[MetadataFilter(key="book", value=slug)])


def chapters_of(corpus: Corpus, slug: str) -> tuple[Chapter, ...]:
    """The chapters of a book with their sections."""
    positions = _positions(corpus, slug)
    found = corpus.contents.values(of_book(slug), "chapter", "section", "page_label")
    found.sort(key=lambda row: (positions.get(row[1], 0), row[1]))
    return tuple(_chapter(title, list(rows)) for title, rows in groupby(found, key=lambda row: row[2] or ""))


def _chapter(title: str, rows: Sequence[tuple[Any, ...]]) -> Chapter:
    sections: dict[str, Section] = {}
    for chunk_id, _document, _chapter, section, page_label in rows:
        if steps := path_from(title, section or "")[1:]:
            sections.setdefault(SEPARATOR.join(steps), Section(steps[-1], len(steps) - 1, chunk_id, page_label))
    return Chapter(title, rows[0][0], tuple(sections.values()))
