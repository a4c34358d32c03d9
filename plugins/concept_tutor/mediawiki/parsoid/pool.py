"""Reads pages in worker processes, which are killed when a page takes too much time or memory."""

from __future__ import annotations

import json

from pydantic import TypeAdapter

from ragstone.core import SourceError, require_extra
from ragstone.core.parsoid import Page
from ragstone.core.runtime import Unanswered, Workers

from ...settings import PageSettings

_PAGE = TypeAdapter(Page)
_HINTS = {
    **dict.fromkeys(("broken", "crashed"), "look at the page in a browser; leave it out if it is like this there"),
    "too_deep": "no wiki nests like this; leave the page out",
    "too_large": "raise the memory or the size that one page may have, or leave it out",
    "timeout": "raise the seconds that one page may take, or leave it out",
}


class UnreadablePage(SourceError):
    """No text came out of a page; ``reason`` is one word: broken, too_deep, too_large, timeout, crashed."""

    def __init__(self, reason: str, detail: str, url: str) -> None:
        self.reason = reason if reason in _HINTS else "crashed"
        super().__init__(f"the page {detail} ({self.reason})", where=url, hint=_HINTS[self.reason])


class PageWorkers:
    """The worker processes, one for each thread that reads at the same time; they end with ``close``.

    Raises ``MissingExtra`` without lxml.
    """

    def __init__(self, limits: PageSettings) -> None:
        require_extra("tutor", "lxml")
        self._limits = limits
        self._workers = Workers(f"{__package__}.worker", repr(self._limits.seconds), str(self._limits.megabytes))

    def read(self, html: bytes, url: str, language: str = "") -> Page:
        """The page's sections and links. Raises ``UnreadablePage``; never hangs, whatever ``html`` holds."""
        limits = self._limits
        if len(html) > limits.page_bytes:
            raise UnreadablePage("too_large", f"has {len(html):,} bytes, more than {limits.page_bytes:,}", url)
        request = json.dumps(language[:35]).encode() + b"\n" + html
        try:
            return self._workers.ask_json(request, limits.seconds, _PAGE)
        except Unanswered as error:
            raise UnreadablePage(error.reason, error.detail, url) from error

    def close(self) -> None:
        """End the idle workers; pages under way are read to their ends, and a later page starts a new worker."""
        self._workers.close()
