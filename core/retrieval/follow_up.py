"""Detects follow-up questions and adds the earlier turns to them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..text.rewording import reworded
from ..text.stemming import stems
from ..text.stemming import words as plain_words

#: Earlier turns that are looked at.
LONGEST_HISTORY = 20
#: Questions that a follow-up is read together with: the one that it goes back to and those between.
_LOOKED_BACK = 3
_SHORT = 3
_LEANS = re.compile(
    r"^\W*(?:and|but|so|or|then|also|what about|how about|what else|why|really|go on|tell me more|more)\b"
    r"|\b(?:it|its|itself|they|them|their|theirs|this|that|these|those|he|him|his|she|her|hers|there|such|the same"
    r"|the (?:first|second|former|latter|other)|(?:this|that|which) one)\b",
    re.IGNORECASE,
)
#: "that" and "this" that point at nothing said before.
_POINTS_NOWHERE = re.compile(
    r"\b(?:is|was) it that\b|\b(?:so|such) that\b|\bis there\b|\bare there\b|\bwas there\b|\bwere there\b"
    r"|\b\w{4,} that\b",
    re.IGNORECASE,
)
#: Words of a follow-up that say nothing of their own: "tell me more", "go on", "explain".
_EMPTY = frozenset(stems("tell more go on explain continue say else example detail please elaborate mean reason okay"))


@dataclass(frozen=True)
class Turn:
    """A question that was asked before, and what was answered."""

    question: str
    answer: str = ""


@dataclass(frozen=True)
class FollowUp:
    """A question that needs earlier ones to be understood."""

    asked: str
    #: The earlier questions that it needs, oldest first, and what was answered to them.
    earlier: tuple[Turn, ...]
    #: Stems that it brings itself; none for "and why?".
    own: tuple[str, ...]

    @property
    def in_context(self) -> str:
        """The question behind those that it needs, without the words around these."""
        return " ".join((*(reworded(turn.question) for turn in self.earlier), self.asked))

    @property
    def answered(self) -> str:
        """Everything that was answered already."""
        return " ".join(turn.answer for turn in self.earlier)


def follow_up(question: str, history: Sequence[Turn]) -> FollowUp | None:
    """What the question needs of the history; ``None`` for a complete one."""
    if not history or not _is_incomplete(question):
        return None
    earlier: list[Turn] = []
    for turn in reversed(history[-LONGEST_HISTORY:]):
        earlier.insert(0, turn)
        if len(earlier) == _LOOKED_BACK or not _is_incomplete(turn.question):
            break
    return FollowUp(question, tuple(earlier), tuple(_own(question)))


def _own(question: str) -> list[str]:
    return [stem for stem in dict.fromkeys(stems(question)) if stem not in _EMPTY]


def _is_incomplete(question: str) -> bool:
    return (
        len(plain_words(question)) <= _SHORT
        or not _own(question)
        or bool(_LEANS.search(_POINTS_NOWHERE.sub(" ", question)))
    )
