"""Books as chunks: sections from headings, whole blocks packed into slices of the document's text."""

from __future__ import annotations

import bisect
import json
import re
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, TypeVar

from llama_index.core.schema import BaseNode, MetadataMode, TextNode
from pydantic import Field

from ragstone.core import SlicingNodeParser
from ragstone.core.text import BY_OCR, KINDS, Kind, StatedKind, pack_kinds, packed_in, section_kind, unpack_kinds

from .guardrails import HARDWARE, is_simulation, setting
from .library.manifest import SECTION_KINDS, SIMULATION, owner_kind, section_simulation
from .markdown.blocks import Block
from .markdown.characters import SEPARATOR
from .markdown.packer import Packer, Unit
from .markdown.sections import read_sections
from .pdf.page_map import KEY, LISTED, PageMap

#: Characters of an admonition that are looked at for its title, once for each of its units.
_LONGEST_TITLE = 200
_NAMESPACE = uuid.UUID("6f3b1c52-94d0-5c1e-8a55-0d6f8c5a7e21")
_Part = TypeVar("_Part", bound=BaseNode)


class BookNodeParser(SlicingNodeParser):
    """Cuts normalized Markdown documents into chunks that say which chapter, section and lines they come from.

    A chunk is a contiguous slice of its document, never crosses a heading, and holds about ``min_tokens`` to
    ``max_tokens`` tokens where its section has as many; code and tables stay whole up to ``hard_limit``. Each
    chunk but a section's first repeats up to ``overlap_tokens`` from the end of the one before.
    """

    version: ClassVar[int] = 5
    embedded_keys = ("chapter", "section")
    parser_keys = (KEY, LISTED, SIMULATION, KINDS, SECTION_KINDS)

    max_tokens: int = Field(default=400, gt=0, description="A chunk is full at this many tokens.")
    min_tokens: int = Field(default=300, ge=0, description="Below this a chunk takes a block more, up to the limit.")
    overlap_tokens: int = Field(default=50, ge=0, description="Tokens repeated from the chunk before, at most.")
    count_tokens: Callable[[str], int] = Field(exclude=True, description="The encoder's own count of a text's tokens.")

    @property
    def hard_limit(self) -> int:
        """Tokens that no chunk exceeds: a quarter more than ``max_tokens``."""
        return self.max_tokens * 5 // 4

    @property
    def fingerprint(self) -> str:
        """What shapes the chunks; another fingerprint means another corpus."""
        return f"book/{self.version} max={self.max_tokens} min={self.min_tokens} overlap={self.overlap_tokens}"

    def without_parser_keys(self, document: _Part) -> _Part:
        """The document without lists and tables too: another plugin's reader may name a place for each line."""
        kept = super().without_parser_keys(document)
        single = {key: value for key, value in kept.metadata.items() if not isinstance(value, list | dict)}
        return kept.model_copy(update={"metadata": single})

    def _chunks(self, document: BaseNode) -> Iterator[TextNode]:
        text = document.get_content(metadata_mode=MetadataMode.NONE)
        known = document.metadata
        pages = PageMap.of(known)
        by_ocr = set((known.get(KEY) or {}).get("ocr", ()))
        newlines = [found.start() for found in re.finditer("\n", text)]
        seen: Counter[str] = Counter()
        packer = Packer(self.count_tokens, self.max_tokens, self.min_tokens, self.overlap_tokens, self.hard_limit)
        in_elements = unpack_kinds(packed_in(known))
        for section in read_sections(text, known):
            owner = owner_kind(known.get(SECTION_KINDS) or {}, section.headings)
            words = text[section.start : section.end]
            stated = section_simulation(known.get(SIMULATION) or {}, section.headings)
            simulated = is_simulation(section.headings, words) if stated is None else stated
            about = HARDWARE if stated is False else setting(section.headings, words, simulated)
            for units in packer.chunks(text, section.blocks):
                start, end = units[0].start, units[-1].end
                words = text[start:end]
                page, label = (pages and pages.at(start)) or (None, None)
                metadata = {
                    **{name: known.get(name) for name in ("book", "book_title", "edition")},
                    "chapter": section.chapter,
                    "section": section.title,
                    "page_label": label,
                    "page_index": page if KEY in known else None,  # printed pages have no numbers of their own
                    "content_type": _content_type(units),
                    "is_simulation": simulated,
                    # A word, as LlamaIndex's filters know no booleans; it has a third value, general.
                    "setting": about,
                    "has_code": any(unit.block.kind == "code" for unit in units),
                    **{name: known.get(name) for name in ("path", "url", "licence")},
                    "line_start": bisect.bisect_left(newlines, start) + 1,
                    "line_end": bisect.bisect_left(newlines, end) + 1,
                    "section_start": section.start,
                    "section_end": section.end,
                }
                if page in by_ocr:
                    metadata[BY_OCR] = True
                if kinds := f"{owner}:0-{len(words)}" if owner else _stated_kinds(in_elements, units):
                    metadata[KINDS] = kinds
                identity = [metadata["book"], metadata["edition"], metadata["path"], words, seen[words]]
                seen[words] += 1
                yield TextNode(
                    id_=str(uuid.uuid5(_NAMESPACE, json.dumps(identity, default=str))),
                    text=words,
                    start_char_idx=start,
                    end_char_idx=end,
                    metadata=metadata,
                    metadata_template="{value}",
                    metadata_separator=SEPARATOR,
                    text_template="{metadata_str}\n\n{content}",
                )


def _stated_kinds(in_elements: Sequence[StatedKind], units: Sequence[Unit]) -> str:
    """The kinds that elements state for the chunk's text, and those of figures and admonitions outside of these."""
    begin, end = units[0].start, units[-1].end
    found = unpack_kinds(pack_kinds(in_elements, begin, end))
    of_blocks = [
        (unit.start - begin, unit.end - begin, kind)
        for unit in units
        if (kind := _block_kind(unit.block))
        and not any(start < unit.end - begin and unit.start - begin < stop for start, stop, _ in found)
    ]
    return pack_kinds(sorted(found + of_blocks), 0, end - begin)


def _block_kind(block: Block) -> Kind | None:
    """A caption, or what an admonition's title says as a heading does; Sphinx' "see also" and "to do" need none."""
    if block.kind != "admonition":
        return "caption" if block.kind == "figure" else None
    title = block.plain[:_LONGEST_TITLE].partition("\n")[0]
    return "navigation" if block.info in {"seealso", "todo"} else section_kind(title)


def _content_type(units: Sequence[Unit]) -> str:
    if all(unit.block.kind == "figure" for unit in units):
        return "figure_caption"
    tables = sum(unit.tokens for unit in units if unit.block.kind == "table")
    return "table" if tables * 2 > sum(unit.tokens for unit in units) else "text"
