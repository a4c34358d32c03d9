"""The concepts of a plan as the pages show them: in rows, with their source pages, and explained."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragstone.core import Citation, Host

from ..assistant import CITATIONS
from ..learning.explanations import explain
from ..learning.lessons import Lessons
from ..learning.records import Mastery, QuestionSource
from ..mediawiki.parsoid.documents import SEPARATOR
from ..plans import page_address, stored_copy
from ..plans.drawing import draw
from ..plans.graph import needs_and_leads, neighbourhood, study_order
from ..plans.records import Concept, Edge, SourceChunk
from ..plans.store import PlanStore
from .wording import reason_words

#: Mastery from which a concept is called growing, and known.
GROWING, KNOWN = 0.4, 0.8
#: States of a concept whose sources are still to come.
OPEN = frozenset({"waiting", "running"})
#: Concepts of the picture, and how many are beside each other.
_AROUND, _ABREAST = 6, 2


@dataclass(frozen=True, kw_only=True)
class ConceptView(Concept):
    """A concept on a page; ``reason`` is in words for a learner."""

    #: 0 to 100.
    percent: int
    #: The class of its sign: ``k0`` new, ``k1`` begun, ``k2`` growing, ``k3`` known, ``read`` without questions,
    #: ``none`` without sources.
    mark: str
    word: str
    due: int
    needs: tuple[str, ...]
    leads: tuple[str, ...]


def concept_views(host: Host, slug: str, learner: str) -> tuple[list[ConceptView], list[Edge]]:
    """The plan's concepts in an order to learn them in, as the learner knows them, and its edges."""
    store = host.once(PlanStore)
    concepts = {one.key: one for one in store.concepts(slug)}
    edges = store.edges(slug)
    lessons = host.once(Lessons)
    mastery, able = lessons.mastery(slug, learner), lessons.able(slug)
    needs, leads = needs_and_leads(edges)
    views = []
    for key in study_order(list(concepts), edges):
        concept, known = concepts[key], mastery[key]
        mark, word = _mark(concept, known, is_able=key in able)
        view = ConceptView(
            **vars(concept) | {"reason": reason_words(concept.state, concept.reason)},
            percent=round(100 * known.level),
            mark=mark,
            word=word,
            due=known.due,
            needs=tuple(needs[key]),
            leads=tuple(leads[key]),
        )
        views.append(view)
    return views, edges


def _mark(concept: Concept, known: Mastery, *, is_able: bool) -> tuple[str, str]:
    percent = round(100 * known.level)
    if concept.state in OPEN:
        return "none", "looking for sources" if concept.state == "running" else "no sources yet"
    if concept.state != "found":
        return "none", "no sources"
    if not known.attempts:
        return ("k0", "new") if is_able else ("read", "to read")
    if known.level < GROWING:
        return "k1", f"begun, {percent} %" if percent else "begun"
    return ("k2", f"growing, {percent} %") if known.level < KNOWN else ("k3", f"known, {percent} %")


def mean_percent(rows: Sequence[ConceptView]) -> int:
    """How well the whole is known, of what can be learned."""
    able = [row.percent for row in rows if row.mark not in {"none", "read"}]
    return round(sum(able) / len(able)) if able else 0


def next_concept(rows: Sequence[ConceptView]) -> str:
    """The concept to go on with: one that is due, else the first that is not known and whose needs are."""
    marks = {row.key: row.mark for row in rows}
    due = next((row.key for row in rows if row.due), None)
    if due is not None:
        return due
    open_ = [row for row in rows if row.mark in {"k0", "k1", "k2"}]
    ready = (row.key for row in open_ if all(marks[key] in {"k2", "k3", "read", "none"} for key in row.needs))
    return next(ready, open_[0].key if open_ else "")


def source_pages(chunks: Sequence[SourceChunk]) -> list[dict[str, Any]]:
    """The pages of these chunks, in their order; ``kept``: our own pages of them, where one address does not do."""
    found: dict[tuple[str, str, str], list[SourceChunk]] = defaultdict(list)
    for chunk in chunks:
        url = page_address(chunk.page_url, chunk.chunk_id)
        own = url == stored_copy(chunk.chunk_id)
        title = SEPARATOR.join(filter(None, (chunk.page_title, chunk.section))) if own else chunk.page_title
        found[title, "" if own else url.partition("#")[0], chunk.licence].append(chunk)
    pages = []
    for (title, url, licence), group in found.items():
        copies = [stored_copy(one.chunk_id) for one in group]
        is_whole = not url and len(group) == 1
        kept = [] if is_whole else copies
        pages.append({"title": title, "url": url or copies[0], "licence": licence, "chunks": len(group), "kept": kept})
    return pages


def find_key(rows: Sequence[ConceptView], wanted: str) -> str:
    """The key of the concept of that key or name; empty if there is none."""
    by_name: Mapping[str, str] = {row.name.casefold(): row.key for row in reversed(rows)}
    known = {row.key for row in rows}
    return wanted if wanted in known else by_name.get(wanted.strip().casefold(), "")


def explanation_view(host: Host, slug: str, key: str, learner: str) -> dict[str, Any]:
    """What a learner reads before the first question on a concept; without ``parts`` where it has no sources.

    With the picture of what is around it, and its ``place`` in the order of the plan. Raises ``NotFound``.
    """
    store = host.once(PlanStore)
    concept = store.concept(slug, key)
    chunks = store.sources(slug, key)
    made = explain(concept.name, chunks, host.once(Lessons).questions(slug, key))
    views, edges = concept_views(host, slug, learner)
    rows = {one.key: one for one in views}
    keys, _, _ = neighbourhood(list(rows), edges, key, most=_AROUND)
    return {
        "concept": concept,
        "parts": made.parts,
        "minutes": made.minutes,
        "citations": citations(made.sources),
        "drawing": draw({one: rows[one].name for one in keys}, edges, abreast=_ABREAST),
        "rows": rows,
        "place": list(rows).index(key) + 1,
        "of": len(rows),
    }


def citations(sources: Iterable[QuestionSource]) -> tuple[Citation, ...]:
    """The sources as what the front draws badges and lists from."""
    found = []
    for one in sources:
        fields = {"page_title": one.page_title, "section": one.section, "licence": one.licence}
        url = page_address(one.page_url, one.chunk_id)
        found.append(Citation(one.index, one.chunk_id, "", url, fields, place=CITATIONS.place(fields)))
    return tuple(found)
