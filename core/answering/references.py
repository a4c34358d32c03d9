"""What a quote refers to: the sentence before it, which has what its pronoun stands for, which it replies to, or which
leads in to its list."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ..retrieval.models import Retrieval
from ..retrieval.sentence_scores import ScoredSentence
from ..retrieval.sentences import instructing_units
from ..text.doers import is_by_pronoun
from ..text.question_kinds import points_to_asked
from ..text.sentence_kinds import NO_ANSWER

#: A sentence that begins with such a word is quoted with the one before it.
_POINTS_BACK = re.compile(
    r"(?:it|its|they|their|them|he|his|she|her|this|that|these|those|such|both|here|the (?:former|latter|same)"
    r"|there(?! (?:is|are|was|were|has|have|can|may)\b)"
    r"|so(?=,)|then|accordingly|for (?:this|that) reason|however|therefore|thus|hence|moreover|in addition|additionally"
    r"|also|instead|otherwise|as a result|for example|for instance|consequently)\b",
    re.IGNORECASE,
)
#: Words of speech that say something without what they reply to.
_LEAST_SPOKEN = 6
#: Characters of a sentence with the one before it, or with those that follow.
LONGEST_PAIR = 600


def with_references(chosen: Sequence[ScoredSentence], retrieval: Retrieval) -> list[ScoredSentence]:
    """The sentences; one that begins with a pronoun with the sentence before it, which has what it stands for."""
    found: list[ScoredSentence] = []
    for sentence in chosen:
        given = [each for each in found if each.chunk == sentence.chunk]
        if any(each.start <= sentence.start < each.end for each in given):
            continue
        start = _start_of_reference(sentence, retrieval)
        if not any(each.start <= start < each.end for each in given):
            text = retrieval.nodes[sentence.chunk].node.get_content()[start : sentence.end]
            sentence = replace(sentence, start=start, text=text)
        found.append(sentence)
    return found


def _start_of_reference(sentence: ScoredSentence, retrieval: Retrieval) -> int:
    """Where the sentence before begins, if this one points back to it and both may be quoted; else its own start.

    "This ship" of "Which ship …?" is named where the paragraph begins, or the one before it."""
    known = retrieval.terms(sentence.chunk)
    before, block = sentence.unit - 1, known.units[sentence.unit].block
    to_asked = points_to_asked(retrieval.question)
    if (lead_in := _lead_in(sentence, retrieval)) is not None:
        return lead_in
    if (asked := _what_it_replies_to(sentence, retrieval)) is not None:
        return asked
    if to_asked and to_asked.search(sentence.text):
        begin = next(at for at, unit in enumerate(known.units) if unit.block == block)
        before = begin if begin < sentence.unit else begin - 1
        block = known.units[max(before, 0)].block
    elif not (_POINTS_BACK.match(sentence.text) or is_by_pronoun(retrieval.question, sentence.text)):
        return sentence.start
    if before < 0:
        return sentence.start
    unit = known.units[before]
    fits = (
        (unit.kind, unit.block) == ("sentence", block)
        and known.kinds[before] not in NO_ANSWER
        and before not in instructing_units(sentence.chunk, retrieval)
        and sentence.end - unit.start <= LONGEST_PAIR
    )
    return unit.start if fits else sentence.start


def _lead_in(sentence: ScoredSentence, retrieval: Retrieval) -> int | None:
    """Where the sentence begins that leads in to the list of an item which goes on with it: "Never lift: – ropes,"."""
    known, text = retrieval.terms(sentence.chunk), retrieval.nodes[sentence.chunk].node.get_content()
    units, at = known.units, sentence.unit
    if units[at].kind != "item" or not text[units[at].start].islower():
        return None
    while units[at].kind == "item" and at:
        at -= 1
    fits = (
        text.endswith(":", units[at].start, units[at].end)
        and at not in instructing_units(sentence.chunk, retrieval)
        and sentence.end - units[at].start <= LONGEST_PAIR
    )
    return units[at].start if fits else None


def _what_it_replies_to(sentence: ScoredSentence, retrieval: Retrieval) -> int | None:
    """Where the last sentence of the paragraph before begins, if this is a few words of speech: "Good for? Oars."."""
    known, text = retrieval.terms(sentence.chunk), retrieval.nodes[sentence.chunk].node.get_content()
    opening = next(at for at, unit in enumerate(known.units) if unit.block == known.units[sentence.unit].block)
    is_reply = text[known.units[opening].start] in '"“' and len(sentence.text.split()) < _LEAST_SPOKEN
    if not is_reply or not opening or opening - 1 in instructing_units(sentence.chunk, retrieval):
        return None
    before = known.units[opening - 1]
    fits = before.kind == "sentence" and sentence.end - before.start <= LONGEST_PAIR
    return before.start if fits else None
