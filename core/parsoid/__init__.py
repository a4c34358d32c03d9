"""Wiki pages as Parsoid writes them, and as offline copies such as Kiwix' keep them: the text under its headings."""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .page import TooDeep, read_page
    from .records import Block, Link, Page, Section

__all__ = [
    "Block",
    "Link",
    "Page",
    "Section",
    "TooDeep",
    "read_page",
]

__getattr__, __dir__ = lazy_names(__name__)
