"""The pages of a session: what comes before it, explanations, questions, hints, answers, and its end."""

from __future__ import annotations

import re
import uuid
from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from ragstone.core import BadRequest, Host, NotFound, RagstoneError

from ..learning.explanations import option_notes
from ..learning.grading.feedback import STEPS, is_secret
from ..learning.lessons import Lessons
from ..learning.records import LENGTH, Grade, Question, Session
from ..learning.sessions import Sessions
from ..plans.store import PlanStore
from .concepts import citations, explanation_view
from .learners import current_learner
from .results import result_facts
from .wording import moment, pieces

#: Characters of an answer that the page takes; learning itself has the last word.
LONGEST_ANSWER = 1_000
_VERDICTS = {"right": "Right", "partly": "Partly right", "wrong": "Not right"}
_UNKNOWN = "Here is the answer"


def install(pages: Blueprint, host: Host) -> None:
    """Add the pages of learning."""
    lessons, sessions, store = host.once(Lessons), host.once(Sessions), host.once(PlanStore)

    @pages.get("/plans/<slug>/learn")
    def learn(slug: str) -> str | BaseResponse:
        store.plan(slug)
        session = _session(sessions, slug)
        if asked := request.args.get("question", ""):
            return _shown(host, session, _of_plan(lessons, slug, asked))
        if session is None:
            return begin(slug)
        question = sessions.next(session)
        if question is None:
            return ended(session)
        if _is_new(host, session, question.concept) and request.args.get("read") != question.concept:
            view = explanation_view(host, slug, question.concept, session.learner)
            if view["parts"]:
                return _page(host, "explain", slug, view=view, session=session, concept=view["concept"])
        return _shown(host, session, question)

    def begin(slug: str, problem: dict[str, Any] | None = None) -> str:
        learner, concept = current_learner(), request.values.get("concept") or None
        view = explanation_view(host, slug, concept, learner) if concept is not None else None
        outlook = sessions.outlook(slug, learner)
        states = {one.state for one in store.concepts(slug) if concept in (None, one.key)}
        names = {one.key: one.name for one in store.concepts(slug)}
        is_begun = concept is not None and lessons.mastery(slug, learner)[concept].attempts > 0
        return _page(
            host, "begin", slug,
            view=view,
            rests=is_begun and next(iter(lessons.queue(slug, concept, learner)), None) is None,
            concept=view["concept"] if view is not None else None,
            current=sessions.current(slug, learner) if concept is None else None,
            outlook=outlook,
            next_names=[names[key] for key in outlook.new[:3]],
            next_due=moment(outlook.next_due),
            length=LENGTH,
            able="found" in states,
            problem=problem,
        )  # fmt: skip

    @pages.post("/plans/<slug>/learn/start")
    def start(slug: str) -> BaseResponse | tuple[str, int]:
        concept = request.form.get("concept") or None
        if concept is not None:
            store.concept(slug, concept)
        try:
            session = sessions.start(slug, concept, current_learner(), request.form.get("kind") or "mixed")
        except BadRequest as error:
            return begin(slug, error.to_problem()), error.status
        # a learner who begins from a concept's explanation has read it
        return redirect(_onward(session, read=concept), 303)

    @pages.post("/plans/<slug>/learn/end")
    def end(slug: str) -> BaseResponse:
        return ended(_known(_session(sessions, slug)))

    def ended(session: Session) -> BaseResponse:
        sessions.end(session)
        return redirect(url_for("concept_tutor.result", slug=session.plan, session=session.session_id), 303)

    @pages.get("/plans/<slug>/learn/result")
    def result(slug: str) -> str:
        store.plan(slug)
        session = _known(_session(sessions, slug))
        return _page(host, "result", slug, session=session, **result_facts(host, session))

    @pages.post("/plans/<slug>/learn/answer")
    def answer(slug: str) -> tuple[str, int] | str | BaseResponse:
        session = _session(sessions, slug)
        question = _of_plan(lessons, slug, request.form.get("question", ""))
        attempt, how = request.form.get("attempt") or uuid.uuid4().hex, request.form.get("do", "")
        given = None if how == "unknown" else request.form.get("answer", "").strip()
        try:
            if how == "skip" and session is not None:
                sessions.skip(session, question.question_id, attempt)
                return redirect(_onward(session), 303)
            if given == "":
                raise BadRequest("the answer is empty", hint="there are buttons for what you do not know")
            hints = _number(request.form.get("hints", ""), STEPS)
            if session is None:
                grade = lessons.answer(question.question_id, given, attempt, hints, current_learner())
            else:
                grade = sessions.answer(session, question.question_id, given, attempt, hints)
                session = sessions.session(session.session_id)
        except RagstoneError as error:
            return _shown(host, session, question, problem=error.to_problem()), error.status
        return _graded(host, session, question, grade, given)


def _session(sessions: Sessions, slug: str) -> Session | None:
    session_id = request.values.get("session", "")
    found = sessions.session(session_id) if session_id else None
    if found is not None and found.plan != slug:
        raise NotFound("there is no such session in this plan")
    return found


def _known(session: Session | None) -> Session:
    if session is None:
        raise NotFound("there is no such session")
    return session


def _of_plan(lessons: Lessons, slug: str, question_id: str) -> Question:
    question = lessons.question(question_id[:200])
    if question.plan != slug:
        raise NotFound("there is no such question in this plan")
    return question


def _onward(session: Session, read: str | None = None) -> str:
    return url_for("concept_tutor.learn", slug=session.plan, session=session.session_id, read=read)


def _is_new(host: Host, session: Session, concept: str) -> bool:
    """Whether the learner has seen no question on the concept yet."""
    if any(one.concept == concept for one in session.steps):
        return False
    return not host.once(Lessons).mastery(session.plan, session.learner)[concept].attempts


def _shown(host: Host, session: Session | None, question: Question, problem: dict[str, Any] | None = None) -> str:
    """The question, with as many hints as were asked for."""
    values = request.form if request.method == "POST" else request.args
    asked = _number(values.get("hint", "") or values.get("hints", ""), STEPS)
    lessons = host.once(Lessons)
    hints = [lessons.hint(question.question_id, step) for step in range(1, asked + 1)]
    return _page(
        host, "learn", question.plan,
        session=session,
        question=question,
        question_text=pieces(question.text),
        hints=[(one.step, pieces(one.text)) for one in hints],
        next_hint=asked + 1 if asked < STEPS else None,
        attempt=values.get("attempt") or uuid.uuid4().hex,
        answer=values.get("answer", ""),
        citations=citations(question.sources),
        problem=problem,
    )  # fmt: skip


def _graded(host: Host, session: Session | None, question: Question, grade: Grade, given: str | None) -> str:
    notes, sources = option_notes(question, host.once(PlanStore).all_sources(question.plan))
    verdict = _VERDICTS[grade.verdict] if given is not None else _UNKNOWN
    return _page(
        host, "learn", question.plan,
        session=session,
        question=question,
        question_text=pieces(question.text),
        grade=grade,
        notes=notes,
        answer=given,
        verdict=verdict,
        feedback=_without(grade.feedback, _VERDICTS[grade.verdict]),
        citations=citations(sources if notes else grade.sources),
        due_again=moment(grade.due),
    )  # fmt: skip


def _page(host: Host, name: str, slug: str, **facts: Any) -> str:
    store, session, question = host.once(PlanStore), facts.get("session"), facts.get("question")
    learner = session.learner if session is not None else current_learner()
    if question is not None:
        mastery = host.once(Lessons).mastery(slug, learner).get(question.concept)
        facts["concept"] = store.concept(slug, question.concept)
        hides = "grade" not in facts and is_secret(facts["concept"].name, question)
        secret = "Which one is it?" if question.form == "choice" else "Question"
        facts["heading"] = secret if hides else facts["concept"].name
        facts["percent"] = round(100 * mastery.level) if mastery is not None else 0
    return render_template(
        f"concept_tutor/{name}.html",
        plan=store.plan(slug),
        learner=learner,
        limits={"answer": LONGEST_ANSWER, "hints": STEPS},
        **{"problem": None, "session": None, **facts},
    )


def _without(feedback: str, verdict: str) -> str:
    """The feedback without the verdict that it may begin with: that is the heading above it."""
    rest = re.sub(rf"^{verdict}[.:]\s+", "", feedback)
    return rest[:1].upper() + rest[1:]


def _number(text: str, most: int) -> int:
    return min(int(text), most) if text.isascii() and text.isdigit() and len(text) < 4 else 0
