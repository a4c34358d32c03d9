"""A chunk's terms, packed so that reranking needs neither its text nor a stemmer.

Splitting a chunk into sentences and stemming them takes about a millisecond, and a question looks at twenty chunks. So
both are done once, when the chunk is stored; what is asked later is compared with numbers.
"""

from __future__ import annotations

from functools import lru_cache
from zlib import crc32

import numpy as np

from .chunk_terms import passage_words

#: Raised whenever the same passage would be packed otherwise; what was packed before is then packed anew when needed.
PACKING_VERSION = 1
HEADER = 4  # version, stems above, sentences, stems in the sentences


def pack(headings: str, text: str) -> bytes:
    """The passage's words as little-endian uint32: a header; the stems above; the sentences' sizes; the distinct stems
    of each sentence, one after the other; all stems in order. A stem is its CRC-32."""
    known = passage_words(headings, text)
    sentences = [sorted(number_of(stem) for stem in held) for held in known.held]
    parts = (
        [PACKING_VERSION, len(known.above), len(sentences), sum(len(each) for each in sentences)],
        sorted(number_of(stem) for stem in known.above),
        [len(each) for each in sentences],
        [number for each in sentences for number in each],
        [number_of(stem) for stem in known.inside],
    )
    return np.array([number for part in parts for number in part], "<u4").tobytes()


def is_packed(data: bytes | None) -> bool:
    """Whether ``pack`` of this version made it."""
    return data is not None and len(data) >= 4 * HEADER and int.from_bytes(data[:4], "little") == PACKING_VERSION


@lru_cache(maxsize=8192)
def number_of(stem: str) -> int:
    """The number of a stem: its CRC-32."""
    return crc32(stem.encode())
