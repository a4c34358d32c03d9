"""Text: stems, sentences, a chunk's terms, sanitizing of untrusted input, instructions and secrets in it."""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .counts import counted, listed, quoted_title, shown_title
    from .definitions import subject_of
    from .imperatives import command_verb, is_verb
    from .instructions import is_addressed
    from .irregular_verbs import IRREGULAR_VERBS, with_forms
    from .languages import language_of
    from .packed_terms import is_packed, pack, unpack
    from .question_kinds import asks_for_code, asks_for_tasks
    from .redaction import Redactor
    from .rewording import WORKS, place_asked, topic_of
    from .sanitizing import LIKE_LESS_THAN, decode, escape_fences, one_line, storable, strip_hidden
    from .segmentation import sentence_spans
    from .sentence_kinds import Kind, section_kind
    from .stated_kinds import BY_OCR, KINDS, STATABLE, StatedKind, kind_of_names, pack_kinds, packed_in, unpack_kinds
    from .stemming import LIGHT_STEMS, question_stems, stems
    from .terms import sides_of

__all__ = [
    "BY_OCR",
    "IRREGULAR_VERBS",
    "KINDS",
    "LIGHT_STEMS",
    "LIKE_LESS_THAN",
    "STATABLE",
    "WORKS",
    "Kind",
    "Redactor",
    "StatedKind",
    "asks_for_code",
    "asks_for_tasks",
    "command_verb",
    "counted",
    "decode",
    "escape_fences",
    "is_addressed",
    "is_packed",
    "is_verb",
    "kind_of_names",
    "language_of",
    "listed",
    "one_line",
    "pack",
    "pack_kinds",
    "packed_in",
    "place_asked",
    "question_stems",
    "quoted_title",
    "section_kind",
    "sentence_spans",
    "shown_title",
    "sides_of",
    "stems",
    "storable",
    "strip_hidden",
    "subject_of",
    "topic_of",
    "unpack",
    "unpack_kinds",
    "with_forms",
]

__getattr__, __dir__ = lazy_names(__name__)
