"""Sentences of a chunk that has several sections, which the chunk's headings name all at once."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from ..text.stemming import stem_hash, stem_hashes

if TYPE_CHECKING:
    from .models import Retrieval
    from .sentence_scores import ScoredSentence

_HEADING = re.compile(r"^(#{1,6}) +(\S.*)$", re.MULTILINE)
_CODE = re.compile(r"^(```|~~~)[\s\S]*?^\1", re.MULTILINE)
#: Taken from a sentence where a word of the question is in the heading of another section alone.
_OTHER_PENALTY = 0.4


def of_its_section(sentence: ScoredSentence, retrieval: Retrieval) -> ScoredSentence:
    """The sentence, with a lower score where words of the question are in headings of its chunk's text that are not
    above it, and neither above it nor in it."""
    headings = _headings(retrieval.nodes[sentence.chunk].node.get_content())
    if len(headings) < 2:
        return sentence
    above: dict[int, frozenset[int]] = {}
    for at, level, stems in headings:
        if at <= sentence.start:
            above = {each: known for each, known in above.items() if each < level} | {level: stems}
    others = frozenset[int]().union(*(stems for _, _, stems in headings)).difference(*above.values())
    others -= retrieval.terms(sentence.chunk).unit_stems[sentence.unit]
    if others.isdisjoint(map(stem_hash, retrieval.idf)):
        return sentence
    parts = {**sentence.parts, "other section": -_OTHER_PENALTY}
    return replace(sentence, parts=parts, score=sentence.score - _OTHER_PENALTY)


@lru_cache(maxsize=512)
def _headings(text: str) -> tuple[tuple[int, int, frozenset[int]], ...]:
    """Where each heading within the text begins, its level and its stems, those in code left out."""
    code = [found.span() for found in _CODE.finditer(text)]
    return tuple(
        (found.start(), len(found[1]), frozenset(stem_hashes(found[2])))
        for found in _HEADING.finditer(text)
        if not any(start <= found.start() < end for start, end in code)
    )
