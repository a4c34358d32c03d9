"""The retrieval metrics of LongMemEval (Wu et al., ICLR 2025, section 5.1), written from the paper's definitions.

A question has evidence: the turns that answer it. Of the first ``k`` that are retrieved, recall asks whether any of
the evidence is among them, or all of it; NDCG counts each found piece by its place. Questions without evidence are left
out.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from statistics import fmean

import numpy as np

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
    return _means(each)


def their_scores(questions: Iterable[tuple[Sequence[str], AbstractSet[str]]], program: Path) -> dict[str, float]:
    """The same by LongMemEval's own functions: ``program`` is its ``src/retrieval/eval_utils.py``, which is in no
    package. Its ideal order knows the ranked texts alone; evidence that was not found is put behind them."""
    # numpy 2 has no asfarray, which that file of 2024 uses.
    vars(np).setdefault("asfarray", lambda values: np.asarray(values, float))
    spec = importlib.util.spec_from_file_location("long_mem_eval_utils", program)
    if spec is None or spec.loader is None:
        raise ValueError(f"{program} is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rows: list[dict[str, float]] = []
    for ranked, evidence in questions:
        if evidence:
            corpus = [*ranked, *sorted(evidence - set(ranked))]
            order = list(range(len(ranked)))
            counts = {k: module.evaluate_retrieval(order, sorted(evidence), corpus, k) for k in CUTS}
            names = ("recall any", "recall all", "ndcg")
            rows.append({f"{name}@{k}": counts[k][at] for k in CUTS for at, name in enumerate(names)})
    return _means(rows)


def _means(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: round(fmean(row[name] for row in rows), 3) for name in rows[0]} if rows else {}
