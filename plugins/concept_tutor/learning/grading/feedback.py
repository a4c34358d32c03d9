"""What a learner is told after an answer: whether it is right, what the source says, where to read on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragstone.core.citations import read_markers

if TYPE_CHECKING:
    from ..records import Finding, Question

_OPENINGS = {"right": "Right.", "partly": "Partly right", "wrong": "Not right"}


def feedback(question: Question, finding: Finding) -> str:
    """In sentences that end with the numbers of their sources, ``[N]``."""
    source = question.source
    quote = f"As {source.named} says [{source.index}]: “{question.support.text}”"
    if finding.verdict == "right":
        noted = f" ({finding.because})" if finding.because else ""
        return f"Right{noted}. {quote}"
    opening = _OPENINGS[finding.verdict] + (f": {finding.because}." if finding.because else ".")
    solution = f" The answer is “{question.key}”." if question.form != "open" else ""
    section = f", section “{source.section}”" if source.section else ""
    return f"{opening}{solution} {quote} Read on in {source.named}{section} [{source.index}]."


def cited(text: str, question: Question) -> tuple[int, ...]:
    """The numbers of the question's sources that a text names, each once, in their order."""
    known = {source.index for source in question.sources}
    return tuple(number for number in read_markers(text)[1] if number in known)
