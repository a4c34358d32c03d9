"""The page that a citation opens: the chunk within its section."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from llama_index.core.schema import TextNode

from ragstone.core import Corpus

from ..markdown.blocks import BlockKind, read_blocks

_CELL = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"^[\s|:-]+$")


@dataclass(frozen=True)
class ShownBlock:
    """A block of the section, ready to be shown."""

    kind: BlockKind
    level: int
    text: str
    info: str
    #: Cells of a table, its header first.
    rows: tuple[tuple[str, ...], ...]
    in_chunk: bool


@dataclass(frozen=True)
class SourcePage:
    """A chunk in its section."""

    chunk_id: str
    book: str
    book_title: str
    edition: str
    chapter: str
    section: str
    is_simulation: bool
    content_type: str
    #: File of the book, and in a PDF the page's label and the physical page (from 1).
    path: str | None
    page_label: str | None
    page_index: int | None
    blocks: tuple[ShownBlock, ...]
    #: Chunk ids of the neighbouring sections' first chunks.
    previous: str | None
    next: str | None


def source_page(corpus: Corpus, chunk_id: str) -> SourcePage:
    """The chunk's section with the chunk marked. Raises ``NotFound``."""
    node = corpus.contents.node(chunk_id)
    doc_id = str(node.ref_doc_id)
    known = node.metadata
    text = corpus.contents.document_text(doc_id)
    start, end = int(known["section_start"]), int(known["section_end"])
    before, after = _neighbours(corpus.contents.document_nodes(doc_id), node)
    return SourcePage(
        chunk_id=chunk_id,
        **{name: known[name] for name in ("book", "book_title", "edition", "chapter", "section", "content_type")},
        path=known.get("path"),
        page_label=known.get("page_label"),
        page_index=known.get("page_index"),
        is_simulation=bool(known["is_simulation"]),
        blocks=tuple(_shown(text[start:end], (node.start_char_idx or 0) - start, (node.end_char_idx or 0) - start)),
        previous=before,
        next=after,
    )


def _shown(text: str, start: int, end: int) -> Iterator[ShownBlock]:
    for block in read_blocks(text):
        rows = tuple(_rows(text[block.start : block.end])) if block.kind == "table" else ()
        inside = block.start < end and block.end > start
        yield ShownBlock(block.kind, block.level, block.plain, block.info, rows, inside)


def _rows(table: str) -> Iterator[tuple[str, ...]]:
    for line in table.splitlines():
        bare = line.strip().removeprefix("|").removesuffix("|")
        if bare and not _RULE.match(line):
            yield tuple(cell.strip().replace("\\|", "|") for cell in _CELL.split(bare))


def _neighbours(nodes: list[TextNode], node: TextNode) -> tuple[str | None, str | None]:
    """The first chunk of the section before and of the one after, within the document."""
    firsts: dict[int, str] = {}
    for other in nodes:
        firsts.setdefault(int(other.metadata["section_start"]), other.node_id)
    starts = sorted(firsts)
    here = starts.index(int(node.metadata["section_start"]))
    ids = [None, *map(firsts.__getitem__, starts), None]
    return ids[here], ids[here + 2]
