"""Learners by their names: the one of this browser, and all who have answered here."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from ragstone.core import Host, RagstoneError

from ..learning.records import ME, check_learner, is_learner
from ..learning.store import LearnStore
from ..plans import PAGES
from ..plans.store import PlanStore
from .wording import day_words

_COOKIE = "ragstone_learner"
_A_YEAR = 365 * 86_400


def current_learner() -> str:
    """Who learns in the browser that asks; no proof of anything, as there are no accounts."""
    name = request.cookies.get(_COOKIE, ME)
    return name if is_learner(name) else ME


def install(pages: Blueprint, host: Host) -> None:
    """Add the page of learners."""
    store = LearnStore(host)

    @pages.get("/learners")
    def learners() -> str:
        return shown()

    @pages.post("/learners")
    def choose() -> BaseResponse | tuple[str, int]:
        try:
            name = check_learner(" ".join(request.form.get("name", "").split()))
            plan = request.form.get("plan", "")
            there = url_for("concept_tutor.plan", slug=host.once(PlanStore).plan(plan).slug) if plan else f"{PAGES}/"
        except RagstoneError as error:
            return shown(error), error.status
        answer = redirect(there, 303)
        answer.set_cookie(_COOKIE, name, _A_YEAR, path=PAGES, httponly=True, samesite="Lax", secure=request.is_secure)
        return answer

    def shown(error: RagstoneError | None = None) -> str:
        known = store.learners()
        now = current_learner()
        rows = [(name, count, day_words(last)) for name, (count, last) in known.items()]
        if now not in known:
            rows.insert(0, (now, 0, ""))
        return render_template(
            "concept_tutor/learners.html",
            rows=rows,
            learner=now,
            plan=request.values.get("plan", ""),
            name=request.form.get("name", ""),
            problem=error.to_problem() if error is not None else None,
        )
