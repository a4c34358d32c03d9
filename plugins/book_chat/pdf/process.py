"""A child process that reads one PDF and is killed when it takes too long, says too much or does not answer."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from typing import IO, TYPE_CHECKING

from pydantic import ValidationError

from ragstone.core.runtime import run_in_subprocess

from .limits import answer_for, seconds_for
from .messages import FINAL, OPENED, Read, Refused

if TYPE_CHECKING:
    from .messages import Reason

_FIRST_ANSWER = 4_096  # bytes


class Failed(Exception):
    """No text came back; ``reason`` is one word for it, ``detail`` a sentence or nothing."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason: Reason = reason
        self.detail = detail


def read_in_child(file: IO[bytes], *, seconds: float, megabytes: int) -> Read:
    """The book in ``file``, read by a fresh interpreter. Raises ``Failed``; never hangs, whatever the file holds.

    ``seconds`` of the clock and ``megabytes`` of memory hold for up to 300 and 1,000 pages; see ``limits``.
    """
    file.seek(0)
    with run_in_subprocess("ragstone.plugins.book_chat.pdf", repr(seconds), str(megabytes), stdin=file) as process:
        return _listen(process, seconds)


def _listen(process: subprocess.Popen[bytes], seconds: float) -> Read:
    assert process.stdout is not None  # noqa: S101
    began = time.monotonic()
    said, pages = b"", None
    os.set_blocking(process.stdout.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            left = began + seconds_for(pages or 1, seconds) - time.monotonic()
            if left <= 0:
                raise Failed("timeout", f"took longer than {seconds_for(pages or 1, seconds):.0f} s")
            if not selector.select(left):
                continue
            part = os.read(process.stdout.fileno(), 1 << 16)
            said += part
            if pages is None and b"\n" in said:
                first, _, said = said.partition(b"\n")
                opened = _checked(first)
                pages = opened
            if len(said) > (_FIRST_ANSWER if pages is None else answer_for(pages)):
                raise Failed("too_large", "has more text than a book of its pages")
            if not part:
                break
    if pages is None or not said.endswith(b"\n"):
        raise Failed(*_death(process))
    try:
        answer = FINAL.validate_json(said)
    except ValidationError as error:
        raise Failed("crashed", "its reader gave no sense") from error
    if isinstance(answer, Refused):
        raise Failed(answer.status, answer.detail)
    return answer


def _checked(line: bytes) -> int:
    try:
        opened = OPENED.validate_json(line)
    except ValidationError as error:
        raise Failed("crashed", "its reader gave no sense") from error
    if isinstance(opened, Refused):
        raise Failed(opened.status, opened.detail)
    return opened.pages


def _death(process: subprocess.Popen[bytes]) -> tuple[Reason, str]:
    """What a child without a last word died of."""
    try:
        code = process.wait(10)
    except subprocess.TimeoutExpired:
        return "crashed", "its reader went silent"
    if code == -signal.SIGXCPU:
        return "timeout", ""
    # PDFium ends the process when it gets no memory.
    if code in (-signal.SIGABRT, -signal.SIGTRAP, -signal.SIGILL, -signal.SIGKILL):
        return "too_large", ""
    return "crashed", f"its reader ended with {code}"
