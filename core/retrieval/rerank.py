"""A passage's words, packed so that the second look needs neither its text nor a stemmer.

Splitting a passage into sentences and stemming them takes about a millisecond, and a question looks at twenty
passages. So both are done once, when the passage is stored; what is asked later is compared with numbers.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from ..text.chunk_terms import passage_words

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
    if not passages or not total > 0:
        return sentence, pairs
    # All passages as one array, in which the few places count where a word of the question stands.
    numbers = np.frombuffer(b"".join(passages), "<u4")
    lengths = np.array([len(data) // 4 for data in passages])
    ends = np.cumsum(lengths)
    begins = ends - lengths
    above, counts, sizes = numbers[begins + np.arange(1, _HEADER)[:, None]].astype(np.int64)
    first = begins + _HEADER + above + counts
    equal = asked[:, None] == numbers
    word, places = np.divmod(np.flatnonzero(equal), len(numbers))
    of = np.searchsorted(ends, places, side="right")
    headed = np.zeros((len(passages), len(asked)), bool)
    under = (places >= begins[of] + _HEADER) & (places < first[of] - counts[of])
    headed[of[under], word[under]] = True

    owners = np.repeat(np.arange(len(passages)), counts)
    listed = np.cumsum(counts) - counts
    lengths = numbers[np.arange(len(owners)) + np.repeat(first - counts - listed, counts)].astype(np.int64)
    # A sentence of stop words alone has no stems, and nothing to add to the best.
    owners, lengths = owners[lengths > 0], lengths[lengths > 0]
    if len(owners):
        within = np.cumsum(lengths) - lengths
        opens = np.flatnonzero(np.diff(owners, prepend=-1))
        starts = first[owners] + within - np.repeat(within[opens], np.diff(opens, append=len(owners)))
        held = headed[owners]
        number = np.maximum(np.searchsorted(starts, places, side="right") - 1, 0)
        inside = (places >= starts[number]) & (places < starts[number] + lengths[number])
        held[number[inside], word[inside]] = True
        sentence[owners[opens]] = np.maximum.reduceat(held @ weights, opens) / total
    if len(asked) > 1:
        # Only where a further word of the question and a further word of the passage follow.
        follow = (places >= first[of] + sizes[of]) & (places + 1 < ends[of]) & (word + 1 < len(asked)) & (sizes[of] > 0)
        of, places, word = of[follow], places[follow], word[follow]
        together = np.zeros((len(passages), len(asked) - 1), bool)
        beside = equal[word + 1, places + 1]
        together[of[beside], word[beside]] = True
        pairs = together.mean(axis=1)
    return sentence, pairs


@lru_cache(maxsize=8192)
def _number(stem: str) -> int:
    return crc32(stem.encode())
