"""Reads pages in worker processes, which are killed when a page takes too much time or memory."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING, Literal, get_args

from pydantic import TypeAdapter, ValidationError

from ragstone.core import SourceError, require_extra
from ragstone.core.runtime import WorkerDied, Workers

from .records import Page

if TYPE_CHECKING:
    from ...settings import PageSettings

Reason = Literal["broken", "too_deep", "too_large", "timeout", "crashed"]
_PAGE = TypeAdapter(Page)
_ANSWER = TypeAdapter(dict[str, object])
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
            f"the page {detail or 'cannot be read'} ({reason})",
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
        try:
            answer = self._workers.ask(json.dumps(language[:35]).encode() + b"\n" + html, limits.seconds)
            content = _ANSWER.validate_json(answer)
            if content.get("status") == "ok":
                return _PAGE.validate_python(content.get("page"))
        except TimeoutError:
            raise UnreadablePage("timeout", f"took longer than {limits.seconds:g} s", url) from None
        except WorkerDied as died:
            raise UnreadablePage(*_reason_of(died.code), url) from died
        except OSError as error:
            raise UnreadablePage("crashed", f"no worker could be started ({error})", url) from error
        except ValidationError as error:
            raise UnreadablePage("crashed", "its worker's answer is invalid", url) from error
        reason = next((each for each in _REASONS if each == content.get("status")), None)
        if reason is None:
            raise UnreadablePage("crashed", "its worker's answer is invalid", url)
        raise UnreadablePage(reason, str(content.get("detail", "")), url)

    def close(self) -> None:
        """End the idle workers; pages under way are read to their ends, and a later page starts a new worker."""
        self._workers.close()


def _reason_of(code: int) -> tuple[Reason, str]:
    if code == -signal.SIGXCPU:
        return "timeout", ""
    if code in (-signal.SIGABRT, -signal.SIGKILL, -signal.SIGSEGV):
        return "too_large", "did not get the memory that it wanted"
    return "crashed", f"its worker ended with {code}"
