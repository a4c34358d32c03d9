"""Finds the chunk that defines what a question asks for, where it is not among the best ones.

A chunk that uses a term often is found before the one that says once what the term means.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..text.chunk_terms import headings_of
from ..text.definitions import defines
from ..text.entries import title_stems
from ..text.segmentation import units

if TYPE_CHECKING:
    from llama_index.core.schema import BaseNode


#: Chunks with the term that are looked through, the best ones by BM25.
SEARCHED = 200
#: Those whose title is looked at, where none defines it.
TITLES_SEARCHED = 50
#: Least ``defines`` of a sentence for whose sake another chunk is left out.
_CERTAIN = 0.6
#: What follows a term in a sentence that may define it, and what precedes one: "X (…) is", "X: …", "known as X".
_FOLLOWS = re.compile(
    r"(?:\s\w+)?(?:\s*\([^)]*\))?(?:,\s(?:the|an?)\s[^,.]{2,60},)?(?:\s\w+)?"
    r"(?:,?\s(?:is|are|was|were|(?:can|may|could|might)(?:\s\w+)?\sbe|refers?|means?|denotes?|describes?|stands?)\b"
    r"|\s*[:–—|])"
)
_PRECEDES = re.compile(r"\b(?:called|known as|termed|referred to as)\s+(?:an?\s+|the\s+)?\W*$")
#: "The simplest one is X, which …", "… a numeric X, which is a …".
_IS = re.compile(r"\bis\s+(?:an?\s+|the\s+)?$")
_WHICH = re.compile(r",\s(?:which|where)")
_WHICH_IS = re.compile(r",\s(?:which|that)\s(?:is|are|means?|refers?)\b")
#: Characters in which what precedes a term is looked for.
_BEFORE = 40


def best_definition(texts: Mapping[int, str], subject: Sequence[str]) -> int | None:
    """The key of the text with the sentence that defines the subject best, the first of several; ``None`` if none does.

    ``subject``: its stems in order.
    """
    # In lower case and with letters first, so that ``re`` looks for these letters and tries the rest only there.
    term = re.compile(r"\w*[\s-]+".join(re.escape(stem.rstrip("i")) for stem in subject) + r"\w*")
    stems = frozenset(subject)
    scores = {
        key: max(
            (defines(text[each.start : each.end], stems) for each in units(text) if each.kind != "code"), default=0.0
        )
        for key, text in texts.items()
        if _may_define(text.lower(), term)
    }
    best = max(scores, key=scores.__getitem__, default=None)
    return best if best is not None and scores[best] >= _CERTAIN else None


def first_titled(chunks: Mapping[int, BaseNode], subject: Sequence[str]) -> int | None:
    """The key of the first chunk below a title that is the subject; ``None`` without one."""
    wanted = frozenset(subject)
    return min((key for key, node in chunks.items() if title_stems(headings_of(node)) == wanted), default=None)


def _may_define(text: str, term: re.Pattern[str]) -> bool:
    for found in term.finditer(text):
        start, end = found.span()
        before = text[max(0, start - _BEFORE) : start]
        if (not before[-1:].isalnum() and _FOLLOWS.match(text, end)) or _PRECEDES.search(before):
            return True
        if _WHICH_IS.match(text, end) or (_WHICH.match(text, end) and _IS.search(before)):
            return True
        if text.startswith(" (", end) or (before.endswith("(") and text.startswith(")", end)):
            return True
    return False
