"""What a learner is told after an answer: whether it is right, what the source says, where to read on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..records import Finding, Question

_OPENINGS = {"right": "Right.", "partly": "Partly right", "wrong": "Not right"}
_MARKER = re.compile(r"\[(\d{1,4})\]")


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
    return tuple(dict.fromkeys(number for found in _MARKER.findall(text) if (number := int(found)) in known))
