"""The list of plans, and the forms that make one."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flask import redirect, render_template, request, url_for

from ragstone.core import BadRequest, RagstoneError, StorageBusy
from ragstone.core.runtime import Slots

from ..mediawiki.wikis import Wikis
from ..plans.gathering import Gathering
from ..plans.importers.corpus import books_of
from ..plans.store import PlanStore
from .concepts import OPEN, concept_views, mean_percent
from .forms import MOST_BYTES, WAYS, with_free_slug
from .learners import current_learner
from .wording import problem_of

if TYPE_CHECKING:
    from flask import Blueprint
    from werkzeug.wrappers import Response as BaseResponse

    from ragstone.core import Host

    from ..plans.records import Plan

#: Plans that can be made on the pages; the command line has no limit.
MOST_PLANS = 200
#: Each that waits for a wiki, or embeds what came with a file, holds one of the server's threads.
_MOST_MAKING = 2
_LIMITS = {
    "title": 200,
    "names": 200_000,
    "address": 600,
    "file_words": f"{MOST_BYTES // 1000} kB",
}


@dataclass(frozen=True)
class Card:
    """A plan in the list."""

    plan: Plan
    concepts: int
    percent: int
    due: int
    #: The progress of its sources, in words.
    gathering: str
    without: int


def install(pages: Blueprint, host: Host) -> None:
    """Add the list and the ways to make a plan."""
    store = host.once(PlanStore)
    making = Slots(
        _MOST_MAKING, lambda: StorageBusy("other plans are being made just now", hint="come back in a minute")
    )

    @pages.get("/")
    def plans() -> str | BaseResponse:
        if question := request.args.get("q", ""):
            return redirect(url_for("concept_tutor.chat", q=question))
        return _page(host)

    @pages.post("/plans/<any(names,book,page,file):way>")
    def make(way: str) -> BaseResponse | tuple[str, int]:
        try:
            if len(store.plans()) >= MOST_PLANS:
                raise BadRequest(f"there are {MOST_PLANS} plans already", hint="delete one that is not needed any more")
            with making.acquire():
                made = with_free_slug(WAYS[way](host, request), {size.plan.slug for size in store.plans()})
                plan = store.add(made.plan, made.sources)
        except RagstoneError as error:
            return _page(host, way, problem_of(error)), error.status
        with suppress(RagstoneError):  # the plan's page has a button that reports what is missing
            host.once(Gathering).start(plan.slug)
        opened = len(made.dropped) or None
        return redirect(url_for("concept_tutor.plan", slug=plan.slug, opened=opened), 303)

    @pages.get("/plans/")
    def none() -> BaseResponse:
        return redirect(url_for("concept_tutor.plans"))

    _ = plans, make, none


def _page(host: Host, opened: str = "", problem: dict[str, Any] | None = None) -> str:
    return render_template(
        "concept_tutor/plans.html",
        cards=[_card(host, size.plan) for size in host.once(PlanStore).plans()],
        opened=opened,
        problem=problem,
        learner=current_learner(),
        form=request.form,
        limits=_LIMITS,
        books=books_of(host),
        wikis=[client.name for client in host.once(Wikis).searched],
    )


def _card(host: Host, plan: Plan) -> Card:
    rows, _ = concept_views(host, plan.slug, current_learner())
    open_ = sum(row.state in OPEN for row in rows)
    busy = host.once(Gathering).is_busy(plan.slug) or any(row.state == "running" for row in rows)
    return Card(
        plan=plan,
        concepts=len(rows),
        percent=mean_percent(rows),
        due=sum(row.due for row in rows),
        gathering=f"looking for sources, {len(rows) - open_} of {len(rows)}" if busy and open_ else "",
        without=0 if busy else sum(row.mark == "none" for row in rows),
    )
