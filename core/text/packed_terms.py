"""A chunk's terms, packed so that reranking needs neither its text nor a stemmer.

Splitting a chunk into sentences and stemming them takes about a millisecond, and a question reranks twenty chunks. So
both are done once, when the chunk is stored; a question's stems are compared by their hashes.
"""

from __future__ import annotations

from functools import lru_cache
from zlib import crc32

import numpy as np

from .chunk_terms import analyze_chunk

#: Increased whenever the same chunk would be packed differently; older data is packed again when it is needed.
PACKING_VERSION = 1
HEADER = 4  # version, stems of the headings, sentences, stems of the sentences


def pack(headings: str, text: str) -> bytes:
    """The chunk's terms as little-endian uint32: a header; the stems of the headings; the sentences' sizes; the
    distinct stems of each sentence, one after the other; all stems in order. A stem is its CRC-32."""
    terms = analyze_chunk(headings, text)
    sentences = [sorted(stem_hash(stem) for stem in unit) for unit in terms.unit_stems]
    parts = (
        [PACKING_VERSION, len(terms.heading_stems), len(sentences), sum(len(each) for each in sentences)],
        sorted(stem_hash(stem) for stem in terms.heading_stems),
        [len(each) for each in sentences],
        [number for each in sentences for number in each],
        [stem_hash(stem) for stem in terms.text_stems],
    )
    return np.array([number for part in parts for number in part], "<u4").tobytes()


def is_packed(data: bytes | None) -> bool:
    """Whether this version of ``pack`` made the data."""
    return data is not None and len(data) >= 4 * HEADER and int.from_bytes(data[:4], "little") == PACKING_VERSION


@lru_cache(maxsize=8192)
def stem_hash(stem: str) -> int:
    """The CRC-32 of a stem."""
    return crc32(stem.encode())
