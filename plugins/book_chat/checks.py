"""Book chat's health checks."""

from __future__ import annotations

import shutil

from ragstone.core import Check, Host

from .library.shelf import Shelf
from .settings import BookChatSettings


def checks(host: Host) -> list[Check]:
    """Whether OCR can be had where it is wanted; how many books there are to ask, and an empty shelf is no fault."""
    found: list[Check] = []
    if host.hooks.options(BookChatSettings).ocr and shutil.which("tesseract") is None:
        mend = "install tesseract (Debian: apt install tesseract-ocr), or leave ocr of [plugins.book_chat] empty"
        found.append(Check("ocr", False, "tesseract is not installed: pages without text are left out", mend=mend))
    books = Shelf(host).books()
    if not books:
        return [*found, Check("books", True, "none yet", mend="ragstone book add PATH")]
    return [*found, Check("books", True, f"{len(books)} on the shelf")]
