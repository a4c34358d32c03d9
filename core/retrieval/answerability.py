"""Estimates how likely a sentence answers a question, by a logistic model of what it has and lacks.

``python -m bench.answerability`` fits the coefficients again and says on which questions.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ..citations.polarity import find_opposite
from ..text.answer_types import answer_type_scorer
from ..text.chunk_terms import headings_of, idf_coverage
from ..text.doers import is_by_pronoun, is_by_speaker
from ..text.irregular_verbs import form_hashes, with_forms
from ..text.negations import denies, negates, refusals_in
from ..text.quantities import asks_for_quantity
from ..text.question_kinds import asks_whether
from ..text.stemming import STOP_WORDS, form_stems, ordered_share, question_stems, stem_hash, stems, words
from ..text.times import asks_for_later, asks_for_time, day_of, is_past_for_later
from ..text.versions import VERSION
from .models import Retrieval, asked_of
from .sentence_scores import ScoredSentence

#: What the model is given of a question and a sentence, each some 0 to 1.
FEATURES = (
    "words",  # share of the question's words in the sentence, its neighbours and headings
    "own_words",  # the same in the sentence alone
    "passage_words",  # the same in the whole chunk
    "cosine",  # of the sentence
    "cosine_by_words",  # chunk_words times cosine: without the words the cosine must be higher
    "passage_cosine",
    "best_cosine",  # of the nearest chunk
    "missing_name",  # whether a name of the question is in none of sentence, sentence before and headings
    "missing_number",
    "order",  # share of the question's words that the sentence has in the question's order
    # Whether the question is negated and the sentence is not, near a word of the question, and the other way round: no
    # question that asks whether something is so, which is answered by either.
    "missing_negation",
    "negation",
    "missing_refusal",  # whether such a question has a verb such as "refuse" or "stop", and the sentence has not
    "opposite",  # whether the sentence has the opposite of a word of the question
    "type",  # whether the person, time or number that is asked for is there; 0.5 if nothing of the kind is asked for
)
_LARGEST_EXPONENT = 700.0
#: Cosine of a question and a text that has all of its words: stands for a cosine that is not known.
_SIMILAR = 0.6
#: A capitalized word of a question but its first, and no title: "Dr. Berg" is Doctor Berg.
NAME = re.compile(r"(?<=\s)[\"'(“‘]?(?!(?:Mr|Mrs|Ms|Dr|Prof|St|Mt)\b)([A-Z][\w’'-]*)")
_NUMBER = re.compile(r"\d+|\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)\b")
#: Sentences of a reply, and stems that the question or the line that asks it has alone, such as "total". "Ana: " or
#: "[10:11] <ana> " begins the line of a speaker.
_REPLY, _SAID_OTHERWISE = 2, 1
_SPEAKER = re.compile(
    r"\A\W*(?:(?=\d)[\d.:/, TZ-]{4,30}(?:[AP]M)?[\])]? {0,4})?"
    r"(?:<[^<>\s]{1,40}>|[^\W_][^\s:]{0,40}(?: [^\s:]{1,40})?:) "
)
_WHETHER = re.compile(r"\A.*\b(?:whether|if) ", re.IGNORECASE | re.DOTALL)
#: A reply that does not answer.
_UNKNOWN = re.compile(r"\bno (?:idea|clue)\b|\bnot sure\b|\b(?:do not|don['’]t) know\b", re.IGNORECASE)
#: What points to a sentence before.
PRONOUN = re.compile(
    r"\b(?:it|its|this|that|these|those|they|their|them|he|him|his|she|her|(?:an?|the) (?:\w+ )?ones?)\b", re.IGNORECASE
)


def likelihood(features: Sequence[float]) -> float:
    """The probability, 0 to 1, that a sentence with these ``FEATURES`` answers its question."""
    intercept, coefficients, _ = _model()
    exponent = -intercept - sum(a * b for a, b in zip(coefficients, features, strict=True))
    return 1 / (1 + math.exp(min(exponent, _LARGEST_EXPONENT)))  # vectors of a damaged row have cosines of any size


def least_likelihood() -> float:
    """Below it a sentence comes closest, but does not answer: nearly 92 of 100 answerable questions are above."""
    return _model()[2]


def missing_words(retrieval: Retrieval, sentence: ScoredSentence) -> tuple[str, ...]:
    """The question's words that are in none of the sentence, its neighbours and its headings, as they are written."""
    near, content = stems_near(retrieval, sentence), retrieval.nodes[sentence.chunk].node.get_content()
    found = [
        word
        for word in re.findall(r"\d+(?:[.,]\d+)+|[^\W_]+", retrieval.question)
        if any(stem in retrieval.idf and near.isdisjoint(map(stem_hash, with_forms(stem))) for stem in stems(word))
        or ("." in word and word not in content)  # its parts may be there: "1.1 metres or 2" has no "1.2"
    ]
    return tuple(dict.fromkeys(found))


def features_of(retrieval: Retrieval, sentence: ScoredSentence) -> tuple[float, ...]:
    """The ``FEATURES`` of a retrieval's sentence."""
    question, idf = retrieval.question, retrieval.idf
    node = retrieval.nodes[sentence.chunk].node
    known = retrieval.terms(sentence.chunk)
    coverage = idf_coverage(idf, known.all_stems)
    similar = [
        _SIMILAR * coverage if scores is None or scores.dense is None else scores.dense
        for scores in (retrieval.scores.get(node.node_id), *retrieval.scores.values())
    ]
    asked = [retrieval.spelling.correct(stem) for stem in question_stems(question) if stem not in form_stems(question)]
    # Not "I", nor the "What" of a question that begins late.
    named = (stem for name in NAME.findall(question) if stems(name) for stem in question_stems(name))
    names = retrieval.spelling.hashes(named)
    numbers = _numbers(VERSION.sub(" ", question)) - _numbers(
        node.get_metadata_str() + " " + with_header(retrieval, sentence)
    )
    in_sentence, in_question = set(words(sentence.text)), set(words(question))
    ordered = stems(with_header(retrieval, sentence))
    cosine = similar[0] if sentence.cosine is None else sentence.cosine
    denied, is_negated = denies(sentence.text, idf), negates(asked_of(retrieval))
    opposite = find_opposite(in_question - STOP_WORDS, in_sentence - STOP_WORDS)
    return (
        sentence.words,
        idf_coverage(idf, frozenset(map(stem_hash, ordered))),
        coverage,
        cosine,
        coverage * cosine,
        similar[0],
        max(similar),
        float(bool(names - stems_near(retrieval, sentence, behind=0))),
        float(bool(numbers)),
        ordered_share(asked, ordered),
        float(is_negated and not denied),
        float(denied and not is_negated and not asks_whether(asked_of(retrieval))),
        float(any(map(frozenset(ordered).isdisjoint, refusals_in(asked_of(retrieval))))),
        float(opposite is not None),
        answer_type_scorer(question)(dated_text(retrieval, sentence)),
    )


def dated_text(retrieval: Retrieval, sentence: ScoredSentence) -> str:
    """The sentence, behind the day that the headings above it name where a time is asked for: what is below a day's
    heading is of that day. Where it is asked who does something, behind what is shown with it, which names its writer.
    Behind the sentence before, which says who, where a pronoun does it: "She founded it.". Where a quantity is asked
    for that it lacks, with the next sentence if that has it and goes on with what the sentence is about: "The winch is
    broken. A new one is 700 EUR.", which are quoted together."""
    asked, known = asked_of(retrieval), retrieval.terms(sentence.chunk)
    content = retrieval.nodes[sentence.chunk].node.get_content()
    if asks_for_time(asked):
        if is_past_for_later(asked, sentence.text) or (asks_for_later(asked) and _is_of_writer(retrieval, sentence)):
            return sentence.text
        return f"{day_of(headings_of(retrieval.nodes[sentence.chunk].node))} {sentence.text}".lstrip()
    if is_by_speaker(asked, sentence.text):
        setting = retrieval.setting(retrieval.nodes[sentence.chunk].node, sentence.text)
        return f"{setting}, {sentence.text[:1].casefold()}{sentence.text[1:]}" if setting else sentence.text
    if sentence.unit and is_by_pronoun(asked, sentence.text):
        before = known.units[sentence.unit - 1]
        if (before.kind, before.block) == ("sentence", known.units[sentence.unit].block):
            return f"{content[before.start : before.end]} {sentence.text}"
    if asks_for_quantity(asked) and (has_type := answer_type_scorer(asked))(sentence.text) == 0:
        unit, behind = known.units[sentence.unit], next(iter(known.units[sentence.unit + 1 : sentence.unit + 2]), None)
        if behind is not None and (behind.kind, behind.block) == ("sentence", unit.block):
            words = content[behind.start : behind.end]
            return f"{sentence.text} {words}" if has_type(words) == 1 and PRONOUN.search(words) else sentence.text
    return sentence.text


def _is_of_writer(retrieval: Retrieval, sentence: ScoredSentence) -> bool:
    """Whether it is in a mail or a chat, whose day is that of its writing."""
    metadata = retrieval.nodes[sentence.chunk].node.metadata
    return bool(metadata.get("context")) or "metadata" in retrieval.terms(sentence.chunk).kinds


def with_header(retrieval: Retrieval, sentence: ScoredSentence) -> str:
    """The sentence, behind the header of its table where it is a row: it is quoted with that."""
    known, text = retrieval.terms(sentence.chunk), retrieval.nodes[sentence.chunk].node.get_content()
    header = known.header_of(sentence.unit)
    above = "" if header is None else text[known.units[header].start : known.units[header].end]
    return f"{above} {sentence.text}"


def names_in(question: str) -> set[str]:
    """The stems of the question's names."""
    return {stem for name in NAME.findall(question) for stem in stems(name)}


def stems_near_any(retrieval: Retrieval, sentences: Sequence[ScoredSentence]) -> frozenset[int]:
    """The ``stems_near`` of any of the sentences."""
    return frozenset().union(*(stems_near(retrieval, each) for each in sentences))


def stems_near(retrieval: Retrieval, sentence: ScoredSentence, behind: int = 1) -> frozenset[int]:
    """The stems of the sentence, the one before it, ``behind`` following ones, of its section alone, the question that
    it answers, and its headings, those of a row's table included."""
    known, text = retrieval.terms(sentence.chunk), retrieval.nodes[sentence.chunk].node.get_content()
    first, last = max(0, sentence.unit - 1), min(sentence.unit + behind, len(known.units) - 1)
    if text.find("\n#", known.units[first].end, sentence.start) >= 0:
        first = sentence.unit
    if text.find("\n#", sentence.end, known.units[last].start) >= 0:
        last = sentence.unit
    around = known.unit_stems[first : last + 1]
    return known.heading_stems.union(known.asked_above[sentence.unit], known.header_stems(sentence.unit), *around)


def is_reply(retrieval: Retrieval, sentence: ScoredSentence) -> bool:
    """Whether a heading, the turn before in a chat, or one of the sentences before asks the question, perhaps behind a
    speaker's name; in a mail one that it quotes. Its other words may be near, and one that is no name may be said
    otherwise: "Oskar: Which port?" for "Which port does the mirror use?"."""
    asked, node, known = asked_of(retrieval), retrieval.nodes[sentence.chunk].node, retrieval.terms(sentence.chunk)
    text, is_mail = node.get_content(), "metadata" in known.kinds
    before = [
        text[unit.start : unit.end]
        for unit in known.units[max(0, sentence.unit - _REPLY) : sentence.unit]
        if not is_mail or text.rfind("\n>", 0, unit.start) == text.rfind("\n", 0, unit.start)
    ]
    above = (line.rpartition(" › ")[2] for line in headings_of(node).splitlines())
    lines = [line for line in (*above, *before) if line.endswith("?")]
    if not lines or sentence.text.endswith("?") or _UNKNOWN.search(sentence.text):
        return False
    own, near, names = frozenset(question_stems(asked)), stems_near(retrieval, sentence), names_in(asked)
    if asks_whether(asked):  # "Please tell me whether the winch is free"
        lines = [_WHETHER.sub(f"{words(asked)[0]} ", line) for line in lines]
    elsewhere = {stem for stem in own if not form_hashes(stem).isdisjoint(near)}
    return bool(own) and any(
        own & (said := frozenset(stems(_SPEAKER.sub("", line))))
        and names <= (said_or_near := said | elsewhere)
        and len(own - said_or_near) + len(said - own) <= _SAID_OTHERWISE
        and (own <= said_or_near or len(own & said) > 1)
        and words(asked)[0] in words(line)
        and negates(line) == negates(asked)
        for line in lines
    )


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text.casefold()))


@cache
def _model() -> tuple[float, tuple[float, ...], float]:
    """Intercept, coefficients in the order of ``FEATURES``, and the least likelihood of an answer."""
    stored = json.loads(Path(__file__).with_name("answerability.json").read_text("utf-8"))
    return stored["intercept"], tuple(stored["coefficients"][name] for name in FEATURES), stored["least"]
