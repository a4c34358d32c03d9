"""The retrieval metrics of LongMemEval (Wu et al., ICLR 2025, section 5.1), written from the paper's definitions.

A question has evidence: the turns that answer it. Of the first ``k`` that are retrieved, recall asks whether any of
the evidence is among them, or all of it; NDCG counts each found piece by its place. Questions without evidence are left
out.
"""

from __future__ import annotations

import math
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

#: The paper's own.
CUTS = (5, 10)


def scores(ranked: Sequence[str], evidence: AbstractSet[str], k: int) -> dict[str, float]:
    """Of one question; ``ranked``: what was retrieved, best first."""
    found = [item in evidence for item in ranked[:k]]
    gain = sum(1 / math.log2(place + 1) for place, relevant in enumerate(found, start=1) if relevant)
    best = sum(1 / math.log2(place + 1) for place in range(1, min(k, len(evidence)) + 1))
    return {
        f"recall any@{k}": float(any(found)),
        f"recall all@{k}": float(evidence <= set(ranked[:k])),
        f"ndcg@{k}": gain / best,
    }


def mean_scores(questions: Iterable[tuple[Sequence[str], AbstractSet[str]]]) -> dict[str, float]:
    """The means over the questions that have evidence."""
    each = [
        {name: score for k in CUTS for name, score in scores(ranked, evidence, k).items()}
        for ranked, evidence in questions
        if evidence
    ]
    return {name: round(fmean(row[name] for row in each), 3) for name in each[0]} if each else {}
