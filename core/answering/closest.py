"""The words before a chunk that comes closest to a question without answering it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ..retrieval.answerability import missing_words
from ..retrieval.models import Retrieval, asked_of
from ..retrieval.sentences import sentences_of
from ..text.stemming import LIGHT_STEMS, question_stems, stem_hashes, stems
from .extractive import choose

#: Phrases of the question that are named, of each side.
_MOST_NAMED = 4
#: Least weight of a missing word that is named, relative to the question's rarest.
_RARE = 0.5
#: Words that say nothing of what is missing.
_NOT_NAMED = LIGHT_STEMS.union(stems("one instead happen"))
#: Not the "s" of "Newton's".
_WORD = re.compile(r"\d+(?:\.\d+)+|(?<![’'])[^\W_]+|(?<=[’'])[^\W_]{3,}")
_BETWEEN = re.compile(r"(?:[’']s)?(?:[ -]*|[.,])")


def closest_words(retrieval: Retrieval) -> str:
    """What is missing: "Not answered here: the text speaks of “X”, but not of “Y”. This comes closest:"; where another
    chunk speaks of Y, that none speaks of both."""
    best = sentences_of(retrieval)[0]
    # Words that the chunk has elsewhere are not missing from the text.
    known, content = retrieval.terms(best.chunk).all_stems, retrieval.nodes[best.chunk].node.get_content()

    def is_there(word: str) -> bool:  # "1.1 metres or 2" has no "1.2"
        return word in content if "." in word else not known.isdisjoint(stem_hashes(word))

    shown = frozenset[int]().union(*(retrieval.terms(quote.chunk).all_stems for quote in choose(retrieval)))
    rare = _RARE * max(retrieval.idf.values(), default=0.0)
    absent = {
        word
        for word in missing_words(retrieval, best)
        if not is_there(word) and max(retrieval.idf.get(stem, 0.0) for stem in stems(word)) >= rare
    }
    # Of a follow-up its own words; where the text has none, what it was asked of.
    found = (_phrases(each, is_there) for each in (asked_of(retrieval), retrieval.question))
    spoken = next(filter(None, found), [])
    unspoken = _phrases(asked_of(retrieval), absent.__contains__)
    if spoken and unspoken and shown.issuperset(stem for word in absent for stem in stem_hashes(word)):
        return f"No sentence here speaks of {_listed([*spoken, *unspoken])} together. This comes closest:"
    if spoken and unspoken:
        return (
            f"Not answered here: the text speaks of {_listed(spoken)}, but not of {_listed(unspoken)}. "
            "This comes closest:"
        )
    return "No sentence here answers this. This comes closest:"


def _phrases(question: str, is_named: Callable[[str], bool]) -> list[str]:
    """The question's words that are named, as it has them: those side by side, or with a hyphen, as one phrase."""
    places: list[tuple[int, int]] = []
    topics = frozenset(question_stems(question)) - _NOT_NAMED
    named = (each for each in _WORD.finditer(question) if not topics.isdisjoint(stems(each[0])))
    for match in filter(lambda each: is_named(each[0]), named):
        start, end = match.span()
        if places and _BETWEEN.fullmatch(question, places[-1][1], start):
            start = places.pop()[0]
        places.append((start, end))
    return list(dict.fromkeys(question[start:end] for start, end in places))[:_MOST_NAMED]


def _listed(phrases: Sequence[str]) -> str:
    quoted = [f"“{phrase}”" for phrase in phrases]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
