"""A chunk's terms, packed so that a question needs neither a stemmer nor the rules for sentences and their kinds.

Splitting a chunk into sentences, stemming them and finding their kinds and instructions takes a millisecond. A question
reranks twenty chunks and answers from five. So all of it is done once, when the chunk is stored. Imported where packed
terms are needed: most commands do without NumPy.
"""

from __future__ import annotations

from collections import Counter
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, get_args
from zlib import crc32

import numpy as np

from .chunk_terms import ChunkTerms, analyze_chunk
from .instructions import find_instructions
from .segmentation import Unit
from .sentence_kinds import Kind, holds_no_answer
from .stemming import stem_hashes

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

#: Increased whenever the same chunk would be packed differently.
PACKING_VERSION = 10
#: Versions with the same stems: they are reranked by, but what kind of text their units are is found out anew.
_SAME_STEMS = frozenset({1, 2, 3, 4, 5, 6, 7, 8, 9, PACKING_VERSION})
#: Versions whose units are used as they are: to find their kinds anew makes 8 clients wait 1.5 times as long. Version 5
#: differs in labels before code and in lines of an index alone, version 6 in turns of chats with a language model and
#: in sentences with a cited page, version 7 in names with a number ("Battery three") taken for commands, version 8 in
#: headings that are lines above a short paragraph, version 9 in short lines that are stated to explain,
#: and in "Sent it to Ann.".
_SAME_UNITS = frozenset({5, 6, 7, 8, 9, PACKING_VERSION})
#: Added to the version of a chunk without a sentence that answers.
_NO_ANSWER = 0x100
HEADER = 4  # version and mark, stems of the headings, units, stems of the units
#: Numbers for each unit: its start, its end, its kinds, block and instruction. Version 1 has none.
_UNIT = 3
_KINDS: tuple[Kind, ...] = get_args(Kind)
_UNIT_KINDS = ("sentence", "item", "header", "row", "code")


def pack(headings: str, text: str, stated: str = "") -> bytes:
    """The chunk's terms as little-endian uint32: a header; the stems of the headings; the units' numbers of stems; the
    distinct stems of each unit, one after the other; all stems of the text in order; the units themselves; the CRC-32
    of all before. ``stated``: as for ``analyze_chunk``."""
    terms, instructions = analyze_chunk(headings, text, stated), find_instructions(headings, text)
    version = PACKING_VERSION + _NO_ANSWER * holds_no_answer(terms.kinds)
    stems = [sorted(each) for each in terms.unit_stems]
    parts = (
        [version, len(terms.heading_stems), len(stems), sum(len(each) for each in stems)],
        sorted(terms.heading_stems),
        [len(each) for each in stems],
        [number for each in stems for number in each],
        stem_hashes(text),
        [
            number
            for index, (unit, kind) in enumerate(zip(terms.units, terms.kinds, strict=True))
            for number in (unit.start, unit.end, _packed_kind(unit, kind) | (index in instructions) << 7)
        ],
    )
    packed = np.array([number for part in parts for number in part], "<u4").tobytes()
    return packed + crc32(packed).to_bytes(4, "little")


def unpack(data: bytes | None) -> ChunkTerms | None:
    """What ``analyze_chunk`` and ``find_instructions`` would find; ``None`` for what a much older version packed, and
    for damaged data."""
    if (
        not isinstance(data, bytes)
        or _version(data) & ~_NO_ANSWER not in _SAME_UNITS
        or data[-4:] != crc32(data[:-4]).to_bytes(4, "little")
    ):
        return None
    numbers: list[int] = np.frombuffer(data[:-4], "<u4").tolist()
    _, headings, count, size = numbers[:HEADER]
    first, last = HEADER + headings + count, len(numbers) - _UNIT * count
    heading_stems = frozenset(numbers[HEADER : HEADER + headings])
    ends = accumulate(numbers[HEADER + headings : first], initial=first)
    places = numbers[last:]
    return ChunkTerms(
        heading_stems=heading_stems,
        units=tuple(
            [
                Unit(start, end, _UNIT_KINDS[kind >> 4 & 7], kind >> 8)
                for start, end, kind in zip(places[::_UNIT], places[1::_UNIT], places[2::_UNIT], strict=True)
            ]
        ),
        unit_stems=tuple([frozenset(numbers[start:end]) for start, end in pairwise(ends)]),
        kinds=tuple([_KINDS[kind & 15] for kind in places[2::_UNIT]]),
        all_stems=heading_stems.union(numbers[first + size : last]),
        instructions=frozenset([index for index, kind in enumerate(places[2::_UNIT]) if kind >> 7 & 1]),
    )


def count_kinds(chunks: Iterable[bytes]) -> dict[str, int]:
    """How many units of each kind packed chunks of this version have, the most frequent kind first."""
    counts: Counter[int] = Counter()
    for packed in chunks:
        numbers = np.frombuffer(packed[:-4], "<u4")
        counts.update((numbers[len(numbers) - _UNIT * int(numbers[2]) :][2::_UNIT] & 15).tolist())
    return {_KINDS[kind]: count for kind, count in counts.most_common()}


def numbers_behind(versions: npt.NDArray[np.int64], units: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """How many numbers are behind the stems of the text, in packed terms of these versions and numbers of units."""
    return np.where(versions & ~_NO_ANSWER == 1, 0, _UNIT * units + 1)


def is_packed(data: bytes | None) -> bool:
    """Whether the data can be reranked by."""
    return isinstance(data, bytes) and len(data) >= 4 * HEADER and _version(data) & ~_NO_ANSWER in _SAME_STEMS


def heading_stems(packed: bytes) -> frozenset[int]:
    """The hashes of the stems of the headings."""
    import numpy as np

    return frozenset(np.frombuffer(packed, "<u4", int.from_bytes(packed[4:8], "little"), 4 * HEADER).tolist())


def is_beside_the_text(packed: bytes) -> bool:
    """Whether the chunk has only exercises, objectives, references, navigation or captions."""
    return bool(_version(packed) & _NO_ANSWER)


def is_code_alone(packed: bytes) -> bool:
    """Whether all units of the chunk are code."""
    import numpy as np

    if _version(packed) & ~_NO_ANSWER == 1:
        return False
    numbers = np.frombuffer(packed[:-4], "<u4")
    count = int(numbers[2])
    found = numbers[len(numbers) - _UNIT * count :][2::_UNIT] & 15
    return count > 0 and bool((found == _KINDS.index("code")).all())


def _version(packed: bytes) -> int:
    return int.from_bytes(packed[:4], "little")


def _packed_kind(unit: Unit, kind: Kind) -> int:
    return unit.block << 8 | _UNIT_KINDS.index(unit.kind) << 4 | _KINDS.index(kind)
