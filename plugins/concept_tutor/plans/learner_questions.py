"""Questions that are about the learner and not about the material."""

from __future__ import annotations

import re

_LAST_ANSWER = re.compile(
    r"\bmy (?:last |latest |previous )?(?:answers?|repl(?:y|ies)|attempts?|mistakes?|errors?)\b"
    r"|\bwhat did i (?:get|do) wrong\b|\bwhy (?:was|is|were) (?:i|that|this|it) (?:wrong|not right|incorrect|false)\b"
    r"|\bwhat (?:was|is|would have been) the (?:right|correct) answer\b|\bthe last question\b",
    re.IGNORECASE,
)
_WEAKEST = re.compile(
    r"\bwhat (?:should|must|do|can|shall) i (?:learn|study|practi[sc]e|review|revise|repeat|do|read)\b"
    r"|\bwh(?:at|ere) am i (?:weak|bad|worst)\w*|\bmy weak\w*|\bwhat(?:'s| is) next\b|\bweakest\b"
    r"|\bwhat do i (?:not know|know (?:least|worst))\b",
    re.IGNORECASE,
)


def is_about_last_answer(question: str) -> bool:
    """Whether the learner asks about the answer that they gave last ("why was my answer wrong?")."""
    return bool(_LAST_ANSWER.search(question))


def is_about_weakest(question: str) -> bool:
    """Whether the learner asks what to learn ("what should I practise?")."""
    return bool(_WEAKEST.search(question))
