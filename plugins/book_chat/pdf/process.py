"""Reads one PDF in a subprocess, which is killed when it takes too long, sends too much or nothing."""

from __future__ import annotations

import json
import os
import re
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from ragstone.core.runtime import Unanswered, run_in_subprocess

from .limits import MAX_PAGES, output_for, seconds_for

if TYPE_CHECKING:
    from .model import Word

_PageNumber = Annotated[int, Field(ge=1, le=MAX_PAGES)]


class _Message(BaseModel):
    """Of the subprocess, which has read untrusted input: so its messages are untrusted too."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Refused(_Message):
    """Nothing was read."""

    status: Literal["encrypted", "broken", "too_large"]
    detail: Annotated[str, Field(max_length=400)]


class Read(_Message):
    """The book: normalized Markdown, and where its pages are."""

    status: Literal["read"]
    title: Annotated[str, Field(max_length=300)]
    text: str
    pages: Annotated[int, Field(ge=0, le=MAX_PAGES)]
    #: One for each page, or none at all.
    labels: list[Annotated[str, Field(max_length=64)]]
    #: Physical page and the offset in ``text`` at which it begins; pages without text are not in it.
    starts: list[tuple[_PageNumber, Annotated[int, Field(ge=0)]]]
    #: Pages that show something and have no text, and pages that could not be loaded.
    needs_ocr: list[_PageNumber]
    broken: list[_PageNumber]
    #: Pages that OCR has read.
    ocr: list[_PageNumber] = Field(default_factory=list)

    @model_validator(mode="after")
    def _is_consistent(self) -> Read:
        if self.labels and len(self.labels) != self.pages:
            raise ValueError("a label for each page")
        if any(offset > len(self.text) for _, offset in self.starts) or self.starts != sorted(set(self.starts)):
            raise ValueError("page starts out of order")
        if [offset for _, offset in self.starts] != sorted(offset for _, offset in self.starts):
            raise ValueError("page starts out of order")
        return self


FINAL: TypeAdapter[Read | Refused] = TypeAdapter(Read | Refused)
#: The first line, if the file could be opened: the number of its pages. Without it a message has so many bytes at most.
_COUNT, _LONGEST_FIRST = re.compile(rb"(\d{1,5})\n"), 4_096
#: Bytes of a picture at most, and how it begins and ends.
_PNG, _GREY = (8_000_000, b"\x89PNG", b"IEND\xaeB`\x82"), (40_000_000, b"P5", b"")


def read_in_subprocess(
    file: IO[bytes], *, seconds: float, megabytes: int, words: Mapping[int, Sequence[Word]] | None = None
) -> Read:
    """The book in ``file``, read by a fresh interpreter. Raises ``Unanswered``; never hangs, whatever the file holds.

    ``seconds`` of the clock and ``megabytes`` of memory hold for up to 300 and 1,000 pages; see ``limits``. ``words``:
    of pages that have none in the file, as OCR has found them.
    """
    file.seek(0)
    with NamedTemporaryFile("w", suffix=".json") as recognised:
        json.dump({page: [asdict(word) for word in found] for page, found in (words or {}).items()}, recognised)
        recognised.flush()
        arguments = (repr(seconds), str(megabytes), *((recognised.name,) if words else ()))
        with run_in_subprocess(__package__ or "", *arguments, stdin=file) as process:
            return _receive(process, seconds)


def draw_in_subprocess(
    file: IO[bytes], page: int, marks: Mapping[str, str] | None = None, *, seconds: float, megabytes: int
) -> bytes:
    """Page ``page`` (from 1) of the PDF in ``file`` as PNG, with the words of ``marks`` marked (see ``render``).

    Without ``marks`` it is a PGM in grey, as OCR wants it. Raises ``Unanswered``; never hangs, whatever the file holds.
    """
    most, start, end = _GREY if marks is None else _PNG
    arguments = (str(page), repr(seconds), str(megabytes), *(("grey",) if marks is None else ()))
    file.seek(0)
    with run_in_subprocess(f"{__package__}.render", *arguments, stdin=file, environment=marks) as process:
        received = collect(process, seconds, most)
        if not (received.startswith(start) and received.endswith(end)):
            raise _end_of(process)
        return received


def collect(process: subprocess.Popen[bytes], seconds: float, most: int) -> bytes:
    """All that a subprocess writes. Raises ``Unanswered`` for more than ``most`` bytes, and after so many seconds."""
    received = bytearray()
    for part in _parts(process, lambda: seconds):
        received += part
        if len(received) > most:
            raise Unanswered("too_large", "is a picture of too many bytes")
    return bytes(received)


def _parts(process: subprocess.Popen[bytes], seconds: Callable[[], float]) -> Iterator[bytes]:
    """What the subprocess writes, until it closes its output. Raises ``Unanswered`` after so many ``seconds``."""
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
    raise Unanswered("timeout", f"took longer than {seconds():.0f} s")


def _receive(process: subprocess.Popen[bytes], seconds: float) -> Read:
    received, pages = b"", list[int]()
    for part in _parts(process, lambda: seconds_for(max(pages, default=1), seconds)):
        received += part
        if not pages and (first := _COUNT.match(received)):
            pages.append(min(int(first[1]), MAX_PAGES))
            received = received[first.end() :]
        if len(received) > (output_for(pages[0]) if pages else _LONGEST_FIRST):
            raise Unanswered("too_large", "has more text than a book of its pages")
    if not received.endswith(b"\n"):
        raise _end_of(process)
    try:
        message = FINAL.validate_json(received)
    except ValidationError as error:
        raise Unanswered("crashed", "its reader sent no valid message") from error
    if isinstance(message, Refused):
        raise Unanswered(message.status, message.detail)
    return message


def _end_of(process: subprocess.Popen[bytes]) -> Unanswered:
    try:
        code = process.wait(10)
    except subprocess.TimeoutExpired:
        return Unanswered("crashed", "its reader went silent")
    if code == -signal.SIGXCPU:
        return Unanswered("timeout", "")
    # PDFium ends the process when it gets no memory.
    if code in (-signal.SIGABRT, -signal.SIGTRAP, -signal.SIGILL, -signal.SIGKILL):
        return Unanswered("too_large", "")
    return Unanswered("crashed", f"its reader ended with {code}")
