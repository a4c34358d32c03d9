"""What a question requires of the sentences that answer it, beside their words: without it nothing is answered."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..citations.polarity import opposites_of
from ..text.answer_types import is_lacking
from ..text.chunk_terms import headings_of
from ..text.definitions import compound_of, defines, derived_finder, qualifier_of, subject_of
from ..text.entries import other_answer_finder, title_stems
from ..text.irregular_verbs import form_hashes, with_forms
from ..text.pointers import asks_same
from ..text.quantities import asks_for_quantity
from ..text.question_kinds import action_of, asks_whether, lacks_items
from ..text.stemming import name_stems, question_stems, stem_hash, stem_hashes, stems, words
from ..text.terms import abbreviation_of, sides_of
from ..text.times import asks_for_time, is_of_other_day
from ..text.versions import has_only_others, is_of_other, version_finder
from . import people
from .answerability import dated_text, names_in, stems_near, stems_near_any, with_header
from .comparatives import lacks_argument, lacks_comparison, lacks_counted, lacks_modifier, lacks_side
from .models import Retrieval, asked_of
from .quotes import paragraph_up_to
from .sentence_scores import ScoredSentence

#: Least ``defining`` of a sentence that answers what something is, or stands for.
DEFINES = 0.9
#: Ordinals, and decades, of which a text may name a year.
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|0s)$")
_YEAR = re.compile(r"(?<![\w.,:/-])(?:1\d|20)\d\d(?![\w/%]|[.,:]\d)")
#: Words of the question, relative to the best sentence, of a further one with the time or number that is asked for.
_LEAST_WORDS = 0.6
#: Stems from one of two words to the other that are together.
_MOST_APART = 8
_ASKS_TERM = re.compile(
    r"(?=.{1,90}\Z)\W*what(?:['’]s| is| are) (?!(?:the|his|her|its|their|our|your|my|this|that)\b)"
    r"(?!.*\b(?:\w+est|most|first|last|of|for|in|with|to|by|on|at|like|\w+ed)\b)(?:an? )?[\w-]+(?: [\w-]+){0,2}\W*$",
    re.IGNORECASE,
)
#: Share of a question whether something is so, by weight, from which it is not answered without these words.
_MOST_AWAY = 0.3
_ASKS_WHEN_OR_WHY = re.compile(
    r"(?:and |but |so )?(?:when (?:was|were|did)|why (?:is|are|was|were)(?!.*\bcalled))\b", re.IGNORECASE
)


def missing_subject(retrieval: Retrieval, sentences: Sequence[ScoredSentence]) -> str:
    """What of the question's subject is in no chunk, or in none of the best sentences; empty if nothing is."""
    return next((missing for lacks, missing in _SUBJECT if lacks(retrieval, asked_of(retrieval), sentences)), "")


def missing_value(retrieval: Retrieval, sentences: Sequence[ScoredSentence]) -> str:
    """Which kind of answer the question asks for and none of the sentences has; empty if one has it."""
    asked = asked_of(retrieval)
    least = _LEAST_WORDS * sentences[0].words if asks_for_time(asked) or asks_for_quantity(asked) else 0.0
    sentences = [each for each in sentences if each.words >= least]  # one on something else has a number, too
    texts = [dated_text(retrieval, each) for each in sentences]
    if lacks_modifier(asked, [with_header(retrieval, each) for each in sentences]):
        return "no sentence has the default, mean, limit or recommendation that is asked for"
    return next((missing for lacks, missing in _VALUE if lacks(asked, texts)), "")


def _offered(retrieval: Retrieval) -> frozenset[int]:
    """The stems of all chunks."""
    return frozenset().union(*(retrieval.terms(number).all_stems for number in range(len(retrieval.nodes))))


def _has_unknown_word(retrieval: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether no offered chunk has one of the names or numbers that were searched for: then no sentence answers it.

    Those of earlier turns count only where no chunk at all has them, and so do single digits, which a text may spell
    out; ordinals and decades do not count. Where each word has a capital, which are names is not known.

    Other words may be missing because the text says them otherwise, but not in a question whether something is so, or
    how the reader does something, of which each word counts ("Do bees sleep?"), and a verb that the text has in another
    form only must be near; comparatives excepted, whose stem is not that of their adjective.
    """
    unknown, names = retrieval.spelling.unknown, names_in(asked)
    near, meant = stems_near_any(retrieval, sentences), retrieval.spelling.corrections
    away = {stem for stem, form in meant.items() if form in with_forms(stem) and stem_hash(form) not in near}
    own = {stem for stem in question_stems(asked) if retrieval.spelling.correct(stem) in retrieval.idf}
    is_exact = asks_whether(asked) or action_of(asked) is not None
    if is_exact and any(
        not word.endswith("er") and not (unknown | away).isdisjoint(stems(word)) for word in words(asked)
    ):
        return True
    wanted = {stem for stem in own if stem[0].isdigit() and len(stem) > 1 and not _ORDINAL.match(stem)}
    wanted |= set() if names.issuperset(own) else names & own
    names |= names_in(retrieval.question)
    return not retrieval.spelling.hashes(wanted) <= _offered(retrieval) or any(
        stem in names or (stem[0].isdigit() and not _ORDINAL.match(stem)) for stem in unknown
    )


def _lacks_own_word(retrieval: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the sentences are near none of the words that a follow-up brings, names left aside where it has others:
    they answer what was asked before."""
    own = set(retrieval.follow_up.informative) if retrieval.follow_up and not sides_of(asked) else set()
    forms = frozenset().union(*map(with_forms, own - names_in(asked) or own))
    return bool(own) and stems_near_any(retrieval, sentences).isdisjoint(retrieval.spelling.hashes(forms))


def _lacks_topic(retrieval: Retrieval, _: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether no word of what a follow-up is about is in a chunk of the sentences."""
    topic = retrieval.spelling.hashes(retrieval.follow_up.topic if retrieval.follow_up else ())
    return bool(topic) and all(topic.isdisjoint(retrieval.terms(each.chunk).all_stems) for each in sentences)


def _lacks_version(retrieval: Retrieval, _: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the question has a number with a point, and the paragraphs of none of the sentences have it."""
    of_version = version_finder(retrieval.question)
    places = ((retrieval.nodes[each.chunk].node, retrieval.terms(each.chunk), each.unit) for each in sentences)
    return of_version is not None and not any(of_version(paragraph_up_to(*place)) for place in places)


def _lacks_year(retrieval: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the question has a year or a day, and the best sentence is of others alone: the year is neither near, nor
    between two of them."""
    if is_of_other_day(asked, sentences[0].text, headings_of(retrieval.nodes[sentences[0].chunk].node)):
        return True
    of_year = [int(year) for year in _YEAR.findall(sentences[0].text)]
    near = stems_near(retrieval, sentences[0], behind=0)
    return bool(of_year) and any(
        stem_hash(year) not in near and not min(of_year) <= int(year) <= max(of_year) for year in _YEAR.findall(asked)
    )


def _lacks_numbered(retrieval: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the question asks for one of several things by its number, and the chunks name others of them alone, or
    by its place, and the best sentence is of another."""
    is_missing = has_only_others(asked, (chunk.node.get_content() for chunk in retrieval.nodes))
    return is_missing or is_of_other(asked, sentences[0].text)


def _lacks_action(retrieval: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the question asks how the reader does something, and no chunk has the verb or no sentence is near a name
    of what it is done to: how to install one system is no answer for another."""
    action, hashes = action_of(asked) or "", retrieval.spelling.hashes
    is_near = hashes(names_in(asked)) <= stems_near_any(retrieval, sentences)
    return bool(action) and not (is_near and hashes([action]) <= _offered(retrieval))


def _lacks_qualifier(retrieval: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the question asks what X is for, in or of Y, and a name of Y is near none of the sentences or another
    word of Y in no chunk: what X is answers another question. Of SQuAD's 1,998 and CLAP NQ's 150 answerable questions
    it is so for one and two.
    """
    wanted, hashes = qualifier_of(asked), retrieval.spelling.hashes
    names, near = names_in(asked).intersection(wanted), stems_near_any(retrieval, sentences)
    return bool(wanted) and not (hashes(names) <= near and hashes(wanted) <= _offered(retrieval))


def _lacks_definition(retrieval: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the question asks what a term is ("What is a winch?", not "What is the oldest winch?"), and no sentence
    says it of the term or of a word of it, begins with the term, or is below a title that is the term."""
    if not _ASKS_TERM.match(asked):
        return False
    term, derived = frozenset(map(retrieval.spelling.correct, subject_of(asked))), derived_finder(asked)
    sentences = [each for each in sentences if derived is None or derived.search(each.text)]
    titles = (title_stems(headings_of(retrieval.nodes[each.chunk].node)) for each in sentences)
    is_said = any(each.defining or any(defines(each.text, {stem}) for stem in term) for each in sentences)
    is_about = any(frozenset(stems(each.text)[: len(term)]) == term for each in sentences)
    return bool(term) and not (is_said or is_about or term in titles)


def _lacks_term(retrieval: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the question asks what a term of several words is, and each sentence is about one of them alone."""
    term = retrieval.spelling.hashes(compound_of(asked))
    return bool(term) and not any(
        sentence.defining >= DEFINES or term <= stems_near(retrieval, sentence) for sentence in sentences
    )


def _lacks_predicate(retrieval: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the question asks if, when or why X is or does Y, and the best sentence has not both near, or far apart:
    "Are viruses alive?" is not answered by "The cells that a virus infects may stop to function normally, but they stay
    alive."."""
    pair = dict.fromkeys(map(retrieval.spelling.correct, question_stems(asked)))
    if not (asks_whether(asked) or _ASKS_WHEN_OR_WHY.match(asked)) or len(pair) != 2:
        return False
    own, near = stem_hashes(sentences[0].text), stems_near(retrieval, sentences[0])
    one, other = ([at for at, stem in enumerate(own) if stem in form_hashes(each)] for each in pair)
    if one and other:
        return min(abs(first - second) for first in one for second in other) > _MOST_APART
    return any(form_hashes(each).isdisjoint(near) for each in pair)


def _lacks_claim(retrieval: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the question asks if something is so, and no sentence is near its words, names excepted, or near too few
    by weight, the rarest one not among them: "Did Anna Berg lead it?" is not answered by "It followed Anna Berg.".

    Comparatives do not count, as in ``_has_unknown_word``.
    """
    if not asks_whether(asked):
        return False
    near, hashes, total = stems_near_any(retrieval, sentences), retrieval.spelling.hashes, sum(retrieval.idf.values())
    found = set(question_stems(asked)) - name_stems(asked)
    common = {stem: word for word in words(asked) for stem in stems(word) if stem in found and not stem.endswith("er")}
    # "Did he lead it?" is answered by "he led it", and "Is it open?" by "it is closed".
    also = {stem: [*with_forms(stem), *stems(" ".join(opposites_of(word)))] for stem, word in common.items()}
    weights = {stem: retrieval.idf.get(retrieval.spelling.correct(stem), 0.0) for stem in common}
    away = {stem: weights[stem] for stem, forms in also.items() if near.isdisjoint(hashes(forms))}
    is_rarest = max(away.values(), default=0.0) == max(weights.values(), default=0.0)
    return bool(away) and (len(away) == len(common) or (is_rarest and sum(away.values()) >= _MOST_AWAY * total))


def _has_other_answer(_: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the best sentence is a value and no reason, the time of something else, or asks the same."""
    is_other, text = other_answer_finder(asked), sentences[0].text
    return bool(is_other and is_other(text)) or asks_same(asked, text)


#: Each check, in order, and what is missing where it is true.
_SUBJECT = (
    (_has_unknown_word, "a word of the question that counts, such as a name or a number, is in no passage"),
    (_lacks_own_word, "no sentence has a word of the follow-up itself"),
    (_lacks_topic, "no passage is about what was asked before"),
    (_lacks_version, "no sentence is of the version that is asked for"),
    (_lacks_year, "the best sentence is of another year or day than the one that is asked for"),
    (_lacks_numbered, "only things of the kind with other numbers are in a passage"),
    (_lacks_action, "the verb of what is to be done is in no passage, or a name of it is near no sentence"),
    (_lacks_qualifier, "what it is asked of, in or for is near no sentence"),
    (_lacks_definition, "no sentence says what it is"),
    (_lacks_term, "the words of the term are together in no sentence"),
    (_lacks_predicate, "the two words of the question are not together in the best sentence"),
    (people.lacks_nth, "no sentence has the one of several that is asked for"),
    (people.lacks_office, "no sentence has the office that is asked for"),
    (people.lacks_neighbour, "no sentence says who came before or after whom"),
    (people.lacks_deed, "no sentence has what was done, or a name of the question"),
    (people.lacks_agent, "the best sentence says it of another"),
    (people.lacks_origin, "no sentence says of this thing who brought it about"),
    (_lacks_claim, "what the question says is near no sentence"),
    (people.has_names_alone, "the best sentence has a name of the question, and nothing else that is asked for"),
    (_has_other_answer, "the best sentence is a value and no reason, the time of something else, or asks the same"),
    (people.lacks_event, "no sentence has the birth or death of this person"),
    (people.lacks_kin, "the relative is another's in each sentence"),
    (lacks_side, "no passage is about one of the things that are compared"),
    (lacks_comparison, "no sentence compares by what is asked for"),
    (lacks_counted, "the best sentence counts other things"),
    (lacks_argument, "what does it, or the case that is asked for, is near no sentence"),
    (lambda _, asked, best: abbreviation_of(asked) and best[0].defining < DEFINES, "no sentence spells it out"),
)
_VALUE = (
    (is_lacking, "no sentence has the date, quantity, name or extreme that is asked for"),
    (lacks_items, "no sentence has as many items as are asked for"),
)
