"""A book's chapters and sections in their order, each with the chunk that it begins with."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any

from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters

from ..markdown.characters import SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragstone.core import Corpus


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


def chapters_of(corpus: Corpus, slug: str) -> tuple[Chapter, ...]:
    """The chapters of a book with their sections."""
    positions = {each.doc_id: int(each.metadata.get("position") or 0) for each in corpus.contents.documents()}
    of_book = MetadataFilters(filters=[MetadataFilter(key="book", value=slug)])
    found = corpus.contents.values(of_book, "chapter", "section", "page_label")
    found.sort(key=lambda row: (positions.get(row[1], 0), row[1]))
    return tuple(_chapter(title, list(rows)) for title, rows in groupby(found, key=lambda row: row[2] or ""))


def _chapter(title: str, rows: Sequence[tuple[Any, ...]]) -> Chapter:
    sections: dict[str, Section] = {}
    for chunk_id, _document, _chapter, section, page_label in rows:
        steps = [step for step in (section or "").split(SEPARATOR) if step.strip()]
        if steps[:1] == [title]:
            steps = steps[1:]
        if steps:
            sections.setdefault(SEPARATOR.join(steps), Section(steps[-1], len(steps) - 1, chunk_id, page_label))
    return Chapter(title, rows[0][0], tuple(sections.values()))
