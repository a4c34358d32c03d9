"""What a learner remembers and knows: when a question is asked again, and how well a concept is known.

When: FSRS, with the package ``fsrs`` (Ye, Su and Cao, KDD 2022; MIT). Nothing in it is left to chance (no fuzz) and no
clock is read: the moment comes from outside.

How well: Bayesian knowledge tracing (Corbett and Anderson, 1995). After each answer the probability of knowing is
weighed anew: a right answer may have been guessed, a wrong one be a slip. What was only partly right, or right after
hints, lies between the two. With time it falls as FSRS forgets.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ragstone.core import require_extra

if TYPE_CHECKING:
    from fsrs import Card, Scheduler

    from .records import Form, Verdict

#: Hints after which an answer counts as a failure to remember, whatever it says.
_MANY_HINTS = 3
#: Before any answer; and what one question teaches by being asked and explained.
_BEFORE, _TAUGHT = 0.15, 0.1
#: Probability of a right answer without knowing, and of a wrong one in spite of it.
_GUESS: dict[Form, float] = {"choice": 0.3, "blank": 0.05, "open": 0.1}
_SLIP = 0.1
#: What an answer after so many hints counts of one without.
_AFTER_HINTS = (1.0, 0.8, 0.6, 0.3)


class Spacing:
    """Decides when a question is due. ``retention``: the probability of remembering at which it is asked again."""

    def __init__(self, retention: float, longest_days: int) -> None:
        require_extra("tutor", "fsrs")
        from fsrs import Scheduler

        self._scheduler: Scheduler = Scheduler(
            desired_retention=retention,
            maximum_interval=longest_days,
            learning_steps=[timedelta(minutes=1), timedelta(minutes=10)],
            relearning_steps=[timedelta(minutes=10)],
            enable_fuzzing=False,
        )

    def reviewed(self, before: Card | None, verdict: Verdict, hints: int, at: datetime) -> Card:
        """How well a question is remembered after an answer, in UTC; ``before`` is ``None`` where it was the first."""
        from fsrs import Card, Rating

        if verdict == "wrong" or hints >= _MANY_HINTS:
            rating = Rating.Again
        elif verdict == "partly" or hints:
            rating = Rating.Hard
        else:
            rating = Rating.Good
        return self._scheduler.review_card(before or Card(card_id=1, due=at), rating, review_datetime=at)[0]

    def recall(self, memory: Card, at: datetime) -> float:
        """The probability, 0 to 1, that it is remembered at that moment."""
        return float(self._scheduler.get_card_retrievability(memory, at))


def credit_of(credit: float, hints: int) -> float:
    """What an answer counts, 0 to 1, after so many hints."""
    return credit * _AFTER_HINTS[min(max(hints, 0), len(_AFTER_HINTS) - 1)]


def known(answers: Sequence[tuple[Form, float]]) -> float:
    """The probability of knowing after the answers in their order, each its form and its credit; 0 without any."""
    level = _BEFORE if answers else 0.0
    for form, credit in answers:
        guess = _GUESS[form]
        right = level * (1 - _SLIP) / (level * (1 - _SLIP) + (1 - level) * guess)
        wrong = level * _SLIP / (level * _SLIP + (1 - level) * (1 - guess))
        level = credit * right + (1 - credit) * wrong
        level += (1 - level) * _TAUGHT * credit
    return level
