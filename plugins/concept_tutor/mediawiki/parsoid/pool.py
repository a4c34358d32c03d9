"""Pages, read in worker processes that are killed when a page takes too long, too much memory, or crashes them."""

from __future__ import annotations

import json
import signal
from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import TypeAdapter, ValidationError

from ragstone.core.runtime import WorkerDied, Workers

from .records import Page

Reason = Literal["broken", "too_deep", "too_large", "timeout", "crashed"]
_PAGE = TypeAdapter(Page)
_ANSWER = TypeAdapter(dict[str, object])
_REASONS: tuple[Reason, ...] = get_args(Reason)


@dataclass(frozen=True)
class Limits:
    """What one page may cost."""

    #: Of the clock. One tag of 80,000 attributes alone takes the parser 5 to 20.
    seconds: float = 20.0
    #: Of address space. A page of 2.5 MB takes some 200, the interpreter 26 of them.
    megabytes: int = 1000
    #: The largest HTML that is looked at; the largest pages of Wikipedia have 10 MB.
    page_bytes: int = 20_000_000


class Failed(Exception):
    """No text came back; ``reason`` is one word for it, ``detail`` a sentence or nothing."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason: Reason = reason
        self.detail = detail


class PageWorkers:
    """Worker processes that read pages, one for each thread that reads at the same time."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._workers = Workers(
            "ragstone.plugins.concept_tutor.mediawiki.parsoid.worker", repr(limits.seconds), str(limits.megabytes)
        )

    def read(self, raw: bytes, language: str = "") -> Page:
        """The page, read by a worker process. Raises ``Failed``; never hangs, whatever ``raw`` holds."""
        limits = self.limits
        if len(raw) > limits.page_bytes:
            raise Failed("too_large", f"has {len(raw):,} bytes, more than {limits.page_bytes:,}")
        try:
            answer = self._workers.ask(json.dumps(language[:35]).encode() + b"\n" + raw, limits.seconds)
        except TimeoutError:
            raise Failed("timeout", f"took longer than {limits.seconds:g} s") from None
        except WorkerDied as died:
            raise _failed(died.code) from died
        except OSError as error:
            raise Failed("crashed", f"no worker could be started ({error})") from error
        return _page(answer)

    def close(self) -> None:
        """End the idle workers; pages under way are read to their ends."""
        self._workers.close()


def _failed(code: int) -> Failed:
    if code == -signal.SIGXCPU:
        return Failed("timeout")
    if code in (-signal.SIGABRT, -signal.SIGKILL, -signal.SIGSEGV):
        return Failed("too_large", "did not get the memory that it wanted")
    return Failed("crashed", f"its worker ended with {code}")


def _page(answer: bytes) -> Page:
    try:
        content = _ANSWER.validate_json(answer)
        if content.get("status") == "ok":
            return _PAGE.validate_python(content.get("page"))
    except ValidationError as error:
        raise Failed("crashed", "its worker's answer is invalid") from error
    reason = next((each for each in _REASONS if each == content.get("status")), None)
    if reason is None:
        raise Failed("crashed", "its worker's answer is invalid")
    raise Failed(reason, str(content.get("detail", "")))
