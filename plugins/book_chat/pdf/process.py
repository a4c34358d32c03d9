"""Reads one PDF in a subprocess, which is killed when it takes too long, sends too much or nothing."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from typing import IO, TYPE_CHECKING, TypeVar

from pydantic import TypeAdapter, ValidationError

from ragstone.core.runtime import run_in_subprocess

from .limits import output_for, seconds_for
from .messages import FINAL, OPENED, Opened, Read, Refused

if TYPE_CHECKING:
    from .messages import Reason

Message = TypeVar("Message", Opened, Read)

_LONGEST_FIRST = 4_096  # bytes


class ReadFailed(Exception):
    """The subprocess sent no text; ``reason`` is one word, ``detail`` a sentence or nothing."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason: Reason = reason
        self.detail = detail


def read_in_subprocess(file: IO[bytes], *, seconds: float, megabytes: int) -> Read:
    """The book in ``file``, read by a fresh interpreter. Raises ``ReadFailed``; never hangs, whatever the file holds.

    ``seconds`` of the clock and ``megabytes`` of memory hold for up to 300 and 1,000 pages; see ``limits``.
    """
    file.seek(0)
    with run_in_subprocess("ragstone.plugins.book_chat.pdf", repr(seconds), str(megabytes), stdin=file) as process:
        return _receive(process, seconds)


def _receive(process: subprocess.Popen[bytes], seconds: float) -> Read:
    assert process.stdout is not None  # noqa: S101
    began = time.monotonic()
    received, pages = b"", None
    os.set_blocking(process.stdout.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            left = began + seconds_for(pages or 1, seconds) - time.monotonic()
            if left <= 0:
                raise ReadFailed("timeout", f"took longer than {seconds_for(pages or 1, seconds):.0f} s")
            if not selector.select(left):
                continue
            part = os.read(process.stdout.fileno(), 1 << 16)
            received += part
            if pages is None and b"\n" in received:
                first, _, received = received.partition(b"\n")
                pages = _parsed(OPENED, first).pages
            if len(received) > (_LONGEST_FIRST if pages is None else output_for(pages)):
                raise ReadFailed("too_large", "has more text than a book of its pages")
            if not part:
                break
    if pages is None or not received.endswith(b"\n"):
        raise ReadFailed(*_exit_reason(process))
    return _parsed(FINAL, received)


def _parsed(kind: TypeAdapter[Message | Refused], line: bytes) -> Message:
    try:
        message = kind.validate_json(line)
    except ValidationError as error:
        raise ReadFailed("crashed", "its reader sent no valid message") from error
    if isinstance(message, Refused):
        raise ReadFailed(message.status, message.detail)
    return message


def _exit_reason(process: subprocess.Popen[bytes]) -> tuple[Reason, str]:
    """Why a subprocess ended without its last message."""
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
