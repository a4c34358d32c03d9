"""The chat with the tutor, and the page of a stored chunk."""

from __future__ import annotations

from flask import Blueprint, render_template, request

from ragstone.core import Host, Question, RagstoneError

from ..assistant import assistant
from ..learning.records import ME
from ..plans import NAME, page_address, stored_copy
from ..plans.store import PlanStore
from .learners import current_learner


def install(pages: Blueprint, host: Host) -> None:
    """Add the chat and the pages that its citations may open."""
    store = host.once(PlanStore)

    @pages.get("/chat")
    def chat() -> tuple[str, int]:
        learner = current_learner()
        plans = [size.plan for size in store.plans()]
        slug = request.args.get("plan", "")
        plan = store.plan(slug) if slug else plans[0] if len(plans) == 1 else None
        question = request.args.get("q", "").strip()
        filters = {"plan": plan.slug} if plan else {}
        if learner != ME:
            filters["learner"] = learner
        answer, problem, status = None, None, 200
        if question:
            try:
                answer = host.assistant(NAME).ask(Question(question, filters=filters))
            except RagstoneError as error:
                problem, status = error.to_problem(), error.status
        page = render_template(
            "concept_tutor/chat.html",
            assistant=assistant(host, plan.slug if plan else None, learner),
            filters=filters,
            learner=learner,
            plan=plan,
            plans=plans,
            question=question,
            answer=answer,
            problem=problem,
        )
        return page, status

    @pages.get("/source/<chunk_id>")
    def source(chunk_id: str) -> str:
        uses = store.uses(chunk_id)
        chunk = uses[0]
        page = page_address(chunk.page_url, chunk_id)
        return render_template(
            "concept_tutor/source.html",
            chunk=chunk,
            trail=[step.strip() for step in chunk.section.split("›") if step.strip()],
            original=page if page != stored_copy(chunk_id) else None,
            retrieved=chunk.retrieved.strftime("%-d %B %Y"),
            uses=[store.concept(one.plan, one.concept) for one in uses],
        )
