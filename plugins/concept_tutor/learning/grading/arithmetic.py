"""What is calculated: whether an answer leaves out an operation of its key ("the sum" for the mean)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..records import Question

#: Each operation as a key has it, and as an answer may say it.
_OPERATIONS = [
    (re.compile(asserted), re.compile(rf"\b(?:{said})", re.IGNORECASE))
    for asserted, said in (
        (r"\bsum of\b|\badded to\b", r"sum|total|add|plus|altogether"),
        (r"\bdifference (?:between|of)\b|\bminus\b|\bsubtracted\b", r"differ|minus|subtract|apart|distance|less|gap"),
        (r"\bproduct of\b|\bmultiplied by\b", r"product|multipl|times|scaled"),
        (
            r"\bdivided by\b|\bquotient of\b|\bratio of\b",
            r"divi|quotient|ratio|over|per|proportion|fraction|share|relative",
        ),
        (r"\bsquared?\b(?! root)", r"squar|second power|quadr"),
        (r"\bsquare root\b", r"root"),
    )
]


def leaves_out_operation(question: Question, answer: str) -> bool:
    """Whether the key calculates something with an operation that neither the answer nor the question has."""
    known = f"{question.text} {answer}"
    return any(asserted.search(question.key) and not said.search(known) for asserted, said in _OPERATIONS)
