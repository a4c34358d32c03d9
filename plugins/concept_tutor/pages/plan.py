"""The page of a plan: its concepts as a drawing and as a list, with the state of their sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import render_template, request

from ragstone.core import NotFound

from ..mediawiki.gathering import Gathering
from ..plans.corpus import corpus_of
from ..plans.drawing import draw, neighbourhood
from ..plans.store import PlanStore
from .concepts import OPEN, concept_views, find_key, mean_percent, next_concept, source_pages

if TYPE_CHECKING:
    from flask import Blueprint

    from ragstone.core import Host

    from ..plans.records import Edge
    from .concepts import ConceptView

#: A plan of more concepts is drawn in part, unless the whole is asked for.
WHOLE = 45
#: Concepts of a part, and how many are beside each other.
_AROUND, _ABREAST = 24, 5


def install(pages: Blueprint, host: Host) -> None:
    """Add the page of a plan."""

    @pages.get("/plans/<slug>/")
    def plan(slug: str) -> str:
        return plan_page(host, slug)

    _ = plan


def plan_page(host: Host, slug: str, problem: dict[str, Any] | None = None) -> str:
    """The page; ``problem``: what went wrong with what was asked of it."""
    store = host.once(PlanStore)
    shown = store.plan(slug)
    is_busy = host.once(Gathering).is_busy(slug)  # before the states are read: what ends in between has its last one
    rows, edges = concept_views(host, slug)
    by_key = {row.key: row for row in rows}
    wanted = request.args.get("concept", "")
    key = find_key(rows, wanted)
    if wanted and not key:
        raise NotFound(f"the plan has no concept {wanted[:80]!r}")
    chosen = by_key.get(key)
    whole = bool(request.args.get("whole"))
    sources = store.sources(slug, key) if chosen is not None else []
    states = [row.state for row in rows]
    gathering = "running" in states or (is_busy and bool(OPEN.intersection(states)))
    part, drawing = _drawn(rows, edges, key or next_concept(rows) or (rows[0].key if rows else ""), whole)
    return render_template(
        "concept_tutor/plan.html",
        plan=shown,
        rows=rows,
        by_key=by_key,
        chosen=chosen,
        next_key=next_concept(rows),
        pages=source_pages(sources),
        percent=mean_percent(rows),
        due=sum(row.due for row in rows),
        gathering=gathering,
        able="found" in states,
        looked=sum(state not in OPEN for state in states),
        waiting=sum(state in OPEN for state in states),
        failed=sum(state in {"none", "failed"} for state in states),
        part=part,
        drawing=drawing,
        whole=1 if whole else None,
        licences=sorted(
            licence for (of, licence), _ in corpus_of(host).contents.facets("plan", "licence") if of == slug and licence
        ),
        problem=problem,
        opened=request.args.get("opened", 0, type=int),
    )


def _drawn(rows: list[ConceptView], edges: list[Edge], focus: str, whole: bool) -> tuple[dict[str, Any] | None, Any]:
    names = {row.key: row.name for row in rows}
    if whole or len(rows) <= WHOLE:
        return None, draw(names, edges)
    around = neighbourhood(list(names), edges, focus, most=_AROUND)
    keys = set(around.keys)
    drawing = draw(
        {key: names[key] for key in around.keys},
        [edge for edge in edges if edge.prerequisite in keys and edge.concept in keys],
        abreast=_ABREAST,
    )
    part = {"name": names[focus], "more_before": around.more_before, "more_after": around.more_after}
    return part, drawing
