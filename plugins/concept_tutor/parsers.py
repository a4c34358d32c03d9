"""Node parsers: a wiki page into chunks of its sections, and a chunk, which is one chunk already."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Sequence
from functools import partial
from typing import ClassVar

from llama_index.core.schema import BaseNode, MetadataMode, TextNode
from pydantic import Field, model_validator

from ragstone.core import SlicingNodeParser
from ragstone.core.ingestion import Unit, WholeDocument, halves, pack, sentences, split
from ragstone.core.text import KINDS, Kind, pack_kinds

from .mediawiki.parsoid.documents import SECTIONS, SEPARATOR
from .settings import PageSettings

_NAMESPACE = uuid.UUID("c5f7a0de-0d0b-5f0e-8f4a-5d1f6f1b7c33")
_KINDS_OF_BLOCKS: dict[str, Kind] = {"caption": "caption", "definitions": "definition"}
_SHORTEST_LEAD = 8
#: Words below which neighbouring units are never cut apart; the cost of a chunk that is left out.
_TINY, _TOO_SHORT = 8, 500.0
_WORD = re.compile(r"[^\W_]+(?:['’.,·-][^\W_]+)*")
#: TeX, or a script without spaces: so many characters are a word at least.
_LONGEST_WORD = 16
_LINE = re.compile(r"[^\n]+")
_IN_LINES = frozenset({"list", "definitions", "table", "code", "quote"})
_INSIDE, _AFTER_COLON = 20.0, 40.0
_OF_PAGE = ("page_title", "revision", "licence", "retrieved_at", "language", "direction", "categories")


class ParsoidNodeParser(SlicingNodeParser):
    """Cuts the documents of wiki pages into chunks of ``min_words`` to ``max_words``, at ends of sentences.

    A chunk is a slice of its document and never crosses a section's end. A section of fewer than ``shortest`` words
    gives none, but for the page's lead, which says what the page is about. A chunk's metadata: ``page_title``, ``url``
    (with the section's anchor), ``heading`` (the path, joined), ``section`` (the main section, empty for the lead),
    ``revision``, ``licence``, ``retrieved_at`` (ISO 8601), ``language``, ``direction``, ``categories``.
    """

    version: ClassVar[int] = 3
    embedded_keys = ("page_title", "heading")
    parser_keys = (SECTIONS, "urls")

    min_words: int = Field(default=150, gt=0, description="Words that a chunk has, where its section has as many.")
    max_words: int = Field(default=250, gt=0, description="Words that no chunk exceeds.")
    shortest: int = Field(default=30, ge=1, description="Words below which a piece is joined to another or left out.")

    @model_validator(mode="after")
    def _in_order(self) -> ParsoidNodeParser:
        if not self.shortest <= self.min_words <= self.max_words:
            raise ValueError("shortest, min_words and max_words must not fall")
        return self

    @classmethod
    def from_settings(cls, settings: PageSettings) -> ParsoidNodeParser:
        """The node parser with the settings' lengths."""
        return cls(min_words=settings.min_words, max_words=settings.max_words, shortest=settings.shortest)

    @property
    def fingerprint(self) -> str:
        """What shapes the chunks; another fingerprint means another corpus."""
        return f"parsoid/{self.version} min={self.min_words} max={self.max_words} shortest={self.shortest}"

    def _chunks(self, document: BaseNode) -> Iterator[TextNode]:
        text = document.get_content(metadata_mode=MetadataMode.NONE)
        known = document.metadata
        urls: dict[str, str] = known.get("urls") or {}
        for section in known.get(SECTIONS) or []:
            blocks = [(kind, start, end) for kind, start, end in section["blocks"]]
            stated = [(start, end, _KINDS_OF_BLOCKS[kind]) for kind, start, end in blocks if kind in _KINDS_OF_BLOCKS]
            path: list[str] = section["path"]
            shortest = self.shortest if path else min(self.shortest, _SHORTEST_LEAD)
            costs = partial(self._cost, shortest)
            for piece in pack(_units(text, blocks, self.max_words), self.max_words, costs, _TINY):
                words, start, end = sum(unit.size for unit in piece), piece[0].start, piece[-1].end
                if words < shortest:
                    continue
                kinds = pack_kinds(stated, start, end)
                yield TextNode(
                    id_=str(uuid.uuid5(_NAMESPACE, f"{document.node_id}\n{start}\n{text[start:end]}")),
                    text=text[start:end],
                    start_char_idx=start,
                    end_char_idx=end,
                    metadata={
                        **{key: known.get(key, "") for key in _OF_PAGE},
                        "url": urls.get(section["anchor"]) or known.get("url", ""),
                        "heading": SEPARATOR.join(path),
                        "section": path[0] if path else "",
                        "words": words,
                        **({KINDS: kinds} if kinds else {}),
                    },
                    metadata_template="{value}",
                    metadata_separator=SEPARATOR,
                )

    def _cost(self, shortest: int, words: int) -> float:
        return _TOO_SHORT if words < shortest else 1.0 + max(0, self.min_words - words)


class ChunkParser(WholeDocument):
    """Makes one chunk of each document, which is a chunk already."""

    version: ClassVar[int] = 1
    embedded_keys = ("page_title", "section")
    separator = SEPARATOR

    @property
    def fingerprint(self) -> str:
        """What shapes the chunks; another fingerprint means another corpus."""
        return f"tutor_passage/{self.version}"


def _count_words(text: str) -> int:
    """Words as a reader counts them, at least one: neither marks of lists nor rules of tables."""
    return max(1, len(_WORD.findall(text)), len(text) // _LONGEST_WORD)


def _units(text: str, blocks: Sequence[tuple[str, int, int]], most: int) -> Iterator[Unit]:
    """The units of a section's blocks: sentences, items, rows, blocks of code, none of more than ``most`` words.

    A cut within a block costs, one after a colon more.
    """
    announces = False
    for kind, start, end in blocks:
        cutters = (_lines, sentences, halves) if kind in _IN_LINES else (sentences, halves)
        parts = split(text, (start, end), cutters, _count_words, most)
        if kind == "code" and (words := _count_words(text[start:end])) <= most:
            parts = iter([(start, end, words)])
        for at, stop, words in parts:
            yield Unit(at, stop, words, (0 if at == start else _INSIDE) + (_AFTER_COLON if announces else 0))
            announces = text[at:stop].rstrip().endswith(":")


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    return (found.span() for found in _LINE.finditer(text, start, end) if found[0].strip("> "))
