"""Which of the sentences that answer equally well is quoted first where later texts replace earlier ones."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from ..text.stemming import stem_hash
from .answerability import features_of, least_likelihood, likelihood
from .models import asked_of

if TYPE_CHECKING:
    from .models import Retrieval
    from .sentence_scores import ScoredSentence

#: What is so now, which may have changed, not what happened or was so at first.
_OF_NOW = re.compile(
    r"\b(?:is|are|do|does|has|have|will|can|should|must)\b|\b(?:who|what|where|when)['’]s\b", re.IGNORECASE
)
_OF_THEN = re.compile(
    r"\b(?:did|was|were|had|first|originally|used to|before|earlier|previous(?:ly)?|former(?:ly)?|old|initially)\b",
    re.IGNORECASE,
)
#: How much less likely a later sentence may answer, and how much lower its score may be.
_LESS_LIKELY, _LOWER = 0.1, 0.35


def latest_first(found: list[ScoredSentence], retrieval: Retrieval) -> list[ScoredSentence]:
    """The sentences, best first; before the best one the latest of those that have the same words of a question for
    what is so now, where their chunks have dates."""
    question = asked_of(retrieval)
    if not found or not _OF_NOW.search(question) or _OF_THEN.search(question):
        return found
    best, asked = found[0], frozenset(map(stem_hash, retrieval.idf))

    def date(sentence: ScoredSentence) -> float:
        scores = retrieval.scores.get(retrieval.nodes[sentence.chunk].node.node_id)
        return -math.inf if scores is None or scores.date is None else scores.date

    def held(sentence: ScoredSentence) -> frozenset[int]:
        return retrieval.terms(sentence.chunk).unit_stems[sentence.unit] & asked

    def likely(sentence: ScoredSentence) -> float:
        return likelihood(features_of(retrieval, sentence))

    is_likely = likely(best)
    if date(best) == -math.inf or is_likely < least_likelihood():
        return found
    least = max(least_likelihood(), is_likely - _LESS_LIKELY)
    later = [
        (date(each), -place)
        for place, each in enumerate(found)
        if each.score >= best.score - _LOWER
        and date(each) > date(best)
        and held(each) >= held(best)
        and likely(each) >= least
    ]
    if later:
        found.insert(0, found.pop(-max(later)[1]))
    return found
