"""One PDF in a fresh process, which is killed when it takes too long: its text, pictures of its pages, their words."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO, Annotated, Any, Self, TypeVar

from pydantic import Base64Bytes, BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from ragstone.core.runtime import Unanswered, Workers

from .limits import MAX_PAGES, characters_for, seconds_for
from .model import Word

Result = TypeVar("Result")
_PageNumber = Annotated[int, Field(ge=1, le=MAX_PAGES)]
_Start = Annotated[tuple[_PageNumber, Annotated[int, Field(ge=0)]], Field(strict=False)]


class Read(BaseModel):
    """The book: normalized Markdown, and where its pages are. Untrusted, as the process has read untrusted input."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    title: Annotated[str, Field(max_length=300)]
    text: str
    pages: Annotated[int, Field(ge=0, le=MAX_PAGES)]
    #: One for each page, or none at all.
    labels: list[Annotated[str, Field(max_length=64)]]
    #: Physical page and the offset in ``text`` at which it begins; pages without text are not in it.
    starts: list[_Start]
    #: Pages that show something and have no text, and pages that could not be loaded.
    needs_ocr: list[_PageNumber]
    broken: list[_PageNumber]
    ocr: list[_PageNumber]

    @model_validator(mode="after")
    def _is_consistent(self) -> Read:
        if self.labels and len(self.labels) != self.pages:
            raise ValueError("a label for each page")
        offsets = [offset for _, offset in self.starts]
        if (
            self.starts != sorted(set(self.starts))
            or offsets != sorted(offsets)
            or max(offsets, default=0) > len(self.text)
        ):
            raise ValueError("page starts out of order")
        return self


READ = TypeAdapter(Read)
_COUNT = TypeAdapter(Annotated[int, Field(ge=0, le=MAX_PAGES)])
_PICTURE = TypeAdapter(Annotated[Base64Bytes, Field(max_length=8_000_000)])
_WORDS = TypeAdapter(Annotated[list[Word], Field(max_length=100_000)])
_PNG = b"\x89PNG"


class PdfProcess:
    """Reads the PDF in an open file. Every method raises ``Unanswered``, and never hangs, whatever the file holds."""

    def __init__(self, path: Path, file: IO[bytes], *, seconds: float, megabytes: int) -> None:
        """``path``: of that file. ``seconds`` of the clock and ``megabytes`` of memory hold for a page, and for up to
        300 and 1,000 pages that are read; see ``limits``."""
        known = os.fstat(file.fileno())
        about = {"path": str(path.absolute()), "identity": [known.st_dev, known.st_ino]}
        self._request = {**about, "seconds": seconds, "megabytes": megabytes}
        self._seconds = seconds
        self._workers = Workers(f"{__package__}.worker")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._workers.close()

    def read(self, words: Mapping[int, Sequence[Word]] | None = None) -> Read:
        """The book. ``words``: of pages that have none in the file, as OCR has found them."""
        recognised = {page: [asdict(word) for word in found] for page, found in (words or {}).items()}
        count = self._ask("count", _COUNT)
        read = self._ask("read", READ, pages=count, recognised=recognised)
        if len(read.text) > characters_for(read.pages):
            raise Unanswered("too_large", "has more text than a book of its pages")
        return read

    def draw(self, number: int, passage: str, quote: str, words: Sequence[Word] = ()) -> bytes:
        """Page ``number`` (from 1) as PNG, the words of the passage and of the quote in it marked.

        ``words``: of a page without text, as OCR has found them.
        """
        recognised = [asdict(word) for word in words]
        drawn = self._ask("draw", _PICTURE, number=number, passage=passage, quote=quote, recognised=recognised)
        if not drawn.startswith(_PNG):
            raise Unanswered("crashed", "gave no picture")
        return drawn

    def recognise(self, number: int, program: str, languages: str) -> list[Word]:
        """The words of page ``number`` (from 1), as tesseract reads them."""
        return self._ask("recognise", _WORDS, number=number, program=program, languages=languages)

    def _ask(self, task: str, kind: TypeAdapter[Result], *, pages: int = 1, **more: Any) -> Result:
        request = json.dumps({**self._request, "task": task, "pages": pages, "more": more}).encode()
        return self._workers.ask_json(request, seconds_for(pages, self._seconds), kind)
