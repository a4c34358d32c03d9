"""A chunk's terms, packed so that reranking needs neither its text nor a stemmer.

Splitting a chunk into sentences and stemming them takes about a millisecond, and a question reranks twenty chunks. So
both are done once, when the chunk is stored; a question's stems are compared by their hashes.
"""

from __future__ import annotations

from functools import lru_cache
from zlib import crc32

import numpy as np

from .chunk_terms import analyze_chunk
from .sentence_kinds import holds_no_answer

#: Increased whenever the same chunk would be packed differently; older data is packed again when it is needed.
PACKING_VERSION = 1
HEADER = 4  # version and mark, stems of the headings, sentences, stems of the sentences
#: Added to the version of a chunk without a sentence that answers.
_NO_ANSWER = 0x100


def pack(headings: str, text: str, stated: str = "") -> bytes:
    """The chunk's terms as little-endian uint32: a header; the stems of the headings; the sentences' sizes; the
    distinct stems of each sentence, one after the other; all stems in order. A stem is its CRC-32.

    ``stated``: as for ``analyze_chunk``.
    """
    terms = analyze_chunk(headings, text, stated)
    sentences = [sorted(stem_hash(stem) for stem in unit) for unit in terms.unit_stems]
    parts = (
        [
            PACKING_VERSION + _NO_ANSWER * holds_no_answer(terms.kinds),
            len(terms.heading_stems),
            len(sentences),
            sum(len(each) for each in sentences),
        ],
        sorted(stem_hash(stem) for stem in terms.heading_stems),
        [len(each) for each in sentences],
        [number for each in sentences for number in each],
        [stem_hash(stem) for stem in terms.text_stems],
    )
    return np.array([number for part in parts for number in part], "<u4").tobytes()


def is_packed(data: bytes | None) -> bool:
    """Whether this version of ``pack`` made the data."""
    return data is not None and len(data) >= 4 * HEADER and _version(data) & ~_NO_ANSWER == PACKING_VERSION


def is_beside_the_text(packed: bytes) -> bool:
    """Whether the chunk has only exercises, objectives, references, navigation or captions."""
    return bool(_version(packed) & _NO_ANSWER)


def _version(packed: bytes) -> int:
    return int.from_bytes(packed[:4], "little")


@lru_cache(maxsize=8192)
def stem_hash(stem: str) -> int:
    """The CRC-32 of a stem."""
    return crc32(stem.encode())
