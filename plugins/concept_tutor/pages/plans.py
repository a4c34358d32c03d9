"""The list of plans, and the forms that make one."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from flask import Blueprint, Request, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from ragstone.core import BadRequest, Host, NotFound, RagstoneError, StorageBusy, TooLarge
from ragstone.core.ingestion import IngestProgress
from ragstone.core.runtime import Slots

from ..mediawiki.wikis import Wikis
from ..plans.gathering import Gathering
from ..plans.importers import ImportedPlan
from ..plans.importers.assembly import free_slug
from ..plans.importers.corpus import books_of, plan_from_corpus
from ..plans.importers.formats import FORMAT_OF_SUFFIX, read_plan
from ..plans.importers.wiki_page import plan_from_page
from ..plans.records import Plan
from ..plans.store import PlanStore, damaged_plans
from .concepts import OPEN, concept_views, mean_percent
from .learners import current_learner
from .wording import problem_of

MOST_BYTES = 900_000
#: Plans that can be made on the pages; the command line has no limit.
MOST_PLANS = 200
#: Each that waits for a wiki, or embeds what came with a file, holds one of the server's threads.
_MOST_MAKING = 2
_LONGEST_TOKEN = 32
_LIMITS = {
    "title": 200,
    "names": 200_000,
    "address": 600,
    "file_words": f"{MOST_BYTES // 1000} kB",
}


def from_names(host: Host, request: Request) -> ImportedPlan:  # noqa: ARG001 - all ways are called alike
    """Of a list in a text field. Raises ``BadRequest`` with the line."""
    return read_plan(_field(request, "names"), format="list", title=_title(request), where="the list")


def from_page(host: Host, request: Request) -> ImportedPlan:
    """Of a wiki's page: what it has sections on and links to. Raises ``BadRequest``, ``SourceError``."""
    return plan_from_page(host.once(Wikis), _field(request, "page").strip())


def from_book(host: Host, request: Request) -> ImportedPlan:
    """Of a book of one of the host's corpora, or of one of its chapters. Raises ``BadRequest``, ``NotFound``."""
    chosen, titles = _field(request, "book"), {f"{corpus}/{book}": title for corpus, book, title in books_of(host)}
    if chosen not in titles:
        raise NotFound("there is no such book")
    corpus, _, book = chosen.partition("/")
    chapter = " ".join(request.form.get("chapter", "").split())
    part = f"{book}: {chapter}" if chapter else book
    return plan_from_corpus(host, corpus, part=part, title=chapter or titles[chosen])


def from_file(host: Host, request: Request) -> ImportedPlan:  # noqa: ARG001
    """Of an uploaded file. Raises ``BadRequest`` with the line, ``TooLarge``."""
    files = request.files.getlist("file")
    if len(files) != 1 or not files[0].filename:
        raise BadRequest("there must be one file")
    path = PurePath(files[0].filename.replace("\\", "/"))
    name = "".join(sign for sign in path.name if sign.isprintable())[:80] or "the file"
    with closing(files[0]) as file:
        raw = file.stream.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise TooLarge(
            f"the file has more than {MOST_BYTES // 1000} kB", hint="ragstone tutor plan add takes larger ones"
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadRequest(f"is not UTF-8 at byte {error.start}", where=name) from error
    kind = FORMAT_OF_SUFFIX.get(path.suffix.lower())
    return read_plan(text, format=kind, title=_title(request), where=name, otherwise=PurePath(name).stem)


#: What makes a plan of a form, by the form's way.
WAYS: dict[str, Callable[[Host, Request], ImportedPlan]] = {
    "names": from_names,
    "book": from_book,
    "page": from_page,
    "file": from_file,
}


def _field(request: Request, name: str) -> str:
    value = request.form.get(name, "")
    if not value.strip():
        raise BadRequest(f"the field {name} is empty")
    return value


def _title(request: Request) -> str:
    return " ".join(request.form.get("title", "").split())


def install(pages: Blueprint, host: Host) -> None:
    """Add the list and the ways to make a plan."""
    store = host.once(PlanStore)
    embedded: dict[str, tuple[int, int]] = {}  # of the plans that are being made, by the token of their form
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
        token = request.form.get("token", "")[:_LONGEST_TOKEN]
        try:
            if len(store.plans()) >= MOST_PLANS:
                raise BadRequest(f"there are {MOST_PLANS} plans already", hint="delete one that is not needed any more")
            with making.acquire():
                made = WAYS[way](host, request)
                slug = free_slug(made.plan.slug, {size.plan.slug for size in store.plans()})
                of = sum(map(len, made.sources.values()))

                def report(progress: IngestProgress) -> None:
                    if token:
                        embedded[token] = progress.documents, of

                plan = store.add(replace(made.plan, slug=slug), made.sources, report)
        except RagstoneError as error:
            return _page(host, way, problem_of(error)), error.status
        finally:
            embedded.pop(token, None)
        with suppress(RagstoneError):  # the plan's page has a button that reports what is missing
            host.once(Gathering).start(plan.slug)
        opened = len(made.dropped) or None
        return redirect(url_for("concept_tutor.plan", slug=plan.slug, opened=opened), 303)

    @pages.get("/plans/making/<token>")
    def embedding(token: str) -> dict[str, int]:
        done, of = embedded.get(token, (0, 0))
        return {"done": done, "of": of}

    @pages.get("/plans/")
    def none() -> BaseResponse:
        return redirect(url_for("concept_tutor.plans"))


def _page(host: Host, opened: str = "", problem: dict[str, Any] | None = None) -> str:
    return render_template(
        "concept_tutor/plans.html",
        cards=[_card(host, size.plan) for size in host.once(PlanStore).plans()],
        damaged=damaged_plans(host.once(PlanStore)),
        opened=opened,
        problem=problem,
        learner=current_learner(),
        form=request.form,
        limits=_LIMITS,
        books=books_of(host),
        token=secrets.token_hex(8),
        wikis=[client.name for client in host.once(Wikis).searched],
    )


def _card(host: Host, plan: Plan) -> dict[str, Any]:
    """The plan in the list; ``gathering``: the progress of its sources, in words."""
    rows, _ = concept_views(host, plan.slug, current_learner())
    open_ = sum(row.state in OPEN for row in rows)
    busy = host.once(Gathering).is_busy(plan.slug) or any(row.state == "running" for row in rows)
    return {
        "plan": plan,
        "concepts": len(rows),
        "percent": mean_percent(rows),
        "due": sum(row.due for row in rows),
        "gathering": f"looking for sources, {len(rows) - open_} of {len(rows)}" if busy and open_ else "",
        "without": 0 if busy else sum(row.mark == "none" for row in rows),
    }
