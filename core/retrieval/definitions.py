"""Finds the passage that defines what a question asks for, where it is not among the best ones.

A passage that uses a term often is found before the one that says once what the term means.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..text.definitions import defines
from ..text.segmentation import units

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: Passages with the term that are looked through, the best ones by BM25.
SEARCHED = 200
#: Least ``defines`` of a sentence for whose sake another passage is left out.
_CERTAIN = 0.6


def best_definition(texts: Mapping[int, str], subject: Sequence[str]) -> int | None:
    """The key of the text with the sentence that defines the subject best, the first of several; ``None`` if none does.

    ``subject``: its stems in order.
    """
    term = r"\w*[\s-]+".join(re.escape(stem.rstrip("i")) for stem in subject) + r"\w*"
    article = r"(?:an?\s+|the\s+)?"
    likely = re.compile(
        rf"\b{term}(?:\s\w+)?(?:\s*\([^)]*\))?(?:\s\w+)?(?:,?\s(?:is|are|was|were|refers?|means?|denotes?|describes?|stands?)\b|\s*[:–—|])"
        rf"|\b(?:called|known as|termed|referred to as)\s+{article}\W*{term}|\bis\s+{article}{term},\s(?:which|where)",
        re.IGNORECASE,
    )
    stems = frozenset(subject)
    scores = {
        key: max((defines(text[unit.start : unit.end], stems) for unit in units(text)), default=0.0)
        for key, text in texts.items()
        if likely.search(text)
    }
    best = max(scores, key=scores.__getitem__, default=None)
    return best if best is not None and scores[best] >= _CERTAIN else None
