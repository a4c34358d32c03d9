"""1-bit codes of rows: find the candidates near a question without reading the rows.

The code of a row is the signs of its centred vector, 48 bytes for 384 numbers. The rows whose codes differ least from
the question's are then read from disk and compared exactly (Charikar, "Similarity Estimation Techniques from Rounding
Algorithms", 2002). The codes lie column by column within blocks, so that one XOR and one population count over a whole
block's column do the work, in the processor's cache.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from .clusters import Clusters
from .file_arrays import FileArray, MemoryBudget

#: Rows of a block: a column of it is 128 KB, and the intermediate results stay in the processor's cache.
BLOCK = 16384
#: Rows whose codes are compared with the question's numbers, for each that is asked for.
_COARSE = 8
#: Rows that are read while the codes are made.
_READ = 8192


def words_of(dimension: int) -> int:
    """How many 64-bit words a code has."""
    return -(-dimension // 64)


def make(embeddings: FileArray, codes: Path, centre: Path, order: npt.NDArray[np.uint32] | None = None) -> None:
    """Write the codes of all rows and the vector by which they are centred; two passes, bounded memory.

    ``order``: which row's code comes at which place, if not in the order of the rows.

    ``codes``: uint64 [blocks, words, ``BLOCK``], the last block filled up with zeros. ``centre``: float32 [dimension].
    """
    rows, dimension = embeddings.shape
    total = np.zeros(dimension)
    for start in range(0, rows, _READ):
        total += embeddings.read(start, min(start + _READ, rows)).sum(axis=0, dtype=np.float64)
    mean = (total / max(rows, 1)).astype("<f4")
    np.save(centre, mean)
    blocks = -(-rows // BLOCK)
    with codes.open("wb") as file:
        header = {"descr": "<u8", "fortran_order": False, "shape": (blocks, words_of(dimension), BLOCK)}
        np.lib.format.write_array_header_1_0(file, header)
        for block in range(blocks):
            columns = np.zeros((words_of(dimension), BLOCK), "<u8")
            for start in range(block * BLOCK, min((block + 1) * BLOCK, rows), _READ):
                stop = min(start + _READ, rows)
                read = embeddings.read(start, stop) if order is None else embeddings.gather(order[start:stop])
                at = start - block * BLOCK
                columns[:, at : at + len(read)] = signs(read - mean).T
            file.write(columns.tobytes())


def signs(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.uint64]:
    """The signs of each row's numbers, uint64 [rows, words]."""
    rows, dimension = vectors.shape
    packed = np.zeros((rows, words_of(dimension) * 8), np.uint8)
    packed[:, : -(-dimension // 8)] = np.packbits(vectors > 0, axis=1)
    return packed.view("<u8")


class Codes:
    """The codes of a shard: held in memory where its budget allows, else read block by block."""

    def __init__(
        self, codes: Path, centre: Path, shape: tuple[int, int], memory: MemoryBudget, clusters: Clusters | None = None
    ) -> None:
        """``shape``: rows and dimension of the shard. ``clusters``: by which the codes are ordered, if they are.

        Raises ``ShardError`` where the files do not fit a shard of that shape.
        """
        rows, dimension = shape
        self._file = FileArray(codes, dtype="<u8", ndim=3)
        mean = FileArray(centre, dtype="<f4", ndim=1)
        self._file.expect((-(-rows // BLOCK), words_of(dimension), BLOCK))
        mean.expect((dimension,))
        self._centre = mean.read()
        self._rows = rows
        self._clusters = clusters
        self._held = None
        if memory.reserve(self._file.nbytes):
            weakref.finalize(self, memory.release, self._file.nbytes)
            self._held = self._file.read()

    def nearest(
        self, question: npt.NDArray[np.float32], limit: int, mask: npt.NDArray[np.bool_] | None = None
    ) -> npt.NDArray[np.int64]:
        """The ``limit`` rows that seem nearest, ascending. ``mask``: only rows for which it is true.

        Those whose codes differ in the fewest bits are found first, then the question's own numbers are multiplied with
        their signs. Over 44,000 sentences of encyclopedias and books, 300 questions, the ten nearest are among 200 such
        rows for 99.9 %, among the 200 with the fewest differing bits for 98.6 %.
        """
        coarse = _COARSE * limit
        places, codes = self._fewest_differing(question, coarse, mask)
        if len(places) > limit:
            places = places[np.argpartition(-_products(codes, question), limit - 1)[:limit]]
        return np.sort(places if self._clusters is None else self._clusters.rows_at(places))

    def _fewest_differing(
        self, question: npt.NDArray[np.float32], limit: int, mask: npt.NDArray[np.bool_] | None
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
        """The places of ``limit`` codes or some more, and those codes, [words, places]."""
        code = signs((question - self._centre)[None])[0]
        ranges = [(0, self._rows)] if self._clusters is None else self._clusters.near(question)
        places, codes = np.zeros(0, np.int64), np.zeros((len(code), 0), np.uint64)
        near = np.zeros(0, np.uint16)
        bound = np.iinfo(np.uint16).max
        for start, columns in self._columns(ranges):
            distances = _distances(columns, code)
            here = distances <= bound
            if mask is not None:
                stop = start + len(distances)
                rows = slice(start, stop) if self._clusters is None else self._clusters.rows_between(start, stop)
                here &= mask[rows]
            found = np.flatnonzero(here)
            places = np.concatenate([places, found + start])
            codes = np.concatenate([codes, columns.take(found, axis=1)], axis=1)
            near = np.concatenate([near, distances[found]])
            if len(near) > 2 * limit:  # those farther than the ``limit``-th are dropped
                bound = int(np.partition(near, limit - 1)[limit - 1])
                kept = np.flatnonzero(near <= bound)
                places, codes, near = places[kept], codes.take(kept, axis=1), near[kept]
        return places, codes

    def _columns(self, ranges: list[tuple[int, int]]) -> Iterator[tuple[int, npt.NDArray[np.uint64]]]:
        """The codes at these places, [words, places] of a block at a time, with the first one's place."""
        for start, stop in ranges:
            for block in range(start // BLOCK, -(-stop // BLOCK)):
                first, last = max(start - block * BLOCK, 0), min(stop - block * BLOCK, BLOCK)
                if self._held is not None:
                    columns = self._held[block, :, first:last]
                else:
                    columns = self._file.read_within(block, first, last)
                yield block * BLOCK + first, columns


def _distances(columns: npt.NDArray[np.uint64], code: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint16]:
    """In how many bits each code of the columns differs from ``code``, uint16; a column at a time, which stays in the
    processor's cache."""
    total = np.zeros(columns.shape[1], np.uint16)
    for column, word in zip(columns, code, strict=True):
        total += np.bitwise_count(column ^ word)
    return total


def _products(codes: npt.NDArray[np.uint64], question: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The question times each code's signs, [words, rows] → float32 [rows]; a bit that is not set counts as 0, which
    changes no order. The sum over each of a code's bytes is looked up in a table."""
    padded = np.zeros(len(codes) * 64, np.float32)
    padded[: len(question)] = question
    table = padded.reshape(-1, 8) @ _BITS
    places = np.ascontiguousarray(codes.T).view(np.uint8) + np.arange(len(table), dtype=np.uint16) * 256
    found: npt.NDArray[np.float32] = table.reshape(-1).take(places).sum(axis=1)
    return found


#: The bits of every byte, as ``np.packbits`` sets them: float32 [8, 256].
_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32).T
