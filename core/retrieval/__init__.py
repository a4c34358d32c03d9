"""Retrieval: dense and lexical search, fusion, rerank, the evidence gate and its calibration."""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .calibration import DEFAULT_THRESHOLD, FEWEST_CHUNKS, OFFERED, Calibration, calibrate
    from .evidence_gate import Evidence
    from .evidence_gate import evidence as weigh_evidence
    from .fusion import Scores, inverse_frequencies, rank
    from .models import Retrieval
    from .search import HybridRetriever, ScoredRetriever
    from .top_k import best_of_sums

__all__ = [
    "DEFAULT_THRESHOLD",
    "FEWEST_CHUNKS",
    "OFFERED",
    "Calibration",
    "Evidence",
    "HybridRetriever",
    "Retrieval",
    "ScoredRetriever",
    "Scores",
    "best_of_sums",
    "calibrate",
    "inverse_frequencies",
    "rank",
    "weigh_evidence",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "calibration": "DEFAULT_THRESHOLD FEWEST_CHUNKS OFFERED Calibration calibrate",
        "evidence_gate": "Evidence weigh_evidence=evidence",
        "fusion": "Scores inverse_frequencies rank",
        "models": "Retrieval",
        "search": "HybridRetriever ScoredRetriever",
        "top_k": "best_of_sums",
    },
)
