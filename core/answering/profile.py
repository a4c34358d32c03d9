"""An assistant's profile: what its users see of it, and how its questions can be filtered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

from ..errors import BadRequest
from ..runtime.request import current_scope
from .citation_format import CitationFormat
from .guard import Guard
from .overview import Overview

#: A value that a chunk's metadata must have, or several of which it must have one.
Condition = str | tuple[str, ...]
Conditions = Mapping[str, Condition]
#: Gives the first chunk of the answer before.
Earlier = Callable[[], "BaseNode | None"]


@dataclass(frozen=True)
class QuestionFilter:
    """A filter that an assistant's questions can have."""

    help: str
    #: The values that it takes; empty: any.
    choices: tuple[str, ...] = ()
    #: A format of JSON Schema, such as ``date``, that every value may have; empty: none.
    format: str = ""


@dataclass(frozen=True)
class QuestionFilters:
    """The filters that an assistant's questions can have, and what they ask of chunks."""

    #: A name is a key of JSON and an option of the command line.
    by_name: Mapping[str, QuestionFilter] = field(default_factory=dict)
    #: The metadata that chunks must have for a question's filters; of several values one. Raises ``BadRequest``.
    conditions: Callable[[Mapping[str, str]], Conditions] = dict
    #: The filter, and key of documents' metadata, whose values a request can be limited to; empty: none.
    scope: str = ""

    def metadata(self, filters: Mapping[str, str]) -> MetadataFilters | None:
        """The filters on chunks' metadata for a question with these filters, in the scope. Raises ``BadRequest``."""
        for name, value in filters.items():
            if name not in self.by_name:
                raise BadRequest(
                    f"there is no filter {str(name)[:80]!r}", hint=f"known: {', '.join(self.by_name) or 'none'}"
                )
            choices = self.by_name[name].choices
            if choices and value not in choices:
                raise BadRequest(f"there is no {name} {value[:40]!r}", hint=f"known: {', '.join(choices)}")
        allowed = {key: tuple(sorted(values)) for key, values in current_scope().items() if key in self.by_name}
        conditions = [*self.conditions(filters).items(), *allowed.items()]
        return MetadataFilters(filters=[_filter(*each) for each in conditions]) if conditions else None


@dataclass(frozen=True)
class AssistantPaths:
    """Paths of the assistant's own page, and at which it is asked for JSON: in general, and about a selected text."""

    page: str | None = None
    query: str | None = None
    selection: str | None = None


@dataclass(frozen=True)
class EmptyState:
    """What people see of an assistant that has nothing to answer from: what to do, and the page where it is done."""

    text: str
    page: str | None = None
    action: str = ""


@dataclass(frozen=True)
class Profile:
    """An assistant's texts, citations, filters and paths."""

    name: str
    title: str
    description: str
    citations: CitationFormat
    #: The polite refusal; gets the question's filters.
    refusal: Callable[[Mapping[str, str]], str]
    #: Name of the prompt template for a language model.
    prompt: str
    examples: Callable[[], tuple[str, ...]] = tuple
    #: What to do while there is nothing to answer from; ``None`` when there is.
    empty: Callable[[], EmptyState | None] = lambda: None
    filters: QuestionFilters = QuestionFilters()
    #: A chunk by its chunk id, where the corpus does not keep them. Raises ``NotFound``.
    chunk: Callable[[str], BaseNode] | None = None
    #: What answers a question about the source as a whole, with these filters, or about a part that is meant by the
    #: answer before it ("and the next chapter?"), whose first chunk the function gives, or ``None``: an empty overview
    #: refuses it; ``None`` for any other question.
    overview: Callable[[str, Mapping[str, str], Earlier], Overview | None] = lambda _question, _filters, _earlier: None
    top_k: int = 5
    #: Reviews each sentence of an answer.
    guard: Guard | None = None
    #: The setting of words that are quoted from a chunk, shown with them ("In simulation"); ``None``: there is none.
    setting: Callable[[BaseNode, str], str | None] = lambda _node, _quote: None
    paths: AssistantPaths = AssistantPaths()


def _filter(key: str, value: Condition) -> MetadataFilter:
    if isinstance(value, tuple):
        return MetadataFilter(key=key, value=list(value), operator=FilterOperator.IN)
    return MetadataFilter(key=key, value=value)
