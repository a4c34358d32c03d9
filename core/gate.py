"""The evidence gate: whether what was found is enough to answer from. It stands before every synthesizer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .passages import covered, words_of

if TYPE_CHECKING:
    from .retrieval import Retrieval


@dataclass(frozen=True)
class Evidence:
    """What speaks for an answer being in one passage."""

    #: Cosine of the question and the passage; ``None`` where vectors cannot be used.
    cosine: float | None
    #: Share of the question's words that stand in the passage or above it, each weighed by how much it tells, 0 to 1.
    coverage: float

    @property
    def score(self) -> float:
        """The sum of both, 0 to 2.

        1,500 SQuAD questions against 400 on other articles: AUROC 0.991 for the best passage's sum, 0.988 when the
        nearest passage and the one with the most words may be two, 0.969 for the cosine alone, 0.960 for the words.
        """
        return (self.coverage if self.cosine is None else max(self.cosine, 0.0)) + self.coverage


def evidence(retrieval: Retrieval) -> Evidence:
    """Weigh the passages against the question: the one that speaks loudest counts, alone."""
    weighed = []
    for passage in retrieval.nodes:
        scores = retrieval.scores.get(passage.node.node_id)
        cosine = None if scores is None else scores.dense
        weighed.append(Evidence(cosine, covered(retrieval.idf, words_of(passage.node).everywhere)))
    return max(weighed, key=lambda found: found.score, default=Evidence(None, 0.0))
