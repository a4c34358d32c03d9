"""Negations: sentences that deny something near the words of a question, and verbs of refusing that a question has."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from .irregular_verbs import with_forms
from .question_kinds import asks_whether
from .stemming import stems

if TYPE_CHECKING:
    from collections.abc import Collection

_NEGATION = re.compile(
    r"\b(?:no|(?<!but )(?<!or )(?<!if )not(?! (?:only|just|merely|least)\b)"
    r"|never|none|nobody|nothing|nowhere|cannot|without|neither|nor|hardly|rarely|unable|lacks?|except)\b"
    r"|n[’']t\b|\b(?:do|does|did|is|are|was|were|ca|could|wo|would)nt\b",
    re.IGNORECASE,
)
#: Words from a negation to those that it denies: further off it denies something else.
_DENIED = 6
_WORD = re.compile(r"[\w’']+")
#: Verbs that say that something is not done, or no longer: "Who rejected the offer?" is not answered by who made it.
_REFUSALS = frozenset(
    stems(
        """abandon abolish avoid ban cancel cease close decline deny disagree dislike dissolve exclude fail forbid hate
        ignore lack lose miss neglect omit oppose prevent prohibit quit refuse reject remove resist stop"""
    )
)
#: Such a verb as an adjective: "What is done with abandoned bicycles?"
_ADJECTIVE = re.compile(r"\b(?:an?|the|of|to|for|with|on|about|any|all|my|your)\s+(?:\w+ed|lost)\s+\w+", re.IGNORECASE)


def negates(question: str) -> bool:
    """Whether it asks what is not so; not whether something is, which is answered by either."""
    return bool(_NEGATION.search(question)) and not asks_whether(question)


def denies(text: str, asked: Collection[str]) -> bool:
    """Whether a negation is near one of the stems that are asked for."""
    negations = [found.start() for found in _NEGATION.finditer(text)]
    if not negations:
        return False
    found = list(_WORD.finditer(text))
    starts = [word.start() for word in found]
    places = [bisect_left(starts, at) for at in negations]
    near = {at for place in places for at in range(max(0, place - _DENIED), min(len(found), place + _DENIED + 1))}
    return not frozenset(asked).isdisjoint(stems(" ".join(found[at][0] for at in sorted(near))))


def refusals_in(question: str) -> list[frozenset[str]]:
    """The stems of each verb such as "refuse" or "stop" in a question that does not ask whether something is so."""
    if asks_whether(question):
        return []
    forms = map(with_forms, stems(_ADJECTIVE.sub(" ", question)))
    return [each for each in forms if _REFUSALS & each]
