"""A PDF file as normalized Markdown with its pages. Runs in the worker process only."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, takewhile
from typing import Any

import pypdfium2.raw as pdfium
from pypdfium2 import PdfDocument

from ragstone.core.runtime import Unanswered

from ..markdown.sections import outline_levels
from .glyphs import read_page
from .headings import bare, body_size, from_outline, from_type, is_contents, is_numbered
from .lines import Column, columns_of
from .model import Block, Entry, Line, Page, Word
from .paragraphs import blocks_of
from .running_heads import take_running_heads
from .tables import take_tables
from .writer import to_markdown

#: Entries of an outline that are read; the longest that was measured had some 3,000.
MAX_ENTRIES = 20_000
_DEEPEST = 12
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\ue000-\uf8ff]")
_HASH = re.compile(r"[0-9a-f]{12,}")
_INDEXED = re.compile(r"[^\d,]{1,60}(?:,\s*\d[\divxlc–-]*)+\s*")
_FILE_NAME = re.compile(r"\S+\.\w{2,5}$|[^\s]*$|untitled.*|microsoft word.*|document\d*", re.IGNORECASE)


def read_book(document: PdfDocument, recognised: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The fields of ``process.Read``: title, text, labels, page starts, pages that cannot be read.

    ``recognised``: the words that OCR has found on pages without text, by their numbers. Raises ``Unanswered``.
    """
    count = len(document)
    labels = [utf16_text(partial(pdfium.FPDF_GetPageLabel, document, number), 128) for number in range(count)]
    pages = [read_page(document.raw, number + 1, labels[number]) for number in range(count)]
    broken = [page.number for page in pages if page.broken]
    if len(broken) * 2 > count:
        raise Unanswered("broken", f"is damaged: of {count:,} pages {count - len(broken):,} can be read")
    needs_ocr = [page.number for page in pages if page.drawn and not _has_text(page)]
    for page in pages:
        if page.number in needs_ocr and (words := (recognised or {}).get(str(page.number))):
            page.words = [Word(**word) for word in words]
            page.rules = []  # a scan's edges
        take_tables(page)
    by_ocr = [page.number for page in pages if page.number in needs_ocr and _has_text(page)]
    printed = take_running_heads(pages)
    read = {page.number: columns_of(page.words, page.tables) for page in pages}
    body = body_size(column for columns in read.values() for column in columns)
    entries = read_outline(document, pages)
    headings = from_outline(entries, read) if entries else from_type(read, body)
    title, title_lines = _title(document, read, body, headings.taken if entries else set())
    if not entries:
        headings.take_title(title_lines)
    blocks = [block for page in pages for block in blocks_of(page.number, read[page.number], headings)]
    text, starts = to_markdown(_with_title_page(_without_contents(blocks)))
    return {
        "title": title,
        "text": text,
        "pages": count,
        "labels": labels if any(labels) else _printed(printed),
        "starts": starts,
        "needs_ocr": [number for number in needs_ocr if number not in by_ocr],
        "ocr": by_ocr,
        "broken": broken,
    }


def read_outline(document: PdfDocument, pages: Sequence[Page]) -> tuple[Entry, ...]:
    """The entries in reading order. One that was met before (a cycle) ends its chain; see ISO 32000-1, 12.3.3."""
    found: list[Entry] = []
    for mark in islice(document.get_toc(_DEEPEST), MAX_ENTRIES):
        title, target = utf16_text(partial(pdfium.FPDFBookmark_GetTitle, mark), 4096)[:500], mark.get_dest()
        at = None if target is None else target.get_index()
        if title and at is not None and at < len(pages):
            origin, y = pages[at].origin, _entry_top(target)
            found.append(Entry(mark.level + 1, title, at + 1, None if y is None or origin is None else origin - y))
    levels = outline_levels([(entry.level, entry.title) for entry in found])
    return tuple(replace(entry, level=level) for entry, level in zip(found, levels, strict=True))


def utf16_text(write: Callable[[Any, int], int], longest: int) -> str:
    """The printable text, with single spaces, that a function of PDFium writes into a buffer of ``longest`` bytes.

    It returns the bytes needed, and writes nothing where these are more.
    """
    buffer = ctypes.create_string_buffer(longest)
    size = write(buffer, longest)
    raw = buffer.raw[: max(0, size - 2)].decode("utf-16-le", "ignore") if size <= longest else ""
    return " ".join(_CONTROLS.sub(" ", raw).split())


def _entry_top(target: Any) -> float | None:
    has = [ctypes.c_int() for _ in range(3)]
    value = [ctypes.c_float() for _ in range(3)]
    pdfium.FPDFDest_GetLocationInPage(target, *has, *value)
    return value[1].value if has[1].value else None


def _has_text(page: Page) -> bool:
    return sum(len(word.text) for word in page.words) >= 3


def _printed(numbers: Sequence[int | None]) -> list[str]:
    """Labels from the page numbers that are printed, where these run on evenly; else none."""
    offsets = [number - at for at, number in enumerate(numbers) if number is not None]
    if not offsets:
        return []
    usual = max(set(offsets), key=offsets.count)
    if offsets.count(usual) * 2 < len(numbers) or usual == 1:
        return []
    return [str(at + usual) if at + usual > 0 else "" for at in range(len(numbers))]


def _title(
    document: PdfDocument, read: dict[int, list[Column]], body: float, headings: set[int]
) -> tuple[str, list[Line]]:
    """The title that the file gives, unless that is a file's name; else the largest type of the first pages."""
    given = utf16_text(partial(pdfium.FPDF_GetMetaText, document, b"Title"), 2048)[:250]
    largest: list[Line] = []
    for number in sorted(read)[:2]:
        lines = [item for column in read[number] for item in column.items if isinstance(item, Line)]
        lines = [line for line in lines if id(line) not in headings and not is_numbered(line.text)]
        size_here = max((line.size for line in lines if len(line.text) > 3), default=0)
        if size_here > 1.25 * body and size_here > max((line.size for line in largest), default=0):
            largest = [line for line in lines if abs(line.size - size_here) < 0.6 and not _HASH.fullmatch(line.text)][
                :4
            ]
    if given and not _FILE_NAME.fullmatch(given):
        return given, largest if bare(" ".join(line.text for line in largest)) == bare(given) else []
    return " ".join(line.text for line in largest)[:250], largest


def _with_title_page(blocks: Sequence[Block]) -> list[Block]:
    """The blocks; what a title page has before the first text (title, authors, addresses, date) is one line of it."""
    heads = takewhile(lambda block: block.kind == "paragraph" and _is_short(block.pieces[0][1]), blocks)
    lines = [block for block in heads if block.pieces[0][0] == blocks[0].pieces[0][0]]
    if not 1 < len(lines) < len(blocks):
        return list(blocks)
    parts = (" ".join(part.split()).rstrip(":") for line in lines for part in line.pieces[0][1].split("\n"))
    words = " · ".join(part for part in parts if not _HASH.fullmatch(part))
    return [Block("paragraph", [(lines[0].pieces[0][0], words)]), *blocks[len(lines) :]]


def _is_short(text: str) -> bool:
    """Whether a paragraph of the title page is no sentence of the text; the full stop of "Inc." ends none."""
    return len(text.split()) <= 25 and ("@" in text or not re.search(r"\w{4}[.!?]$", text.rstrip()))


def _without_contents(blocks: Sequence[Block]) -> list[Block]:
    """The blocks without tables of contents and index, which would be found instead of the sections that they name."""
    out: list[Block] = []
    skipping = False
    for block in blocks:
        if block.kind in ("paragraph", "item") and _is_index(block.pieces[0][1]):
            continue
        if block.kind == "heading" or (block.kind == "paragraph" and is_contents(block.pieces[0][1])):
            skipping = is_contents(block.pieces[0][1])
        elif skipping and block.kind not in ("paragraph", "item"):
            skipping = False
        if not skipping:
            out.append(block)
    return out


def _is_index(text: str) -> bool:
    """Whether these are entries of an index: words with the numbers of their pages."""
    found = list(_INDEXED.finditer(text))
    return len(found) > 3 and sum(len(each[0]) for each in found) > 0.6 * len(text)
