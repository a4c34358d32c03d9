"""Who "he" or "she" is in a follow-up."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..text.doers import NAME, doers_in
from ..text.stemming import words

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Characters of an answer in which a person is looked for.
_LONGEST_SENTENCE = 600
#: "He" and "she" in every form; a possessive is the first group: "her friend", not "with her".
_PERSONS = (
    re.compile(r"\b(?:he|him|(his))\b", re.IGNORECASE),
    re.compile(
        r"\b(?:she|her(?=\W*$| (?:an?|the|to|in|on|at|by|for|from|of|with|and|or|as|about|after|before|when|so)\b)"
        r"|(hers?))\b",
        re.IGNORECASE,
    ),
)
#: Of them that are replaced in a question.
_MOST = 4
_ASKS_WHO = re.compile(r"\bwho\b", re.IGNORECASE)
#: "Who was Anna Kerr?", "Tell me about Kerr", which have the name, not "Who was Anna's father?".
_ASKS_WHO_IS = re.compile(
    r"\W*(?:(?i:and|but|so) )?(?i:who (?:is|was)|who['’]s|tell me(?: more)? about)"
    r" ((?:[A-Z][\w.’'-]*(?<!['’]s) ?){1,5})\W*$"
)


def with_person(question: str, history: Sequence[tuple[str, str]]) -> str:
    """The question with the name of the person who was asked for, or asked about, for "he" or for "she", whichever
    comes first; of a person that the question names itself it is as it was: "Did Anna Kerr say that she is ill?".

    ``history``: the earlier questions, each with its answer, the latest last.
    """
    found = [each for form in _PERSONS if (each := form.search(question))]
    first = min(found, key=re.Match.start, default=None)
    if first is None or (first[0].casefold() not in {"him", "her"} and NAME.search(question, 1, first.start())):
        return question
    # "Where does she live?" behind "Who is her father?" is of her of whom that was asked.
    turns = ((asked, answer) for asked, answer in reversed(history) if not first.re.search(asked))
    person = next(filter(None, (_person_of(*turn) for turn in turns)), "")
    named = first.re.sub(lambda each: f"{person}’s" if each[1] else person, question, _MOST)
    return named if person else question


def _person_of(question: str, answer: str) -> str:
    """The name of who was asked for, or the full one of who was asked about; empty for none."""
    if named := _ASKS_WHO_IS.match(question):
        return named[1].strip()
    if _ASKS_WHO.search(question):
        quoted = answer[:_LONGEST_SENTENCE].partition("\n\n")[0].rpartition(" [")[0]  # not what comes closest
        sentence, known = quoted.partition(" [")[0], frozenset(words(question))
    else:
        sentence, known = question, frozenset[str]()
    name = max(doers_in(sentence, known, is_done=True), key=lambda each: len(each.split()), default="")
    return name if known or " " in name else ""
