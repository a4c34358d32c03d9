"""Text: stems, sentences, a chunk's terms, and the sanitizing of untrusted input and of instructions in it."""

from .instructions import is_addressed
from .packed_terms import is_packed, pack, unpack
from .sanitizing import LIKE_LESS_THAN, escape_fences, one_line, strip_hidden
from .segmentation import sentence_spans
from .sentence_kinds import section_kind
from .stemming import question_stems, stems

__all__ = [
    "LIKE_LESS_THAN",
    "escape_fences",
    "is_addressed",
    "is_packed",
    "one_line",
    "pack",
    "question_stems",
    "section_kind",
    "sentence_spans",
    "stems",
    "strip_hidden",
    "unpack",
]
