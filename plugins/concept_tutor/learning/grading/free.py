"""Answers in a learner's own words, laid beside the span that they should tell.

Nothing in an answer can talk its way to a mark: it is compared and never read as an instruction, and no language model
decides on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ragstone.core.citations import contradictions
from ragstone.core.text import stems

from ..records import Finding

if TYPE_CHECKING:
    from ragstone.core import Encoder
    from ragstone.core.citations import Contradiction

    from ..records import Question

#: From here on an answer is right, and partly right. Tried on answers written for it: tests/…/learn/test_grading.py.
_RIGHT, _PARTLY = 0.52, 0.18
#: A part of an answer's value is the share of the key's words that it has, the rest how near it is in meaning.
_WORDS = 0.5
#: How near by the encoder's cosine, above what the question itself has, counts as the same.
_SAME = 0.5
_OWN, _MOST_OWN = 0.8, 0.6
#: So much of a key must be told in its words; of a key of a few words more, for one of them is no answer.
_LEAST, _LEAST_OF_SHORT, _SHORT = 0.2, 0.6, 3
#: An answer of so many words, and so many times the key's, copies instead of telling.
_LONG, _TIMES = 60, 3


@dataclass(frozen=True)
class FreeAnswers:
    """Grades free answers with the host's encoder; without one by their words alone."""

    encoder: Encoder | None = None

    def grade(self, question: Question, answer: str) -> Finding:
        """Right, partly right or wrong, and why."""
        given = set(stems(question.text))
        wanted = [stem for stem in dict.fromkeys(stems(question.key)) if stem not in given]
        told = set(stems(answer)) - given
        if not answer.strip():
            return Finding("wrong", "no answer was given")
        if not told:
            return Finding("wrong", "it says no more than the question")
        covered = sum(stem in told for stem in wanted) / max(1, len(wanted))
        value = self._value(question, answer, covered)
        against = contradictions(answer, question.support.text)
        turned = next((found for found in against if found.kind != "number"), None)
        if turned is not None:
            return Finding("wrong", _said_against(turned))
        number = next((found for found in against if found.kind == "number"), None)
        is_right = value >= _RIGHT and covered >= (_LEAST_OF_SHORT if len(wanted) <= _SHORT else _LEAST)
        if number is not None:
            if not is_right:
                return Finding("wrong", _said_against(number))
            return Finding("partly", _said_against(number), 0.5)
        if is_right:
            if len(answer.split()) > max(_LONG, _TIMES * len(question.key.split())):
                return Finding("partly", "it says much more than what was asked for; say it in a sentence", 0.5)
            return Finding("right", credit=1.0)
        if value >= _PARTLY:
            return Finding("partly", "something of it is missing", 0.5)
        return Finding("wrong")

    def _value(self, question: Question, answer: str, covered: float) -> float:
        if self.encoder is None:
            return covered
        asked, key, said = self.encoder.embed_texts([question.text, question.key, answer])
        base, near = float(np.dot(asked, key)), float(np.dot(said, key))
        # What the question's own words bring is no merit of the answer.
        meaning = min(1.0, max(0.0, (near - _OWN * min(base, _MOST_OWN)) / _SAME))
        return max(covered, _WORDS * covered + (1 - _WORDS) * meaning)


def _said_against(found: Contradiction) -> str:
    if found.kind == "negation":
        return "it denies what the source says" if found.stated else "the source denies it"
    return f"it says “{found.stated}” where the source says “{found.source}”"
