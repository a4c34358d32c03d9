"""The words before a chunk that comes closest to a question without answering it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..retrieval.answerability import missing_words
from ..retrieval.sentences import sentences_of
from ..text.stemming import stem_hashes, stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..retrieval.models import Retrieval

#: Words of the question that are named.
_MOST_NAMED = 4
#: Least weight of a missing word that is named, relative to the question's rarest.
_RARE = 0.5
_WORD = re.compile(r"[^\W_]+(?:[-’'][^\W_]+)*")


def closest_words(retrieval: Retrieval) -> str:
    """What is missing for an answer: "Not answered here: the text speaks of X, but not of Y. This comes closest:"."""
    best = sentences_of(retrieval)[0]
    known = retrieval.terms(best.chunk).all_stems
    # Words that the chunk has elsewhere are not missing from the text.
    rare = _RARE * max(retrieval.idf.values(), default=0.0)
    absent = [
        word
        for word in missing_words(retrieval, best)
        if known.isdisjoint(stem_hashes(word)) and max(retrieval.idf.get(stem, 0.0) for stem in stems(word)) >= rare
    ]
    asked = dict.fromkeys(_WORD.findall(retrieval.question))
    there = [word for word in asked if not known.isdisjoint(stem_hashes(word))]
    if absent and there:
        spoken, unspoken = (_listed(words[:_MOST_NAMED]) for words in (there, absent))
        return f"Not answered here: the text speaks of {spoken}, but not of {unspoken}. This comes closest:"
    return "No sentence here answers this. This comes closest:"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
