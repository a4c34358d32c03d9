"""Pages, each read by a process of its own, which is killed when it takes too long or does not answer."""

from __future__ import annotations

import signal
import tempfile
from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import TypeAdapter, ValidationError

from ragstone.core.runtime import ForkServer

from .found import Page

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


class PageReaders:
    """The processes that read pages, several at once if several threads want it. What they share ends with them."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._forks = ForkServer("ragstone.plugins.concept_tutor.parsoid.child")

    def read(self, raw: bytes, language: str = "") -> Page:
        """The page, read by a process that saw no other. Raises ``Failed``; never hangs, whatever ``raw`` holds."""
        limits = self.limits
        if len(raw) > limits.page_bytes:
            raise Failed("too_large", f"has {len(raw):,} bytes, more than {limits.page_bytes:,}")
        arguments = (repr(limits.seconds), str(limits.megabytes), language[:35])
        with tempfile.TemporaryFile() as file:
            file.write(raw)
            try:
                # What it says is bounded by its memory, which its limit holds.
                ended = self._forks.run(*arguments, stdin=file, seconds=limits.seconds)
            except TimeoutError:
                raise Failed("timeout", f"took longer than {limits.seconds:g} s") from None
            except ChildProcessError as error:
                raise Failed("crashed", "lost its reader twice") from error
        return _page(ended.said, ended.code)

    def close(self) -> None:
        """Keep nothing for further pages; those under way are read to their ends."""
        self._forks.close()


def _page(said: bytes, code: int) -> Page:
    if not said.endswith(b"\n"):
        if code == -signal.SIGXCPU:
            raise Failed("timeout")
        if code in (-signal.SIGABRT, -signal.SIGKILL, -signal.SIGSEGV):
            raise Failed("too_large", "did not get the memory that it wanted")
        raise Failed("crashed", f"its reader ended with {code}")
    try:
        answer = _ANSWER.validate_json(said)
        if answer.get("status") == "ok":
            return _PAGE.validate_python(answer.get("page"))
    except ValidationError as error:
        raise Failed("crashed", "its reader gave no sense") from error
    reason = next((each for each in _REASONS if each == answer.get("status")), None)
    if reason is None:
        raise Failed("crashed", "its reader gave no sense")
    raise Failed(reason, str(answer.get("detail", "")))
