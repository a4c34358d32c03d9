"""The evidence gate: whether the passages found are enough to answer from. It stands before every synthesizer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..text.chunk_terms import covered, words_of

if TYPE_CHECKING:
    from .models import Retrieval

#: Share of a follow-up's own words, weighed, that the passage must hold.
_OWN_SHARE = 0.5


@dataclass(frozen=True)
class Evidence:
    """What speaks for an answer being in one passage."""

    #: Cosine of the question and the passage; ``None`` where vectors cannot be used.
    cosine: float | None
    #: Share of the question's words that stand in the passage or above it, each weighed by how much it tells, 0 to 1.
    coverage: float
    #: The same of the words that a follow-up question brings itself; 1 where it brings none.
    own_coverage: float = 1.0

    @property
    def score(self) -> float:
        """The sum of both, 0 to 2.

        1,500 SQuAD questions against 400 on other articles: AUROC 0.991 for the best passage's sum, 0.988 when the
        nearest passage and the one with the most words may be two, 0.969 for the cosine alone, 0.960 for the words.
        """
        return (self.coverage if self.cosine is None else max(self.cosine, 0.0)) + self.coverage


def evidence(retrieval: Retrieval) -> Evidence:
    """Weigh the passages against the question: the one that speaks loudest counts, alone."""
    own = {}
    if retrieval.follow_up is not None:
        own = {word: retrieval.idf[word] for word in retrieval.follow_up.own if word in retrieval.idf}
    weighed = []
    for passage in retrieval.nodes:
        scores = retrieval.scores.get(passage.node.node_id)
        cosine = None if scores is None else scores.dense
        held = words_of(passage.node).everywhere
        weighed.append(Evidence(cosine, covered(retrieval.idf, held), covered(own, held) if own else 1.0))
    return max(weighed, key=lambda found: found.score, default=Evidence(None, 0.0))


def is_enough(found: Evidence, retrieval: Retrieval) -> bool:
    """Whether a question with this evidence may be answered.

    The earlier questions, which were answered, bear a follow-up's evidence: what it asks itself must be there too.
    """
    return found.score >= retrieval.threshold and found.own_coverage >= _OWN_SHARE
