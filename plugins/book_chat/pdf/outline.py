"""The outline of a PDF: entries with the places that they lead to, however it is linked."""

from __future__ import annotations

import ctypes
import re
from typing import TYPE_CHECKING, Any

import pypdfium2.raw as pdfium

from .model import Entry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .model import Page

#: Entries that are read; the book of most entries that we know has some three thousand.
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


def _title(mark: Any) -> str:
    size = min(pdfium.FPDFBookmark_GetTitle(mark, None, 0), 4096)
    buffer = ctypes.create_string_buffer(size + 2)
    pdfium.FPDFBookmark_GetTitle(mark, buffer, size)
    raw = buffer.raw[: max(0, size - 2)].decode("utf-16-le", "ignore")
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
