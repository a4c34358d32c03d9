"""Reads one PDF in a subprocess, which is killed when it takes too long, sends too much or nothing."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import time
from dataclasses import asdict
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING, TypeVar

from pydantic import TypeAdapter, ValidationError

from ragstone.core.runtime import run_in_subprocess

from .limits import output_for, seconds_for
from .messages import FINAL, OPENED, Opened, Read, Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from .messages import Reason
    from .model import Word

Message = TypeVar("Message", Opened, Read)

_LONGEST_FIRST = 4_096  # bytes
_MOST_PICTURE, _MOST_DRAWN = 8_000_000, 40_000_000


class ReadFailed(Exception):
    """The subprocess sent no text; ``reason`` is one word, ``detail`` a sentence or nothing."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason: Reason = reason
        self.detail = detail


def read_in_subprocess(
    file: IO[bytes], *, seconds: float, megabytes: int, words: Mapping[int, Sequence[Word]] | None = None
) -> Read:
    """The book in ``file``, read by a fresh interpreter. Raises ``ReadFailed``; never hangs, whatever the file holds.

    ``seconds`` of the clock and ``megabytes`` of memory hold for up to 300 and 1,000 pages; see ``limits``. ``words``:
    of pages that have none in the file, as OCR has found them.
    """
    file.seek(0)
    with NamedTemporaryFile("w", suffix=".json") as recognised:
        json.dump({page: [asdict(word) for word in found] for page, found in (words or {}).items()}, recognised)
        recognised.flush()
        arguments = (repr(seconds), str(megabytes), *((recognised.name,) if words else ()))
        return _read(file, arguments, seconds)


def _read(file: IO[bytes], arguments: Sequence[str], seconds: float) -> Read:
    with run_in_subprocess("ragstone.plugins.book_chat.pdf", *arguments, stdin=file) as process:
        return _receive(process, seconds)


def draw_in_subprocess(
    file: IO[bytes], page: int, marks: Mapping[str, str], *, seconds: float, megabytes: int
) -> bytes:
    """Page ``page`` (from 1) of the PDF in ``file`` as PNG, with the words of ``marks`` marked (see ``render``).

    Raises ``ReadFailed``; never hangs, whatever the file holds.
    """
    file.seek(0)
    module, limits = f"{__package__}.render", (repr(seconds), str(megabytes))
    with run_in_subprocess(module, str(page), *limits, stdin=file, environment=marks) as process:
        received = collect(process, seconds, _MOST_PICTURE)
        if not received.startswith(b"\x89PNG") or not received.endswith(b"IEND\xaeB`\x82"):
            raise ReadFailed(*_exit_reason(process))
        return received


def draw_for_ocr(file: IO[bytes], page: int, *, seconds: float, megabytes: int) -> bytes:
    """Page ``page`` (from 1) in grey, as OCR wants it. Raises ``ReadFailed``; never hangs, whatever the file holds."""
    file.seek(0)
    arguments = (str(page), repr(seconds), str(megabytes), "grey")
    with run_in_subprocess(f"{__package__}.render", *arguments, stdin=file) as process:
        received = collect(process, seconds, _MOST_DRAWN)
        if not received.startswith(b"P5"):
            raise ReadFailed(*_exit_reason(process))
        return received


def collect(process: subprocess.Popen[bytes], seconds: float, most: int) -> bytes:
    """All that a subprocess writes. Raises ``ReadFailed`` for more than ``most`` bytes, and after so many seconds."""
    received = bytearray()
    for part in _parts(process, lambda: seconds):
        received += part
        if len(received) > most:
            raise ReadFailed("too_large", "is a picture of too many bytes")
    return bytes(received)


def _parts(process: subprocess.Popen[bytes], seconds: Callable[[], float]) -> Iterator[bytes]:
    """What the subprocess writes, until it closes its output. Raises ``ReadFailed`` after so many ``seconds``."""
    assert process.stdout is not None  # noqa: S101
    began = time.monotonic()
    os.set_blocking(process.stdout.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while (left := began + seconds() - time.monotonic()) > 0:
            if selector.select(left):
                part = os.read(process.stdout.fileno(), 1 << 16)
                if not part:
                    return
                yield part
    raise ReadFailed("timeout", f"took longer than {seconds():.0f} s")


def _receive(process: subprocess.Popen[bytes], seconds: float) -> Read:
    received = b""
    opened: list[Opened] = []
    for part in _parts(process, lambda: seconds_for(opened[0].pages if opened else 1, seconds)):
        received += part
        if not opened and b"\n" in received:
            first, _, received = received.partition(b"\n")
            opened.append(_parsed(OPENED, first))
        if len(received) > (output_for(opened[0].pages) if opened else _LONGEST_FIRST):
            raise ReadFailed("too_large", "has more text than a book of its pages")
    if not opened or not received.endswith(b"\n"):
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
