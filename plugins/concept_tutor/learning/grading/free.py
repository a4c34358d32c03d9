"""Answers in a learner's own words, laid beside the span that they should tell.

What the key asserts (terms, names, numbers, directions, denials, who does what to whom) is looked up in the answer, and
what the answer adds is weighed against what it leaves out. Nothing in an answer can talk its way to a mark: it is
compared and never read as an instruction, and no language model decides on it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragstone.core.citations import Contradiction, contradictions

from ..reading.spelling import stem_set
from ..records import Finding, Question
from .comparison import Comparison, as_in_key, compare, words_of_question
from .direction import are_clauses_exchanged, leads_alike
from .likeness import likeness
from .order import are_opposites_exchanged, are_phrases_exchanged, are_sides_exchanged, is_shuffled
from .polarity import LACKING, denies_alone, denies_otherwise, is_denied, may_deny, opposite
from .roles import are_swapped, is_cause_exchanged
from .word_forms import stem_of
from .wording import with_signs, words_of

if TYPE_CHECKING:
    from ragstone.core import Encoder

#: From this share of what the key tells an answer is partly right, and without an encoder right.
_PARTLY, _PARTLY_WITH_OTHERS, _RIGHT, _SURE = 0.18, 0.25, 0.7, 0.78
#: From this chance on it is right, or partly: see the table that ``bench.grading --fit`` prints.
_LIKELY, _PERHAPS = 0.35, 0.3
#: And from this one on where it denies something and the key nothing.
_CERTAIN = 0.8
_LONG, _TIMES = 60, 3
#: What an answer sets against what it says: "the second, not the first".
_CONTRAST = re.compile(r"(?:,|,?\s(?:and|but))\snot\s[^,.;]+|,?\s(?:instead of|rather than)\s[^,.;]+", re.IGNORECASE)
#: Words that feedback names.
_NAMED = 5
#: Signs around a word.
_AROUND_WORD = ' .,;:()“”"'
#: Each operation as a key has it, and as an answer may say it.
_OPERATIONS = [
    (re.compile(asserted), re.compile(rf"\b(?:{said})", re.IGNORECASE))
    for asserted, said in (
        (r"\bsum of\b|\badded to\b", r"sum|total|add|plus|altogether"),
        (
            r"\bdifference (?:between|of)\b|\bminus\b|\bsubtracted\b",
            r"differ|minus|subtract|apart|distance|less|more|gap",
        ),
        (r"\bproduct of\b|\bmultiplied by\b", r"product|multipl|times|scaled"),
        (
            r"\bdivided by\b|\bquotient of\b|\bratio of\b",
            r"divi|quotient|ratio|over|per|proportion|fraction|share|relative",
        ),
        (r"\bsquared?\b(?! root)", r"squar|second power|quadr"),
        (r"\bsquare root\b", r"root"),
    )
]


def grade_free(question: Question, answer: str, encoder: Encoder | None) -> Finding:
    """Right, partly right or wrong, and why; without an encoder by the words alone."""
    if not answer.strip():
        return Finding("wrong", "no answer was given")
    answer = as_in_key(_without_contrast(with_signs(answer), question.key), question.key, question.support.text)
    found = compare(question, answer)
    wrong = objection(question, answer, found)
    if wrong is not None:
        return Finding("wrong", wrong if found.share >= _PARTLY else "")
    number = other_number(question, answer)
    fault = disorder(question, answer, found) or number
    if number:  # the rest of the answer is graded without it
        numbers = [place for place in found.foreign if found.answer[place].is_number]
        for at, place in zip([at for at in found.missing if found.key[at].is_number], numbers, strict=False):
            found = found.with_match(at, place)
    chance, alike = _judged(question, answer, found, encoder)
    likely = chance >= _LIKELY and not found.is_cut_short
    if fault is not None:
        return Finding("partly" if likely else "wrong", fault, 0.5 if likely else 0.0)
    if found.share >= _RIGHT and len(answer.split()) > max(_LONG, _TIMES * len(question.key.split())):
        return Finding("partly", "it says much more than what was asked for; say it in a sentence", 0.5)
    if likely:
        return Finding("right", credit=1.0)
    if found.share < (_PARTLY_WITH_OTHERS if found.foreign else _PARTLY) and chance < _PERHAPS:
        return Finding("wrong")
    return Finding("partly", _missing(question, found, alike), 0.5)


def _without_contrast(answer: str, key: str) -> str:
    """The answer without what it denies beside what it says, where the key neither says nor denies that."""
    if _CONTRAST.search(key):
        return answer
    bare = _CONTRAST.sub("", answer)
    lost = stem_set(answer) - stem_set(bare)
    return answer if lost & stem_set(key) or not stem_set(bare) else bare


def _judged(
    question: Question, answer: str, found: Comparison, encoder: Encoder | None
) -> tuple[float, frozenset[int]]:
    """How likely nothing that matters is missing or exchanged; the key's words that are there in other words."""
    if encoder is None:
        return float(found.share >= (_SURE if found.foreign else _RIGHT)), frozenset()
    if is_other(question, found):
        return 0.0, frozenset()
    like = likeness(question, answer, found, encoder)
    is_unsure = like.chance < _CERTAIN and denies_alone(found, _lacks(question))
    return 0.0 if is_unsure else like.chance, like.alike


def objection(question: Question, answer: str, found: Comparison) -> str | None:
    """What makes an answer wrong whatever else it says, in words for the learner: a denial or an opposite."""
    if not found.matches and not found.foreign:
        return "it says no more than the question"
    lacks = _lacks(question)
    for each in contradictions(answer, question.support.text):
        # "Like" and "unlike" are often in texts; "non-functional" and "not functional" match "nonfunctional".
        is_chance = each.kind == "opposite" and (
            not stem_of(each.stated) or found.has_match(each.stated) or is_denied(found.key, each.source.casefold())
        )
        if (
            each.kind != "number"
            and not is_chance
            and not (each.kind == "negation" and (lacks or may_deny(found, each.stated)))
        ):
            return _reason(each)
    return opposite(found)


def is_other(question: Question, found: Comparison) -> bool:
    """Whether no likeness makes it right: the source has no such number, or does not deny what it denies."""
    return found.has_other_number() or denies_otherwise(found, _lacks(question))


def other_number(question: Question, answer: str) -> str | None:
    """The answer's number where the source has another one of the unit; "one of the two" is one."""
    lows = {word.low for word in words_of(answer)}
    return next(
        (
            _reason(each)
            for each in contradictions(answer, question.support.text)
            if each.kind == "number" and not (each.stated in {"one", "two"} and each.source in lows)
        ),
        None,
    )


def disorder(question: Question, answer: str, found: Comparison) -> str | None:
    """What makes an answer that has the right words less than right: their order, or a calculation without a step."""
    asked = words_of_question(question)
    goes_on = [word.low for word in found.answer[:1]] == [word.low for word in asked[-1:]]
    if is_shuffled([*asked, *found.key], found.answer[goes_on:]):  # "composed of?", "of representatives"
        return "it has the source's words, but they make no statement"
    alike = leads_alike(asked, found) if not found.has_opposite else True
    if (
        alike is False
        or are_phrases_exchanged(found.key, found.answer)
        or are_opposites_exchanged(found.key, found.answer)
        or are_clauses_exchanged(found)
        or (not alike and (are_sides_exchanged(found) or are_swapped(found)))
        or is_cause_exchanged(asked, found)
    ):
        return "it says of one thing what the source says of another"
    known = f"{question.text} {answer}"
    if any(asserted.search(question.key) and not said.search(known) for asserted, said in _OPERATIONS):
        return "something of what is calculated is missing"
    return None


def _lacks(question: Question) -> bool:
    """Whether the question asks for what is not there: the key is what the source denies."""
    return any(word.low in LACKING for word in words_of_question(question))


def _missing(question: Question, found: Comparison, alike: frozenset[int]) -> str:
    """What of the key the answer has, and what not; of what tells little nothing is said."""
    present = [at for at, weight in found.weights.items() if at in found.matches and weight == 1]
    spelled = [word.strip(_AROUND_WORD) for word in question.key.split()]
    # "non" of "non-verbal" is no word
    parts = {part: word for word in spelled for part in word.split("-")} | {word: word for word in spelled}
    had, missing = (
        ", ".join(f"“{word}”" for word in [*dict.fromkeys(parts.get(text, text) for text in texts)][:_NAMED])
        for texts in (
            [found.key[at].text for at in places]
            for places in (present, [at for at in found.missing if at not in alike])
        )
    )
    if not missing:
        return "something of it is missing"
    return f"you have {had}; still missing: {missing}" if had else f"still missing: {missing}"


def _reason(found: Contradiction) -> str:
    if found.kind == "negation":
        return "it denies what the source says" if found.stated else "the source denies it"
    return f"it says “{found.stated}” where the source says “{found.source}”"
