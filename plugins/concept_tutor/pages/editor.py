"""Changing a plan in the browser: its title, its concepts and what they need; taking it along; deleting it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

from flask import Blueprint, Response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from ragstone.core import BadRequest, Host, RagstoneError

from ..learning.export import FILES, QuestionFormat, export_questions
from ..plans.editor import ConceptChange, PlanEditor
from ..plans.importers.schema import export_plan
from ..plans.store import PlanStore
from ..plans.validation import LONGEST_NAME, LONGEST_WORDS
from .concepts import concept_views
from .learners import current_learner

_LIMITS = {"name": LONGEST_NAME, "words": LONGEST_WORDS}


def install(pages: Blueprint, host: Host) -> None:
    """Add the pages that change a plan, and its downloads."""
    store, editor = host.once(PlanStore), host.once(PlanEditor)

    @pages.get("/plans/<slug>/edit")
    def edit(slug: str) -> str:
        return shown(slug)

    @pages.post("/plans/<slug>/edit")
    def change(slug: str) -> BaseResponse | tuple[str, int]:
        title, description = request.form.get("title", ""), request.form.get("description", "").strip()
        return stored(slug, lambda: editor.rename(slug, title, description))

    @pages.post("/plans/<slug>/concepts")
    def add(slug: str) -> BaseResponse | tuple[str, int]:
        return stored(slug, lambda: editor.add_concept(slug, _change()), opened="add")

    @pages.get("/plans/<slug>/concepts/<key>")
    def concept(slug: str, key: str) -> str:
        return shown(slug, key)

    @pages.post("/plans/<slug>/concepts/<key>")
    def change_concept(slug: str, key: str) -> BaseResponse | tuple[str, int]:
        return stored(slug, lambda: editor.change_concept(slug, key, _change()), key)

    @pages.get("/plans/<slug>/delete")
    def ask(slug: str) -> str:
        return confirm(slug, request.args.get("concept") or None)

    @pages.post("/plans/<slug>/delete")
    def delete(slug: str) -> BaseResponse | tuple[str, int]:
        key = request.form.get("concept") or None
        if request.form.get("sure") != "yes":
            return confirm(slug, key, BadRequest("tick the box first, so that nothing is deleted by mistake")), 400
        if key is None:
            store.remove(slug)
            return redirect(url_for("concept_tutor.plans"), 303)
        try:
            editor.remove_concept(slug, key)
        except BadRequest as error:
            return confirm(slug, key, error), error.status
        return redirect(url_for("concept_tutor.edit", slug=slug, saved=1), 303)

    @pages.get("/plans/<slug>/export")
    def export(slug: str) -> Response:
        wanted = request.args.get("format", "json")
        if wanted == "json":
            text = json.dumps(export_plan(store, slug), ensure_ascii=False, indent=2)
            return _download(text.encode("utf-8", "replace"), f"{slug}.json", "application/json")
        format_ = cast("QuestionFormat", wanted)
        made = export_questions(host, slug, format_)  # raises for another word
        ending, kind = FILES[format_]
        return _download(made, f"{slug}{ending}", kind)

    def stored(
        slug: str, store_it: Callable[[], object], key: str = "", opened: str = ""
    ) -> BaseResponse | tuple[str, int]:
        try:
            store_it()
        except BadRequest as error:
            return shown(slug, key, error, opened), error.status
        return redirect(url_for("concept_tutor.edit", slug=slug, saved=1), 303)

    def shown(slug: str, key: str = "", error: RagstoneError | None = None, opened: str = "") -> str:
        plan, learner = store.plan(slug), current_learner()
        rows, edges = concept_views(host, slug, learner)
        one = store.concept(slug, key) if key else None
        needs = {edge.prerequisite for edge in edges if edge.concept == key}
        return _page(
            "edit-concept" if key else "edit",
            plan=plan,
            learner=learner,
            rows=rows,
            names={row.key: row.name for row in rows},
            concept=one,
            needs=set(request.form.getlist("needs")) if error is not None else needs,
            opened=opened,
            error=error,
        )

    def confirm(slug: str, key: str | None, error: RagstoneError | None = None) -> str:
        size = store.size(slug)
        one = store.concept(slug, key) if key is not None else None
        return _page("delete", plan=size.plan, learner=current_learner(), size=size, concept=one, error=error)


def _change() -> ConceptChange:
    needs = tuple(request.form.getlist("needs"))
    return ConceptChange(request.form.get("name", ""), request.form.get("summary", "").strip(), needs)


def _page(name: str, error: RagstoneError | None = None, **facts: Any) -> str:
    return render_template(
        f"concept_tutor/{name}.html",
        problem=error.to_problem() if error is not None else None,
        form=request.form,
        limits=_LIMITS,
        saved=bool(request.args.get("saved")) and error is None,
        **facts,
    )


def _download(body: bytes, name: str, kind: str) -> Response:
    """A file to save: its name is a slug of the store and so needs no care."""
    return Response(body, mimetype=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})
