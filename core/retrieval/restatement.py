"""Reads a question that corrects the one before or asks for its source: the question that is meant."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..text.antecedents import resolve_pronoun
from ..text.rewording import going_on
from .follow_up import QUESTION, Turn

#: Where what was answered is found: the answer is given again, with its citations.
_ASKS_SOURCE = re.compile(
    r"\W*(?:and )?(?:(?:where|which \w+) (?:does|do|did) (?:it|they|he|she|(?:the|this|your) \w+)"
    r" (?:say|state|mention|write) (?:that|this|it|so)|who (?:says|states|claims)(?: (?:that|this|it|so))?"
    r"|(?:which|what) \w+ (?:says|states|mentions) (?:that|this|it|so)"
    r"|where(?:['’]?s| is| was) (?:that|this|it) (?:said|stated|written)"
    r"|where in the \w+ is (?:that|this|it)|where did (?:you|it) (?:get|find|read) (?:that|this|it)"
    r"|are you (?:really )?(?:sure|certain)|is (?:that|this|it) (?:really )?(?:true|right|correct)|really"
    r"|(?:(?:in|on) )?(?:what|which) (?:page|chapter|section)"
    r"(?:(?:['’]?s| is| was)? (?:that|this|it)(?: (?:in|on|from))?)?)\W*",
    re.IGNORECASE,
)
#: "No, I meant …", before what was to be asked instead, or a part of it.
_CORRECTION = re.compile(
    r"\W*(?:(?:no|nope|sorry|oh|well|actually|wait)\b\W*){0,3}"
    r"i (?:actually |really )?(?:mean|meant)(?: to ask)?\b[\s:,]*(?=\w)"
    r"|\W*(?:not that|no)\b(?: one)?[,;]\s*(?=\w)(?!thank|that\b)",
    re.IGNORECASE,
)


def asked_again(question: str, history: Sequence[Turn]) -> tuple[str, Sequence[Turn]]:
    """The question and what was before it; for "Where does it say that?" the one that gives its citations again; "What
    about winches?" for "No, I meant winches"; what "it" is, in a few forms of question."""
    question = going_on(question) if history else question
    if history and (lead := _CORRECTION.match(question)):
        rest = question[lead.end() :]
        question = rest if QUESTION.match(rest) else f"What about {rest}"
    while history and _ASKS_SOURCE.fullmatch(question):
        question, history = history[-1].question, history[:-1]
    answered = [turn.question for turn in history if turn.answer]
    return resolve_pronoun(question, answered or [turn.question for turn in history]), history
