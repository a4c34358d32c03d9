"""What a question requires of the sentences that answer it, beside their words: without it nothing is answered."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..text.abbreviations import abbreviation_of
from ..text.answer_types import is_lacking, version_finder
from ..text.definitions import compound_of, qualifier_of
from ..text.question_kinds import action_of, lacks_items, sides_of
from ..text.stemming import question_stems, stem_hash, stems
from .answerability import NAME, stems_near
from .comparatives import degree_of, lacks_modifier
from .quote_spans import paragraph_up_to

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .models import Retrieval
    from .sentences import ScoredSentence

#: Least ``defining`` of a sentence that answers what something is, or stands for.
DEFINES = 0.9
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)$")
#: Stems from one of two words to the other that are together.
_MOST_APART = 8
_ASKS_WHETHER = re.compile(
    r"(?:and |but |so )?(?:do|does|did|is|are|was|were|can|could|will|would|has|have|had|should|may|must)\b",
    re.IGNORECASE,
)


def missing_subject(retrieval: Retrieval, sentences: Sequence[ScoredSentence]) -> str:
    """What of the question's subject is in no chunk, or in none of the best sentences; empty if nothing is."""
    asked = _asked(retrieval)
    if _has_unknown_word(retrieval, asked):
        return "a word of the question that counts, such as a name or a number, is in no passage"
    if _lacks_version(retrieval, asked, sentences):
        return "no sentence is of the version that is asked for"
    if _lacks_action(retrieval, asked, sentences[0]):
        return "the verb of what is to be done is in no passage, or a name of it is not near the best sentence"
    if _lacks_qualifier(retrieval, asked, sentences):
        return "what it is asked of, in or for is near no sentence"
    if _lacks_term(retrieval, asked, sentences):
        return "the words of the term are together in no sentence"
    if _lacks_predicate(retrieval, asked, sentences[0]):
        return "the two words of the question are not together in the best sentence"
    if _lacks_side(retrieval, asked):
        return "one of the things that are compared is in no passage"
    if _lacks_comparison(retrieval, asked, sentences):
        return "no sentence compares by what is asked for"
    if abbreviation_of(asked) and sentences[0].defining < DEFINES:
        return "no sentence says what the abbreviation stands for"
    return ""


def missing_value(retrieval: Retrieval, sentences: Sequence[ScoredSentence]) -> str:
    """Which kind of answer the question asks for and none of the sentences has; empty if one has it."""
    asked, texts = _asked(retrieval), [each.text for each in sentences]
    if is_lacking(asked, texts):
        return "no sentence has the date, quantity, name or extreme that is asked for"
    if lacks_modifier(asked, texts):
        return "no sentence has the default, mean, limit or recommendation that is asked for"
    return "no sentence has as many items as are asked for" if lacks_items(asked, texts) else ""


def _asked(retrieval: Retrieval) -> str:
    return retrieval.follow_up.asked if retrieval.follow_up else retrieval.question


def _has_unknown_word(retrieval: Retrieval, asked: str) -> bool:
    """Whether no chunk has one of the question's names or numbers, ordinals excepted: then no sentence answers it.

    Other words may be missing because the text says them otherwise, but not in a question whether something is so, of
    which each word counts ("Do bees sleep?"); comparatives excepted, whose stem is not that of their adjective.
    """
    unknown = retrieval.spelling.unknown
    if _ASKS_WHETHER.match(asked) and any(not stem.endswith("er") for stem in unknown.intersection(stems(asked))):
        return True
    names = {stem for name in NAME.findall(retrieval.question) for stem in stems(name)}
    return any(stem in names or (stem[0].isdigit() and not _ORDINAL.match(stem)) for stem in unknown)


def _lacks_version(retrieval: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the question has a number with a point, and the paragraphs of none of the sentences have it."""
    of_version = version_finder(asked)
    paragraphs = (
        paragraph_up_to(retrieval.nodes[each.chunk].node, retrieval.terms(each.chunk), each.unit) for each in sentences
    )
    return of_version is not None and not any(map(of_version, paragraphs))


def _lacks_action(retrieval: Retrieval, asked: str, best: ScoredSentence) -> bool:
    """Whether the question asks how the reader does something, and no chunk has the verb or the best sentence is near
    no name of what it is done to: how to install one system is no answer for another."""
    action = action_of(asked)
    if not action:
        return False
    offered = (retrieval.terms(number).all_stems for number in range(len(retrieval.nodes)))
    names = {stem_hash(retrieval.spelling.correct(stem)) for name in NAME.findall(asked) for stem in stems(name)}
    is_done = any(stem_hash(retrieval.spelling.correct(action)) in each for each in offered)
    return not is_done or not names <= stems_near(retrieval, best)


def _lacks_qualifier(retrieval: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the question asks what X is for, in or of Y, and a name of Y is near none of the sentences or another
    word of Y in no chunk: what X is answers another question.

    Of SQuAD's 1,998 and CLAP NQ's 150 answerable questions it is so for one and two.
    """
    wanted = {stem: stem_hash(retrieval.spelling.correct(stem)) for stem in qualifier_of(asked)}
    names = {wanted[stem] for name in NAME.findall(asked) for stem in stems(name) if stem in wanted}
    offered = (retrieval.terms(number).all_stems for number in range(len(retrieval.nodes)))
    return bool(wanted) and not (
        names <= frozenset().union(*(stems_near(retrieval, sentence) for sentence in sentences))
        and frozenset(wanted.values()) <= frozenset().union(*offered)
    )


def _lacks_term(retrieval: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the question asks what a term of several words is, and each sentence is about one of them alone."""
    term = {stem_hash(retrieval.spelling.correct(stem)) for stem in compound_of(asked)}
    return bool(term) and not any(term <= stems_near(retrieval, sentence) for sentence in sentences)


def _lacks_predicate(retrieval: Retrieval, asked: str, best: ScoredSentence) -> bool:
    """Whether the question asks if X is or does Y, and the best sentence has not both near, or far apart: "Are viruses
    alive?" is not answered by "The cells that a virus infects may stop to function normally, but they stay alive."."""
    pair = dict.fromkeys(map(retrieval.spelling.correct, question_stems(asked)))
    if not _ASKS_WHETHER.match(asked) or len(pair) != 2:
        return False
    own = stems(best.text)
    one, other = ([at for at, stem in enumerate(own) if stem == each] for each in pair)
    if one and other:
        return min(abs(first - second) for first in one for second in other) > _MOST_APART
    return not {*map(stem_hash, pair)} <= stems_near(retrieval, best)


def _lacks_side(retrieval: Retrieval, asked: str) -> bool:
    """Whether the question asks for the difference of two things, and no chunk has the words of one of them."""
    sides = sides_of(asked)
    if sides is None:
        return False
    offered = frozenset().union(*(retrieval.terms(number).all_stems for number in range(len(retrieval.nodes))))
    one, other = (frozenset(stem_hash(retrieval.spelling.correct(stem)) for stem in side) for side in sides)
    return offered.isdisjoint(one - other) or offered.isdisjoint(other - one)


def _lacks_comparison(retrieval: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the question compares two things by degree, and no sentence near the second one tells of that degree."""
    degree = degree_of(asked)
    if degree is None:
        return False
    side = {stem_hash(retrieval.spelling.correct(stem)) for stem in degree.side}
    return not any(
        degree.is_in(sentence.text) and (not side or side.intersection(stems_near(retrieval, sentence, behind=0)))
        for sentence in sentences
    )
