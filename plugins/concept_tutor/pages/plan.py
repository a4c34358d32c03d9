"""The page of a plan: its concepts as a drawing and as a list, and the gathering of their sources."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import asdict
from typing import Any

from flask import Blueprint, Response, redirect, render_template, request, url_for
from werkzeug.exceptions import ServiceUnavailable
from werkzeug.wrappers import Response as BaseResponse

from ragstone.core import Host, NotFound, RagstoneError, StorageError
from ragstone.core.pages import KEEP_ALIVE, EventStream, event
from ragstone.core.runtime import Slots

from ..learning.progress import Progresses
from ..plans import corpus_of
from ..plans.drawing import draw
from ..plans.gathering import Gathering, Progress
from ..plans.graph import neighbourhood
from ..plans.records import Edge
from ..plans.store import PlanStore
from ..plans.tables import removal_hint
from .charts import charts
from .concepts import OPEN, ConceptView, concept_views, find_key, mean_percent, next_concept, source_pages
from .learners import current_learner
from .wording import problem_of

#: Concepts beside each other, most concepts that are drawn as a whole unless that is asked for, and of a part: where
#: there is room, and on a phone. The widths fit their frames with letters that can be read.
_WIDE, _NARROW = (5, 45, 24), (2, 8, 7)
#: Each watcher holds one of the server's threads.
_MOST_WATCHING = 4
#: Seconds without news after which a line is sent, so that a watcher who has gone is noticed.
_PAUSE = 5.0


def install(pages: Blueprint, host: Host) -> None:
    """Add the page of a plan, the button that gathers its sources, and the events of that."""
    watching = Slots(
        _MOST_WATCHING,
        lambda: ServiceUnavailable("Too many are watching already. Looking for sources goes on all the same."),
    )

    @pages.get("/plans/<slug>/")
    def plan(slug: str) -> str:
        return _page(host, slug)

    @pages.post("/plans/<slug>/gather")
    def gather(slug: str) -> BaseResponse | tuple[str, int]:
        host.once(PlanStore).plan(slug)
        concept = request.form.get("concept") or None
        try:
            if concept is None:
                host.once(Gathering).start(slug, states=("waiting", "none", "failed"))
            else:
                host.once(Gathering).start(slug, concepts=[concept])
        except RagstoneError as error:
            return _page(host, slug, problem_of(error)), error.status
        return redirect(url_for("concept_tutor.plan", slug=slug), 303)

    @pages.get("/plans/<slug>/events")
    def events(slug: str) -> Response:
        host.once(PlanStore).plan(slug)
        stream = EventStream(_events(host.once(Gathering).follow(slug, _PAUSE)), slot=watching.acquire())
        return Response(stream, headers=EventStream.HEADERS)


def _page(host: Host, slug: str, problem: dict[str, Any] | None = None) -> str:
    """The page; ``problem``: what went wrong with what was asked of it."""
    store = host.once(PlanStore)
    shown = store.plan(slug)
    is_busy = host.once(Gathering).is_busy(slug)  # before the states are read: what ends in between has its last one
    learner = current_learner()
    rows, edges = concept_views(host, slug, learner)
    if not rows:
        raise StorageError(f"the plan {slug!r} is damaged: it has no concepts", hint=removal_hint(slug))
    progress = host.once(Progresses).progress(slug, learner)
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
    focus = key or next_concept(rows) or rows[0].key
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
        graphs=[_drawn(kind, rows, edges, focus, whole) for kind in ("wide", "narrow")],
        learner=learner,
        progress=progress,
        charts=charts(progress),
        whole=1 if whole else None,
        licences=sorted(
            licence for (of, licence), _ in corpus_of(host).contents.facets("plan", "licence") if of == slug and licence
        ),
        problem=problem,
        opened=request.args.get("opened", 0, type=int),
    )


def _drawn(kind: str, rows: list[ConceptView], edges: list[Edge], focus: str, whole: bool) -> dict[str, Any]:
    """A drawing of the plan, or of a part of it: around ``name``, with so many more before and after it."""
    abreast, most, around = _WIDE if kind == "wide" else _NARROW
    names = {row.key: row.name for row in rows}
    if whole or len(rows) <= most:
        return {"kind": kind, "drawing": draw(names, edges, abreast=abreast), "is_part": False}
    keys, before, after = neighbourhood(list(names), edges, focus, most=around)
    drawing = draw({key: names[key] for key in keys}, edges, abreast=abreast)
    around_it = {"is_part": True, "name": names[focus], "more_before": before, "more_after": after}
    return {"kind": kind, "drawing": drawing, **around_it}


def _events(steps: Iterator[Progress | None]) -> Generator[str, None, None]:
    try:
        for step in steps:
            yield KEEP_ALIVE if step is None else event(asdict(step), "progress")
    except RagstoneError as error:
        yield event(error.to_problem(), "gone")
    else:
        yield event({}, "done")
