"""How far a quote reaches: the sentence before it, which has what its pronoun stands for, which it replies to, or which
leads in to its list; and behind it a list, or the sentences that go on with it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from ..retrieval.answerability import PRONOUN
from ..retrieval.models import Retrieval
from ..retrieval.quotes import LONGEST_SENTENCE
from ..retrieval.sentence_scores import ScoredSentence
from ..retrieval.sentences import instructing_units
from ..text.answer_types import answer_type_scorer
from ..text.doers import is_by_pronoun
from ..text.pointers import announces, continuation_finder
from ..text.question_kinds import asks_for_manner, asks_for_steps, form_required, form_scorer, points_to_asked
from ..text.segmentation import Unit, list_end
from ..text.sentence_kinds import NO_ANSWER
from ..text.stemming import stem_hash

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
_LONGEST_PAIR = 600
#: Sentences behind a quote that may be quoted with it.
_MOST_BEHIND = 3
#: A sentence that goes on with what the one before began to describe.
_GOES_ON = re.compile(
    r"(?:then|next|after (?:that|this|which)|afterwards|finally|lastly|first|second|third|subsequently|eventually"
    r"|it|they|this|these|in this way|when this happens|as a result|therefore|thus|hence|consequently|in turn|otherwise"
    r"|if so|because of this)\b",
    re.IGNORECASE,
)
#: In which case something is to be done, which the next sentence may say: "If it slips, it is worn. Change it."
_IF = re.compile(r"\W*(?:if|when|where|in case)\b", re.IGNORECASE)
#: A sentence that says that there is something to be said, or to be wished for.
_SAYS_LITTLE = re.compile(
    r"\b(?:is|are|was|were|be|been)\s(?:(?:very|quite|rather|particularly|most|more|less|well|best|better|poorly|not|still"
    r"|yet|fully)\s){0,3}(?:understood|known|documented|studied|special|important|complex|complicated|unclear|debated"
    r"|different|(?:another|a different) (?:matter|story|thing))\W*$"
    r"|\bit (?:may|might|can|is|could) (?:often |also |sometimes )?(?:be )?(?:desirable|useful|necessary|possible"
    r"|important|helpful|beneficial|common|convenient) to\b[^.;:]{0,120}\.$",
    re.IGNORECASE,
)
#: Words of what a dictionary says that is enough without the next sentence; other definitions have a verb or a colon.
_LEAST_WORDS = 9
_COPULA = re.compile(r"\b(?:is|are|was|were)\b|^[^\[(]*:\s")


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
        and sentence.end - unit.start <= _LONGEST_PAIR
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
        and sentence.end - units[at].start <= _LONGEST_PAIR
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
    fits = before.kind == "sentence" and sentence.end - before.start <= _LONGEST_PAIR
    return before.start if fits else None


def with_what_follows(quote: ScoredSentence, retrieval: Retrieval, quoted: Collection[int]) -> ScoredSentence:
    """The quote; with the list behind it, or the next sentences of its paragraph, where it only announces them ("in
    several ways."), or where they go on with what is asked ("Then it …"), up to one that is quoted
    already. ``quoted``: where those begin."""
    known, text, end = retrieval.terms(quote.chunk), retrieval.nodes[quote.chunk].node.get_content(), quote.end
    is_brief = quote.defining > 0 and len(quote.text.split()) < _LEAST_WORDS and not _COPULA.search(quote.text)
    needs_more = announces(quote.text) or bool(_SAYS_LITTLE.search(quote.text))
    needs_more &= end <= known.units[quote.unit].end
    has_form, is_required = form_scorer(retrieval.question), form_required(retrieval.question)
    # A reason that is given, or the sentence before, is enough for "why"; else it may be the next one, in words of
    # its own.
    goes_on = asks_for_manner(retrieval.question) and (is_required("") or not is_required(quote.text))
    lacks_reason = goes_on and not (is_required("") or quoted or quote.start < known.units[quote.unit].start)
    lacks_type = (has_type := answer_type_scorer(retrieval.question))(quote.text) == 0
    is_case = asks_for_steps(retrieval.question) and _IF.match(quote.text) is not None
    is_continued_by = continuation_finder(retrieval.question, quote.text, takes_command=is_case or not quoted)
    instructing = instructing_units(quote.chunk, retrieval)
    last = max(at for at, unit in enumerate(known.units) if unit.start < quote.end)
    if needs_more and (listed := _list_end(text, known.units, last, instructing)) > known.units[last].end:
        return replace(quote, end=listed, text=text[quote.start : listed])
    for at in range(last + 1, min(last + 1 + _MOST_BEHIND, len(known.units))):
        unit = known.units[at]
        is_next = (unit.kind, unit.block) == ("sentence", known.units[last].block)
        if not is_next or known.kinds[at] in NO_ANSWER or at in instructing or unit.start in quoted:
            break
        # What was asked for comes behind the sentence that is about it: "It has four legs. They make it slow.", "Still
        # open: the ramp. Anna owns this."
        words = text[unit.start : unit.end]
        adds_form = at == last + 1 and (
            is_brief
            or (has_form(words) and not has_form(quote.text))
            or (lacks_reason and not any(stem_hash(each) in known.unit_stems[at] for each in retrieval.idf))
            or (PRONOUN.search(words) and lacks_type and has_type(words) == 1)
            or ((is_case or PRONOUN.search(words)) and is_continued_by(words))
        )
        if not (needs_more or adds_form or (goes_on and _GOES_ON.match(text, unit.start))):
            break
        if text.endswith(":", unit.start, unit.end):  # with its list, or not at all
            listed = _list_end(text, known.units, at, instructing)
            end = listed if listed > unit.end else end
            break
        if unit.end - quote.start > _LONGEST_PAIR:
            break
        end = unit.end
    return replace(quote, end=end, text=text[quote.start : end])


def _list_end(text: str, units: Sequence[Unit], at: int, instructing: Collection[int]) -> int:
    """Where the list or table behind the unit ends; the unit's own end if there is none, or an instruction in it."""
    end = list_end(text, units, at, LONGEST_SENTENCE)
    return units[at].end if any(units[at].end <= units[each].start < end for each in instructing) else end
