"""A plan's questions for other programs: Anki, and what imports GIFT or QTI 2.1."""

from __future__ import annotations

from typing import Literal, get_args

from ragstone.core import BadRequest, Host
from ragstone.core.answering import check_type

from ..plans.store import PlanStore
from .lessons import Lessons

QuestionFormat = Literal["anki", "gift", "qti"]


def export_questions(host: Host, plan: str, format: QuestionFormat) -> bytes:  # noqa: A002 - as users call it
    """All questions of the plan as a file of this format; those not yet written are written.

    Raises ``BadRequest``, ``NotFound``, and ``MissingExtra`` for Anki without ``genanki``.
    """
    check_type(host, "host", Host, "an open Host")
    check_type(plan, "plan", str, "a string")
    if format not in get_args(QuestionFormat):
        raise BadRequest(f"format must be one of {', '.join(get_args(QuestionFormat))}")
    lessons, store = host.once(Lessons), host.once(PlanStore)
    names, title = {concept.key: concept.name for concept in store.concepts(plan)}, store.plan(plan).title
    questions = [question for key in names for question in lessons.questions(plan, key)]
    if format == "gift":
        from .gift import gift

        return gift(title, names, questions)
    if format == "anki":
        from .anki import package
    else:
        from .qti import package
    return package(title, plan, names, questions, lessons.clock())
