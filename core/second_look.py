"""A passage's words, packed so that the second look needs neither its text nor a stemmer.

Splitting a passage into sentences and stemming them takes about a millisecond, and a question looks at twenty
passages. So both are done once, when the passage is stored; what is asked later is compared with numbers.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from .passages import passage_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

#: Raised whenever the same passage would be packed otherwise; what was packed before is then packed anew when needed.
PACKING_VERSION = 1
_HEADER = 4  # version, stems above, sentences, stems in the sentences


def pack(headings: str, text: str) -> bytes:
    """The passage's words as little-endian uint32: a header; the stems above; the sentences' sizes; the distinct stems
    of each sentence, one after the other; all stems in order. A stem is its CRC-32."""
    known = passage_words(headings, text)
    sentences = [sorted(_number(stem) for stem in held) for held in known.held]
    parts = (
        [PACKING_VERSION, len(known.above), len(sentences), sum(len(each) for each in sentences)],
        sorted(_number(stem) for stem in known.above),
        [len(each) for each in sentences],
        [number for each in sentences for number in each],
        [_number(stem) for stem in known.inside],
    )
    return np.array([number for part in parts for number in part], "<u4").tobytes()


def is_packed(data: bytes | None) -> bool:
    """Whether ``pack`` of this version made it."""
    return data is not None and len(data) >= 4 * _HEADER and int.from_bytes(data[:4], "little") == PACKING_VERSION


def seen(
    passages: Sequence[bytes], words: Sequence[str], idf: Mapping[str, float]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Of each packed passage: how much of the question its best sentence holds under its headings, weighted by
    ``idf``; and which share of the words that stand side by side in the question do so in it.

    Both float64 [passages], 0 to 1.
    """
    asked = np.array([_number(word) for word in words], np.uint32)
    weights = np.array([idf.get(word, 0.0) for word in words])
    total = weights.sum()
    sentence, pairs = np.zeros(len(passages)), np.zeros(len(passages))
    for at, data in enumerate(passages):
        numbers = np.frombuffer(data, "<u4")
        above, count, size = (int(number) for number in numbers[1:_HEADER])
        first = _HEADER + above + count
        if count and size and total > 0:
            equal = numbers[:, None] == asked
            # A sentence of stop words alone has no stems, and nothing to add to the best.
            sizes = numbers[_HEADER + above : first].astype(np.int64)
            starts = first + (np.cumsum(sizes) - sizes)[sizes > 0]
            held = np.logical_or.reduceat(equal[: first + size], starts, axis=0)
            held |= equal[_HEADER : _HEADER + above].any(axis=0)
            sentence[at] = (held @ weights).max() / total
            if len(asked) > 1:
                inside = equal[first + size :]
                together = (inside[:-1, :-1] & inside[1:, 1:]).any(axis=0)
                pairs[at] = together.sum() / len(together)
    return sentence, pairs


@lru_cache(maxsize=65536)
def _number(stem: str) -> int:
    return crc32(stem.encode())
