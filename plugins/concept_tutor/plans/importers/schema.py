"""The schema of a plan's file in JSON, which ``tutor export`` writes; the other formats are read into the same."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ..validation import LONGEST_NAME, LONGEST_WORDS


def _as_objects(field: str, value: object) -> object:
    """A list in which a string stands for an object with that field alone."""
    return (
        [{field: one} if isinstance(one, str) else one for one in value] if isinstance(value, list | tuple) else value
    )


class _Schema(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class NeedSchema(_Schema):
    """A prerequisite: the key or the name of a concept of the plan."""

    concept: str = Field(min_length=1, max_length=LONGEST_NAME)
    reason: str = Field(default="", max_length=LONGEST_WORDS)
    weight: float = Field(default=1.0, gt=0, le=1)


class SourceSchema(_Schema):
    """A passage that comes with the plan. Without ``url`` it is opened on a page of our own."""

    page_title: str = Field(min_length=1, max_length=300)
    content: str = Field(min_length=1, max_length=20_000)
    section: str = Field(default="", max_length=1000)
    #: Needed, and empty where it is not known, as of one's own book.
    licence: str = Field(max_length=200)
    url: str = Field(default="", max_length=2000, pattern=r"^(https?://[!-~]+)?$")
    #: The name of the wiki that it is from, or a word for where else.
    source: str = Field(default="seed", min_length=1, max_length=64)
    revision: str = Field(default="", max_length=64)
    retrieved: datetime | None = None
    language: str = Field(default="", max_length=35)
    relevance: float = Field(default=1.0, ge=0, le=1)
    categories: tuple[Annotated[str, Field(max_length=300)], ...] = Field(default=(), max_length=50)


class ConceptSchema(_Schema):
    """A concept; its ``key`` is made of its name where none is given."""

    name: str = Field(min_length=1, max_length=LONGEST_NAME)
    key: str = Field(default="", max_length=80)
    summary: str = Field(default="", max_length=LONGEST_WORDS)
    needs: Annotated[tuple[NeedSchema, ...], BeforeValidator(partial(_as_objects, "concept"))] = ()
    sources: tuple[SourceSchema, ...] = ()


class PlanSchema(_Schema):
    """A plan. ``title`` may be left out if the reader of the file is given one."""

    title: str = Field(default="", max_length=LONGEST_NAME)
    slug: str = Field(default="", max_length=80)
    description: str = Field(default="", max_length=LONGEST_WORDS)
    language: str = Field(default="", max_length=35)
    origin: str = Field(default="", max_length=LONGEST_WORDS)
    concepts: Annotated[tuple[ConceptSchema, ...], BeforeValidator(partial(_as_objects, "name"))]
