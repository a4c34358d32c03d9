"""The pages of Learn: a question, hints, an answer, its grade with sources, and when it is due again."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import render_template, request, url_for

from ragstone.core import BadRequest, Citation, NotFound, RagstoneError

from ..assistant import CITATIONS
from ..learning.lessons import Lessons
from ..learning.records import BLANK
from ..plans.addresses import page_address
from ..plans.store import PlanStore

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flask import Blueprint

    from ragstone.core import Host

    from ..learning.records import Question, QuestionSource

MOST_HINTS = 3
#: Characters of an answer that the page takes; learning itself has the last word.
LONGEST_ANSWER = 1_000
_DAY = 86_400
_VERDICTS = {"right": "Right", "partly": "Partly right", "wrong": "Not right"}


@dataclass(frozen=True)
class Due:
    """When a question comes again: for programs, and in words."""

    at: str
    words: str


def install(pages: Blueprint, host: Host) -> None:
    """Add the pages of learning."""
    lessons = host.once(Lessons)

    @pages.get("/plans/<slug>/learn")
    def learn(slug: str) -> str:
        host.once(PlanStore).plan(slug)
        if asked := request.args.get("question", ""):
            return _shown(host, slug, _of_plan(lessons, slug, asked), only=bool(request.args.get("only")))
        concept = request.args.get("concept") or None
        if concept is not None:
            host.once(PlanStore).concept(slug, concept)
        after = request.args.get("after", "")
        question = lessons.next(slug, concept, skip=(after,) if after else ())
        if question is None and after:
            question = lessons.next(slug, concept)
        if question is None:
            return _nothing(host, slug, concept)
        return _shown(host, slug, question, only=concept is not None)

    @pages.post("/plans/<slug>/learn/answer")
    def answer(slug: str) -> tuple[str, int] | str:
        question = _of_plan(lessons, slug, request.form.get("question", ""))
        given = request.form.get("answer", "").strip()
        only = bool(request.form.get("only"))
        try:
            if not given:
                raise BadRequest("the answer is empty")
            grade = lessons.answer(
                question.question_id,
                given,
                attempt_id=request.form.get("attempt") or None,
                hints=_number(request.form.get("hints", ""), MOST_HINTS),
            )
        except RagstoneError as error:
            return _shown(host, slug, question, only=only, problem=error.to_problem()), error.status
        return _page(
            host,
            slug,
            question,
            only=only,
            grade=grade,
            answer=given,
            verdict=_VERDICTS[grade.verdict],
            feedback=_without(grade.feedback, _VERDICTS[grade.verdict]),
            citations=citations(grade.sources),
            due_again=_due(grade.due) if grade.due is not None else None,
        )

    _ = learn, answer


def citations(sources: Iterable[QuestionSource]) -> tuple[Citation, ...]:
    """The sources as what the front draws badges and lists from."""
    found = []
    for one in sources:
        fields = {"page_title": one.page_title, "section": one.section, "licence": one.licence}
        url = page_address(one.page_url, one.chunk_id)
        found.append(Citation(one.index, one.chunk_id, "", url, fields, place=CITATIONS.place(fields)))
    return tuple(found)


def _of_plan(lessons: Lessons, slug: str, question_id: str) -> Question:
    question = lessons.question(question_id[:200])
    if question.plan != slug:
        raise NotFound("there is no such question in this plan")
    return question


def _shown(host: Host, slug: str, question: Question, *, only: bool, problem: dict[str, Any] | None = None) -> str:
    """The question, with as many hints as were asked for."""
    values = request.form if request.method == "POST" else request.args
    asked = _number(values.get("hint", "") or values.get("hints", ""), MOST_HINTS)
    lessons = host.once(Lessons)
    hints = [lessons.hint(question.question_id, step) for step in range(1, asked + 1)]
    return _page(
        host,
        slug,
        question,
        only=only,
        hints=hints,
        next_hint=asked + 1 if asked < MOST_HINTS else None,
        most_hints=MOST_HINTS,
        attempt=values.get("attempt") or uuid.uuid4().hex,
        answer=values.get("answer", ""),
        citations=citations(question.sources),
        problem=problem,
    )


def _page(host: Host, slug: str, question: Question, **facts: Any) -> str:
    store, lessons = host.once(PlanStore), host.once(Lessons)
    mastery = lessons.mastery(slug)
    known = mastery.get(question.concept)
    return render_template(
        "concept_tutor/learn.html",
        plan=store.plan(slug),
        concept=store.concept(slug, question.concept),
        question=question,
        blank=BLANK,
        percent=round(100 * known.level) if known is not None else 0,
        due=sum(one.due for one in mastery.values()),
        limits={"answer": LONGEST_ANSWER},
        **facts,
    )


def _nothing(host: Host, slug: str, concept: str | None) -> str:
    store = host.once(PlanStore)
    states = {one.state for one in store.concepts(slug) if concept is None or one.key == concept}
    here = url_for("concept_tutor.plan", slug=slug)
    if "found" in states:
        nothing = {
            "title": "No questions here",
            "words": "The sources hold no sentence that could prove the answer to a question. The tutor can still "
            "explain what they say.",
            "url": url_for("concept_tutor.chat", plan=slug),
            "link": "Ask the tutor",
        }
    else:
        nothing = {
            "title": "There are no sources yet",
            "words": "Questions are made only of what a page proves. Look for sources first.",
            "url": here,
            "link": "To the plan",
        }
    return render_template(
        "concept_tutor/learn.html", plan=store.plan(slug), question=None, nothing=nothing, problem=None
    )


def _without(feedback: str, verdict: str) -> str:
    """The feedback without the verdict that it may begin with: that is the heading above it."""
    rest = re.sub(rf"^{verdict}[.:]\s+", "", feedback)
    return rest[:1].upper() + rest[1:]


def _number(text: str, most: int) -> int:
    return min(int(text), most) if text.isascii() and text.isdigit() and len(text) < 4 else 0


def _due(due: datetime) -> Due:
    seconds = (due - datetime.now(UTC)).total_seconds()
    if seconds < 60:
        words = "soon"
    elif seconds < 5400:
        words = f"in {max(1, round(seconds / 60))} minutes"
    elif seconds < _DAY:
        words = f"in {round(seconds / 3600)} hours"
    else:
        days = round(seconds / _DAY)
        words = "tomorrow" if days == 1 else f"in {days} days"
    return Due(due.isoformat(timespec="seconds"), words)
