"""The outline of a PDF: entries with the places that they link to."""

from __future__ import annotations

import ctypes
import re
from functools import partial
from typing import TYPE_CHECKING, Any

import pypdfium2.raw as pdfium

from .model import Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .model import Page

#: Entries that are read; the longest that was measured had some 3,000.
MAX_ENTRIES = 20_000
_DEEPEST = 12


def read_outline(document: Any, pages: Sequence[Page]) -> tuple[Entry, ...]:
    """The entries in reading order. One that was met before (a cycle) ends its chain; see ISO 32000-1, 12.3.3."""
    found: list[Entry] = []
    seen: set[int] = set()
    stack = [(pdfium.FPDFBookmark_GetFirstChild(document, None), 1)]
    while stack and len(found) < MAX_ENTRIES:
        mark, level = stack.pop()
        at = ctypes.cast(mark, ctypes.c_void_p).value if mark else None
        if at is None or at in seen:
            continue
        seen.add(at)
        stack.append((pdfium.FPDFBookmark_GetNextSibling(document, mark), level))
        if level < _DEEPEST:
            stack.append((pdfium.FPDFBookmark_GetFirstChild(document, mark), level + 1))
        title, page = _title(mark), _page(document, mark)
        if title and page is not None and 0 <= page[0] < len(pages):
            origin = pages[page[0]].origin
            top = None if page[1] is None or origin is None else origin - page[1]
            found.append(Entry(level, title, page[0] + 1, top))
    return tuple(found)


def utf16_text(write: Callable[[Any, int], int], longest: int) -> str:
    """The text that a function of PDFium writes into a buffer of ``longest`` bytes; it returns the bytes needed."""
    buffer = ctypes.create_string_buffer(longest)
    size = min(write(buffer, longest), longest)
    return buffer.raw[: max(0, size - 2)].decode("utf-16-le", "ignore")


def _title(mark: Any) -> str:
    raw = utf16_text(partial(pdfium.FPDFBookmark_GetTitle, mark), 4096)
    return " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\ue000-\uf8ff]", " ", raw).split())[:500]


def _page(document: Any, mark: Any) -> tuple[int, float | None] | None:
    target = pdfium.FPDFBookmark_GetDest(document, mark)
    if not target:
        action = pdfium.FPDFBookmark_GetAction(mark)
        if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_GOTO:
            return None
        target = pdfium.FPDFAction_GetDest(document, action)
        if not target:
            return None
    has = [ctypes.c_int() for _ in range(3)]
    value = [ctypes.c_float() for _ in range(3)]
    pdfium.FPDFDest_GetLocationInPage(target, *has, *value)
    page: int = pdfium.FPDFDest_GetDestPageIndex(document, target)
    return page, value[1].value if has[1].value else None
