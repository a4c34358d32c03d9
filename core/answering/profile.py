"""An assistant's profile: what its users see of it, and how its questions can be filtered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

from ..errors import BadRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from llama_index.core.schema import BaseNode

    from .guard import Guard

#: A value that a passage's metadata must have, or several of which it must have one.
Condition = str | tuple[str, ...]
Conditions = Mapping[str, Condition]


@dataclass(frozen=True)
class Profile:
    """What an assistant is to those who ask it."""

    name: str
    title: str
    description: str
    #: Metadata of a passage that its citations show, in this order.
    fields: tuple[str, ...]
    #: The polite refusal; gets what the question was narrowed to.
    refusal: Callable[[Mapping[str, str]], str]
    #: Address of a passage.
    url: Callable[[BaseNode], str]
    #: Name of the prompt template for a language model.
    prompt: str
    examples: Callable[[], tuple[str, ...]] = tuple
    #: Metadata keys by which a question can be narrowed, with a help text.
    narrowings: Mapping[str, str] = field(default_factory=dict)
    #: The values of a narrowing that takes no others.
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: A passage by its chunk id, where the corpus does not keep them. Raises ``NotFound``.
    passage: Callable[[str], BaseNode] | None = None
    #: What passages' metadata must be for a question narrowed like this; of several values one. Raises ``BadRequest``.
    conditions: Callable[[Mapping[str, str]], Conditions] = dict
    top_k: int = 5
    #: Has a say over every answer.
    guard: Guard | None = None
    #: What a passage is about that its sentences must not be taken without ("In simulation"); ``None`` for the most.
    setting: Callable[[BaseNode], str | None] = lambda _node: None
    #: What else a passage's citations show.
    shown: Callable[[BaseNode], Mapping[str, Any]] = lambda _node: {}
    page: str | None = None
    query_path: str | None = None
    selection_path: str | None = None

    def checked(self, narrow: Mapping[str, str]) -> Mapping[str, str]:
        """The same, if a question can be narrowed so. Raises ``BadRequest``."""
        unknown = sorted(set(narrow) - set(self.narrowings))
        if unknown:
            known = ", ".join(self.narrowings) or "nothing"
            raise BadRequest(f"a question cannot be narrowed by {unknown[0]!r}", hint=f"by {known}")
        for name, known_values in self.choices.items():
            if name in narrow and narrow[name] not in known_values:
                hint = f"known: {', '.join(known_values)}"
                raise BadRequest(f"there is no {name} {narrow[name][:40]!r}", hint=hint)
        return narrow

    def filters(self, narrow: Mapping[str, str]) -> MetadataFilters | None:
        """What a narrowed question's passages must have in their metadata. Raises ``BadRequest``."""
        conditions = self.conditions(narrow)
        return MetadataFilters(filters=[_filter(*each) for each in conditions.items()]) if conditions else None


def _filter(key: str, value: Condition) -> MetadataFilter:
    if isinstance(value, tuple):
        return MetadataFilter(key=key, value=list(value), operator=FilterOperator.IN)
    return MetadataFilter(key=key, value=value)
