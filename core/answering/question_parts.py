"""Retrieves for each part of a question that asks for several things."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..retrieval.evidence_gate import Verdict
from ..retrieval.follow_up import Turn, follow_up
from ..retrieval.models import Retrieval
from ..retrieval.parts import RetrievalInParts, joined, parts_of
from .extractive import choose
from .question import Question


def retrieved_in_parts(
    question: Question, top_k: int, judged: Callable[[Question], tuple[Retrieval, Verdict]]
) -> RetrievalInParts | None:
    """What was found for the parts, the later ones as follow-ups, if one is answered; ``None`` for another question.

    ``judged``: retrieves for a question as one, and says whether it is answered.
    """
    parts = parts_of(question.text)
    if not parts or follow_up(parts[0], question.history) is not None:
        return None
    found: list[Retrieval] = []
    history: list[Turn] = []
    unanswered: list[str] = []
    for text in parts:
        retrieval, verdict = judged(replace(question, text=text, history=history))
        history.append(Turn(text, " ".join(quote.text for quote in choose(retrieval))))
        if verdict == "closest" and not found:  # what comes closest to the whole question says more
            return None
        if verdict == "answered":
            found.append(retrieval)
        else:
            unanswered.append(text)
    answering = [(part, [quote.chunk for quote in choose(part)]) for part in found]
    return joined(question.text, answering, unanswered, top_k) if found else None
