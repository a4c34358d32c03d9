"""A plan's file in JSON: its schema, and a stored plan written in it; the other formats are read into the same."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .. import CHUNKS
from ..records import SourceChunk
from ..store import PlanStore
from ..validation import LONGEST_NAME, LONGEST_WORDS


class _Schema(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    #: A string stands for an object with this field alone.
    string_field: ClassVar[str | None] = None

    @model_validator(mode="before")
    @classmethod
    def _of_string(cls, value: object) -> object:
        return {cls.string_field: value} if cls.string_field is not None and isinstance(value, str) else value


class NeedSchema(_Schema):
    """A prerequisite: the key or the name of a concept of the plan."""

    string_field = "concept"

    concept: str = Field(min_length=1, max_length=LONGEST_NAME)
    reason: str = Field(default="", max_length=LONGEST_WORDS)
    weight: float = Field(default=1.0, gt=0, le=1)


class SourceSchema(_Schema):
    """A chunk that comes with the plan. Without ``url`` it is opened on a page of our own."""

    page_title: str = Field(min_length=1, max_length=300)
    content: str = Field(min_length=1, max_length=20_000)
    section: str = Field(default="", max_length=1000)
    #: Needed, and empty where it is not known, as of one's own book.
    licence: str = Field(max_length=200)
    url: str = Field(default="", max_length=2000, pattern=r"^(https?://[!-~]+)?$")
    #: The name of the wiki that it is from, or a word for where else.
    source: str = Field(default="seed", min_length=1, max_length=300)
    revision: str = Field(default="", max_length=64)
    retrieved: datetime | None = None
    language: str = Field(default="", max_length=35)
    relevance: float = Field(default=1.0, ge=0, le=1)
    categories: tuple[Annotated[str, Field(max_length=300)], ...] = Field(default=(), max_length=50)


class ConceptSchema(_Schema):
    """A concept; its ``key`` is made of its name where none is given."""

    string_field = "name"

    name: str = Field(min_length=1, max_length=LONGEST_NAME)
    key: str = Field(default="", max_length=80)
    summary: str = Field(default="", max_length=LONGEST_WORDS)
    needs: tuple[NeedSchema, ...] = ()
    sources: tuple[SourceSchema, ...] = ()


class PlanSchema(_Schema):
    """A plan. ``title`` may be left out if the reader of the file is given one."""

    title: str = Field(default="", max_length=LONGEST_NAME)
    slug: str = Field(default="", max_length=80)
    description: str = Field(default="", max_length=LONGEST_WORDS)
    language: str = Field(default="", max_length=35)
    origin: str = Field(default="", max_length=LONGEST_WORDS)
    concepts: tuple[ConceptSchema, ...]


def export_plan(store: PlanStore, slug: str) -> dict[str, Any]:
    """The plan as ``PlanSchema`` describes it, ready for JSON. Raises ``NotFound``."""
    plan, edges, sources = store.plan(slug), store.edges(slug), store.all_sources(slug)
    return {
        **{name: getattr(plan, name) for name in PlanSchema.model_fields if name != "concepts"},
        "concepts": [
            {
                "key": one.key,
                "name": one.name,
                "summary": one.summary,
                "needs": [
                    {"concept": edge.prerequisite, "reason": edge.reason, "weight": edge.weight}
                    for edge in edges
                    if edge.concept == one.key
                ],
                "sources": [_source(chunk) for chunk in sources[one.key]],
            }
            for one in store.concepts(slug)
        ],
    }


def _source(chunk: SourceChunk) -> dict[str, Any]:
    url = "" if chunk.page_url.startswith(CHUNKS) else chunk.page_url
    own = {"url": url, "retrieved": chunk.retrieved.isoformat(), "categories": list(chunk.categories)}
    return {name: own[name] if name in own else getattr(chunk, name) for name in SourceSchema.model_fields}
