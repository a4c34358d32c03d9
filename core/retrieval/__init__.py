"""Retrieval: dense and lexical search, fusion, rerank, the evidence gate and its calibration."""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .bm25 import top_sums
    from .calibration import CALIBRATION_TOP_K, DEFAULT_THRESHOLD, MIN_CALIBRATION_CHUNKS, Calibration, calibrate
    from .definitions import Subjects, defining_texts, with_definitions
    from .evidence_gate import Evidence, Verdict, judge, weigh_evidence
    from .fusion import Candidates, Scores, inverse_frequencies, rank
    from .models import Retrieval, Spelling, Timings
    from .search import HybridRetriever, ScoredRetriever
    from .sentence_scores import ScoredSentence

__all__ = [
    "CALIBRATION_TOP_K",
    "DEFAULT_THRESHOLD",
    "MIN_CALIBRATION_CHUNKS",
    "Calibration",
    "Candidates",
    "Evidence",
    "HybridRetriever",
    "Retrieval",
    "ScoredRetriever",
    "ScoredSentence",
    "Scores",
    "Spelling",
    "Subjects",
    "Timings",
    "Verdict",
    "calibrate",
    "defining_texts",
    "inverse_frequencies",
    "judge",
    "rank",
    "top_sums",
    "weigh_evidence",
    "with_definitions",
]

__getattr__, __dir__ = lazy_names(__name__)
