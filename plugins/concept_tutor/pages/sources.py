"""Gathering a plan's sources: started by a button, reported by server-sent events."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from flask import Response, redirect, request, url_for
from werkzeug.exceptions import ServiceUnavailable

from ragstone.core import RagstoneError
from ragstone.core.pages import KEEP_ALIVE, EventStream, event
from ragstone.core.runtime import Slots

from ..plans.gathering import Gathering
from ..plans.store import PlanStore
from .plan import plan_page
from .wording import problem_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from flask import Blueprint
    from werkzeug.wrappers import Response as BaseResponse

    from ragstone.core import Host

    from ..plans.gathering import Progress

#: Each watcher holds one of the server's threads.
_MOST_WATCHING = 4
#: Seconds without news after which a line is sent, so that a watcher who has gone is noticed.
_PAUSE = 5.0


def install(pages: Blueprint, host: Host) -> None:
    """Add the button's address and the events'."""
    watching = Slots(
        _MOST_WATCHING,
        lambda: ServiceUnavailable("Too many are watching already. Looking for sources goes on all the same."),
    )

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
            return plan_page(host, slug, problem_of(error)), error.status
        return redirect(url_for("concept_tutor.plan", slug=slug), 303)

    @pages.get("/plans/<slug>/events")
    def events(slug: str) -> Response:
        host.once(PlanStore).plan(slug)
        stream = EventStream(_events(host.once(Gathering).follow(slug, _PAUSE)), slot=watching.acquire())
        return Response(stream, headers=EventStream.HEADERS)

    _ = gather, events


def _events(steps: Iterator[Progress | None]) -> Generator[str, None, None]:
    try:
        for step in steps:
            yield KEEP_ALIVE if step is None else event(asdict(step), "progress")
    except RagstoneError as error:
        yield event(error.to_problem(), "gone")
    else:
        yield event({}, "done")
