"""The options for reading pages, as a table for the plugin's settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field, model_validator

from ragstone.core import Table

from .killable import Limits

if TYPE_CHECKING:
    from .parser import ParsoidNodeParser


class PageSettings(Table):
    """What a page may cost, how long its chunks are, and how many of them are kept."""

    #: Seconds and megabytes of memory that reading one page may take, and bytes that its HTML may have.
    seconds: float = Field(default=20.0, gt=0, le=600)
    megabytes: int = Field(default=1000, ge=100, le=64_000)
    page_bytes: int = Field(default=20_000_000, gt=0)
    #: Words of a chunk; a piece below ``shortest`` is joined to a neighbour of its section or left out.
    min_words: int = Field(default=150, gt=0)
    max_words: int = Field(default=250, gt=0)
    shortest: int = Field(default=30, ge=1)
    #: Chunks kept of one page, and of all pages of a concept.
    chunks_a_page: int = Field(default=6, ge=1)
    chunks_a_concept: int = Field(default=8, ge=1)

    @model_validator(mode="after")
    def _in_order(self) -> PageSettings:
        if not self.shortest <= self.min_words <= self.max_words:
            raise ValueError("shortest, min_words and max_words must not fall")
        return self

    def limits(self) -> Limits:
        """For ``ParsoidReader``."""
        return Limits(self.seconds, self.megabytes, self.page_bytes)

    def node_parser(self) -> ParsoidNodeParser:
        """With these lengths."""
        from .parser import ParsoidNodeParser

        return ParsoidNodeParser(min_words=self.min_words, max_words=self.max_words, shortest=self.shortest)
