"""The result of adding a book."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .files import LeftOut


@dataclass
class AddReport:
    """The result of adding a book, file by file."""

    book: str
    title: str
    edition: str
    layout: str
    #: The folder of the pages within what was given.
    site: str = "."
    authors: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    #: Physical pages (from 1) of a PDF that show something and have no text, and those that cannot be loaded.
    needs_ocr: dict[str, list[int]] = field(default_factory=dict)
    broken_pages: dict[str, list[int]] = field(default_factory=dict)
    #: Pages that were read by OCR.
    ocr_pages: dict[str, list[int]] = field(default_factory=dict)
    chunks: int = 0
