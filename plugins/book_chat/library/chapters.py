"""A book's chapters and sections in their order, each with the passage that it begins with."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters

from ..markdown.characters import SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llama_index.core.schema import TextNode

    from ragstone.core import Corpus


@dataclass(frozen=True)
class Section:
    """A section: its title, how deep it is below its chapter (from 0), its first passage and that one's page."""

    title: str
    depth: int
    chunk_id: str
    page_label: str | None


@dataclass(frozen=True)
class Chapter:
    """A chapter; its first passage is that of what stands before its first section, if anything does."""

    title: str
    chunk_id: str
    sections: tuple[Section, ...] = field(default=())


def chapters_of(corpus: Corpus, slug: str) -> tuple[Chapter, ...]:
    """The chapters of a book with their sections."""
    positions = {each.doc_id: int(each.metadata.get("position") or 0) for each in corpus.contents.documents()}
    found = corpus.contents.find(MetadataFilters(filters=[MetadataFilter(key="book", value=slug)]))
    found.sort(
        key=lambda node: (positions.get(str(node.ref_doc_id), 0), str(node.ref_doc_id), node.start_char_idx or 0)
    )
    by_chapter = groupby(found, key=lambda node: str(node.metadata["chapter"] or ""))
    return tuple(_chapter(title, list(nodes)) for title, nodes in by_chapter)


def _chapter(title: str, nodes: Sequence[TextNode]) -> Chapter:
    sections: dict[str, Section] = {}
    for node in nodes:
        steps = [step for step in str(node.metadata["section"] or "").split(SEPARATOR) if step.strip()]
        if steps[:1] == [title]:
            steps = steps[1:]
        if steps:
            section = Section(steps[-1], len(steps) - 1, node.node_id, node.metadata.get("page_label"))
            sections.setdefault(SEPARATOR.join(steps), section)
    return Chapter(title, nodes[0].node_id, tuple(sections.values()))
