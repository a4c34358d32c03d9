"""A plan's questions for other programs: Anki, and what imports GIFT or QTI 2.1."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from ..plans.store import PlanStore
from .lessons import Lessons

if TYPE_CHECKING:
    from ragstone.core import Host

QuestionFormat = Literal["anki", "gift", "qti"]


def export_questions(host: Host, plan: str, format: QuestionFormat) -> bytes:  # noqa: A002 - as users call it
    """All questions of the plan as a file of this format; those not yet written are written.

    Raises ``NotFound``, and ``MissingExtra`` for Anki without ``genanki``.
    """
    lessons, store = host.once(Lessons), host.once(PlanStore)
    if format == "anki":
        return lessons.anki(plan)
    concepts, title = store.concepts(plan), store.plan(plan).title
    questions = [question for concept in concepts for question in lessons.questions(plan, concept.key)]
    names = {concept.key: concept.name for concept in concepts}
    if format == "gift":
        from .gift import gift

        return gift(title, names, questions)
    from .qti import package

    return package(title, plan, names, questions, datetime.now(UTC))
