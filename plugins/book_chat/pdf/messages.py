"""The messages of the subprocess, validated: it has read untrusted input, so they are untrusted too."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from .limits import MAX_PAGES

#: Why a PDF has no text to give.
Reason = Literal["needs_ocr", "encrypted", "broken", "too_large", "timeout", "crashed"]

_PageNumber = Annotated[int, Field(ge=1, le=MAX_PAGES)]


class _Message(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Opened(_Message):
    """The file could be opened."""

    pages: Annotated[int, Field(ge=0, le=MAX_PAGES)]


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


OPENED: TypeAdapter[Opened | Refused] = TypeAdapter(Opened | Refused)
FINAL: TypeAdapter[Read | Refused] = TypeAdapter(Read | Refused)
