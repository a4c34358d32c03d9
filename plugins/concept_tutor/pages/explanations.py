"""A concept's explanation as a page shows it: its text, its citations, and where it stands in the plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragstone.core import Citation

from ..assistant import CITATIONS
from ..learning.explanations import explain
from ..learning.lessons import Lessons
from ..plans.addresses import page_address
from ..plans.drawing import draw
from ..plans.graph import neighbourhood
from ..plans.store import PlanStore
from .concepts import concept_views

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ragstone.core import Host

    from ..learning.explanations import Part
    from ..learning.records import QuestionSource
    from ..plans.records import Concept
    from .concepts import ConceptView

#: Concepts of the picture, and how many are beside each other.
_AROUND, _ABREAST = 6, 2


@dataclass(frozen=True)
class ExplanationView:
    """What a learner reads before the first question on a concept."""

    concept: Concept
    parts: tuple[Part, ...]
    minutes: int
    citations: tuple[Citation, ...]
    #: The picture, its concepts by key, the concept's place in the order of the plan, and how many there are.
    drawing: Any
    rows: dict[str, ConceptView]
    place: int
    of: int


def explanation_view(host: Host, slug: str, key: str, learner: str) -> ExplanationView:
    """The explanation; without parts where the concept has no sources. Raises ``NotFound``."""
    store = host.once(PlanStore)
    concept = store.concept(slug, key)
    chunks = store.sources(slug, key)
    made = explain(concept.name, chunks, host.once(Lessons).questions(slug, key))
    views, edges = concept_views(host, slug, learner)
    rows = {one.key: one for one in views}
    keys = neighbourhood(list(rows), edges, key, most=_AROUND).keys
    return ExplanationView(
        concept=concept,
        parts=made.parts,
        minutes=made.minutes,
        citations=citations(made.sources),
        drawing=draw({one: rows[one].name for one in keys}, edges, abreast=_ABREAST),
        rows=rows,
        place=list(rows).index(key) + 1,
        of=len(rows),
    )


def citations(sources: Iterable[QuestionSource]) -> tuple[Citation, ...]:
    """The sources as what the front draws badges and lists from."""
    found = []
    for one in sources:
        fields = {"page_title": one.page_title, "section": one.section, "licence": one.licence}
        url = page_address(one.page_url, one.chunk_id)
        found.append(Citation(one.index, one.chunk_id, "", url, fields, place=CITATIONS.place(fields)))
    return tuple(found)
