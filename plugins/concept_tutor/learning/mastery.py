"""How well a concept is known, from the answers: Bayesian knowledge tracing (Corbett and Anderson, 1995).

After each answer the probability of knowing is weighed anew: a right answer may have been guessed, a wrong one may be a
slip. What was only partly right, or right after hints, lies between the two. With time it falls as FSRS forgets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .records import Form

#: Before any answer; and what one question teaches by being asked and explained.
_BEFORE, _TAUGHT = 0.15, 0.1
#: Probability of a right answer without knowing, and of a wrong one in spite of it.
_GUESS: dict[Form, float] = {"choice": 0.3, "blank": 0.05, "open": 0.1}
_SLIP = 0.1
#: What an answer after so many hints counts of one without.
_AFTER_HINTS = (1.0, 0.8, 0.6, 0.3)


def credit_of(credit: float, hints: int) -> float:
    """What an answer counts, 0 to 1, after so many hints."""
    return credit * _AFTER_HINTS[min(max(hints, 0), len(_AFTER_HINTS) - 1)]


def known(answers: Iterable[tuple[Form, float]]) -> float:
    """The probability of knowing after the answers in their order, each its form and its credit; 0 without any."""
    level, any_ = _BEFORE, False
    for form, credit in answers:
        any_ = True
        guess = _GUESS[form]
        right = level * (1 - _SLIP) / (level * (1 - _SLIP) + (1 - level) * guess)
        wrong = level * _SLIP / (level * _SLIP + (1 - level) * (1 - guess))
        level = credit * right + (1 - credit) * wrong
        level += (1 - level) * _TAUGHT * credit
    return level if any_ else 0.0
