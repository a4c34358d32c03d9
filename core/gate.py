"""The evidence gate: whether what was found is enough to answer from. It stands before every synthesizer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .analysis import stems
from .ingest import headings_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from llama_index.core.schema import BaseNode

    from .retrieval import Retrieval


@dataclass(frozen=True)
class Evidence:
    """What speaks for an answer being among the passages."""

    #: Cosine of the question and the nearest passage, at most 1; ``None`` where vectors cannot be used.
    cosine: float | None
    #: Share of the question's words that stand in one passage, each weighed by how much it tells, 0 to 1.
    coverage: float

    @property
    def score(self) -> float:
        """The sum of both, 0 to 2.

        800 SQuAD questions against 400 on other articles: AUROC 0.989 for the sum, 0.969 for the cosine alone, 0.960
        for the words alone; the words of three passages together instead of the best one's: 0.972.
        """
        return (self.coverage if self.cosine is None else max(self.cosine, 0.0)) + self.coverage


def evidence(retrieval: Retrieval) -> Evidence:
    """Weigh the passages against the question."""
    cosines = [
        score.dense
        for passage in retrieval.nodes
        if (score := retrieval.scores.get(passage.node.node_id)) is not None and score.dense is not None
    ]
    shares = [covered(retrieval.idf, words_of(passage.node)) for passage in retrieval.nodes]
    return Evidence(max(cosines, default=None), max(shares, default=0.0))


def words_of(node: BaseNode) -> set[str]:
    """The stems in the passage and above it."""
    return set(stems(f"{headings_of(node)}\n{node.get_content()}"))


def covered(idf: Mapping[str, float], held: Collection[str]) -> float:
    """The share of the weight of ``idf``'s words that stand in ``held``, 0 to 1."""
    total = sum(idf.values())
    return sum(weight for word, weight in idf.items() if word in held) / total if total > 0 else 0.0
