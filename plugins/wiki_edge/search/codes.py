"""Rows as 1-bit codes: which rows may be near a question, found out without reading them.

The code of a row is the signs of its centred vector, 48 bytes for 384 numbers. The rows whose codes differ least from
the question's are then read from disk and compared exactly (Charikar, "Similarity Estimation Techniques from Rounding
Algorithms", 2002). The codes lie column by column within blocks, so that one XOR and one population count over a whole
block's column do the work, in the processor's cache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .files import FileArray

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt

    from .memory import Memory

#: Rows of a block: a column of it is 128 KB, and the intermediate results stay in the processor's cache.
BLOCK = 16384
#: Rows that are read while the codes are made.
_READ = 8192


def words_of(dimension: int) -> int:
    """How many 64-bit words a code has."""
    return -(-dimension // 64)


def make(embeddings: FileArray, codes: Path, centre: Path) -> None:
    """Write the codes of all rows and the vector by which they are centred; two passes, bounded memory.

    ``codes``: uint64 [blocks, words, ``BLOCK``], the last block filled up with zeros. ``centre``: float32 [dimension].
    """
    rows, dimension = embeddings.shape
    total = np.zeros(dimension)
    for start in range(0, rows, _READ):
        total += embeddings.read(start, min(start + _READ, rows)).sum(axis=0, dtype=np.float64)
    middle = (total / max(rows, 1)).astype("<f4")
    np.save(centre, middle)
    blocks = -(-rows // BLOCK)
    with codes.open("wb") as file:
        header = {"descr": "<u8", "fortran_order": False, "shape": (blocks, words_of(dimension), BLOCK)}
        np.lib.format.write_array_header_1_0(file, header)
        for block in range(blocks):
            columns = np.zeros((words_of(dimension), BLOCK), "<u8")
            for start in range(block * BLOCK, min((block + 1) * BLOCK, rows), _READ):
                some = signs(embeddings.read(start, min(start + _READ, rows)) - middle)
                at = start - block * BLOCK
                columns[:, at : at + len(some)] = some.T
            file.write(columns.tobytes())


def signs(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.uint64]:
    """The signs of each row's numbers, uint64 [rows, words]."""
    rows, dimension = vectors.shape
    packed = np.zeros((rows, words_of(dimension) * 8), np.uint8)
    packed[:, : -(-dimension // 8)] = np.packbits(vectors > 0, axis=1)
    return packed.view("<u8")


class Codes:
    """The codes of a shard: held in memory where its budget allows, else read block by block."""

    def __init__(self, codes: Path, centre: Path, rows: int, dimension: int, memory: Memory) -> None:
        """Raises ``ShardError`` where the files do not fit a shard of so many rows."""
        self._file = FileArray(codes, dtype="<u8", ndim=3)
        middle = FileArray(centre, dtype="<f4", ndim=1)
        self._file.expect((-(-rows // BLOCK), words_of(dimension), BLOCK))
        middle.expect((dimension,))
        self._centre = middle.read()
        self._rows = rows
        self._held = self._file.read() if memory.take(self._file.nbytes) else None

    def nearest(
        self, question: npt.NDArray[np.float32], limit: int, kept: npt.NDArray[np.bool_] | None = None
    ) -> npt.NDArray[np.int64]:
        """Rows whose codes differ least from the question's, ``limit`` of them or a few more; ``kept``: among these."""
        code = signs((question - self._centre)[None])[0]
        rows: list[npt.NDArray[np.int64]] = []
        distances: list[npt.NDArray[np.uint16]] = []
        found, bound = 0, np.iinfo(np.uint16).max
        scratch = np.empty(BLOCK, np.uint64), np.empty(BLOCK, np.uint8)
        for start, columns in self._blocks():
            distance = _distances(columns, code, *scratch)[: self._rows - start]
            here = distance < bound
            if kept is not None:
                here &= kept[start : start + len(distance)]
            near = np.flatnonzero(here)
            if not len(near):
                continue
            rows.append(near + start)
            distances.append(distance[near])
            found += len(near)
            if found >= 4 * limit or (found >= limit and bound == np.iinfo(np.uint16).max):
                # What is farther than the ``limit``-th so far cannot be among the nearest any more.
                every = np.concatenate(distances)
                bound = int(np.partition(every, limit - 1)[limit - 1])
                near = np.flatnonzero(every <= bound)
                rows, distances, found = [np.concatenate(rows)[near]], [every[near]], len(near)
                bound += 1
        if not rows:
            return np.zeros(0, np.int64)
        every, among = np.concatenate(distances), np.concatenate(rows)
        if len(every) > limit:
            among = among[np.argpartition(every, limit - 1)[:limit]]
        return np.sort(among)

    def _blocks(self) -> Iterator[tuple[int, npt.NDArray[np.uint64]]]:
        for block in range(len(self._file)):
            columns = self._held[block] if self._held is not None else self._file.read(block, block + 1)[0]
            yield block * BLOCK, columns


def _distances(
    columns: npt.NDArray[np.uint64],
    code: npt.NDArray[np.uint64],
    differing: npt.NDArray[np.uint64],
    counts: npt.NDArray[np.uint8],
) -> npt.NDArray[np.uint16]:
    """In how many bits each code of a block differs from ``code``, uint16 [``BLOCK``]."""
    total = np.zeros(columns.shape[1], np.uint16)
    for column, word in zip(columns, code, strict=True):
        np.bitwise_xor(column, word, out=differing)
        np.bitwise_count(differing, out=counts)
        total += counts
    return total
