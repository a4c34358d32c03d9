"""Reads pages in worker processes, which are killed when a page takes too much time or memory."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal, get_args

from pydantic import TypeAdapter, ValidationError

from ragstone.core import SourceError, require_extra
from ragstone.core.runtime import Unanswered, Workers

from .records import Page

if TYPE_CHECKING:
    from ...settings import PageSettings

Reason = Literal["broken", "too_deep", "too_large", "timeout", "crashed"]
_PAGE = TypeAdapter(Page)
_REASONS: tuple[Reason, ...] = get_args(Reason)
_HINTS: dict[str, str] = {
    "too_deep": "no wiki nests like this; leave the page out",
    "too_large": "raise the memory or the size that one page may have, or leave it out",
    "timeout": "raise the seconds that one page may take, or leave it out",
}


class UnreadablePage(SourceError):
    """No text came out of a page; ``reason`` is one word for why."""

    def __init__(self, reason: Reason, detail: str, url: str) -> None:
        self.reason: Reason = reason
        super().__init__(
            f"the page {detail} ({reason})",
            where=url,
            hint=_HINTS.get(reason, "look at the page in a browser; leave it out if it is like this there"),
        )


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
            return _PAGE.validate_python(self._workers.ask_json(request, limits.seconds))
        except Unanswered as error:
            reason: Reason = next((each for each in _REASONS if each == error.reason), "crashed")
            raise UnreadablePage(reason, error.detail, url) from error
        except ValidationError as error:
            raise UnreadablePage("crashed", "gave no valid answer", url) from error

    def close(self) -> None:
        """End the idle workers; pages under way are read to their ends, and a later page starts a new worker."""
        self._workers.close()
