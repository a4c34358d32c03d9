"""Text: stems, sentences, untrusted input made harmless, instructions in it, and the terms of a chunk."""

from .instructions import is_addressed
from .packed_terms import is_packed, pack
from .sanitizing import LIKE_LESS_THAN, harmless, one_line, visible
from .segmentation import sentence_spans
from .stemming import question_stems, stems

__all__ = [
    "LIKE_LESS_THAN",
    "harmless",
    "is_addressed",
    "is_packed",
    "one_line",
    "pack",
    "question_stems",
    "sentence_spans",
    "stems",
    "visible",
]
