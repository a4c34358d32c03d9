"""A child process that reads one page and is killed when it takes too long, says too much or does not answer."""

from __future__ import annotations

import signal
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import TypeAdapter, ValidationError

from ragstone.core import apart

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
    #: Of address space. A page of 2.5 MB takes some 200.
    megabytes: int = 1000
    #: The largest HTML that is looked at; the largest pages of Wikipedia have 10 MB.
    page_bytes: int = 20_000_000


class Failed(Exception):
    """No text came back; ``reason`` is one word for it, ``detail`` a sentence or nothing."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason: Reason = reason
        self.detail = detail


def read_in_child(raw: bytes, limits: Limits, language: str = "") -> Page:
    """The page, read by a fresh interpreter. Raises ``Failed``; never hangs, whatever ``raw`` holds."""
    if len(raw) > limits.page_bytes:
        raise Failed("too_large", f"has {len(raw):,} bytes, more than {limits.page_bytes:,}")
    module = "ragstone.plugins.concept_tutor.parsoid"
    arguments = (repr(limits.seconds), str(limits.megabytes), language[:35])
    with tempfile.TemporaryFile() as file:
        file.write(raw)
        file.seek(0)
        with apart(module, *arguments, stdin=file) as process:
            try:
                # What it says is bounded by its memory, which its limit holds.
                said, _ = process.communicate(timeout=limits.seconds)
            except subprocess.TimeoutExpired:
                raise Failed("timeout", f"took longer than {limits.seconds:g} s") from None
    return _page(said, process.returncode)


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
