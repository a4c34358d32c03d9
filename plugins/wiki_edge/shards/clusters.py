"""Rows in clusters, for shards so large that a question should look at a part of the codes only.

Spherical k-means over a sample gives the centroids; every row belongs to the nearest. The codes lie cluster by cluster,
and a question looks at those whose centroids are nearest to it: the inverted file of Jégou, Douze and Schmid, "Product
Quantization for Nearest Neighbor Search", 2011.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from .file_arrays import FileArray, GrowingArray

#: Shards with more rows are clustered.
LARGE = 1_000_000
#: Share of the rows that a question looks at, and the fewest.
_SHARE = 0.15
_FEWEST = 200_000
_SAMPLE = 65_536
_ROUNDS = 8
_READ = 8192


def make(embeddings: FileArray, centroids: Path, starts: Path, order: Path) -> npt.NDArray[np.uint32]:
    """Write ``centroids`` (float32 [clusters, dimension]), ``starts`` (uint64 [clusters + 1], places) and ``order``
    (uint32 [rows]: the row at each place); returns the order. Memory: some 10 bytes a row."""
    rows, _ = embeddings.shape
    count = int(np.clip(2 ** round(np.log2(max(rows, 1) ** 0.5)), 1, 4096))
    draws = np.random.default_rng(7)
    sample = embeddings.gather(np.sort(draws.choice(rows, min(rows, _SAMPLE), replace=False)))
    found = sample[draws.choice(len(sample), min(count, len(sample)), replace=False)]
    for _ in range(_ROUNDS):
        nearest = _nearest(sample, found)
        sums = np.zeros_like(found)
        np.add.at(sums, nearest, sample)
        empty = ~sums.any(axis=1)
        sums[empty] = sample[draws.choice(len(sample), int(empty.sum()))]
        found = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
    belongs = np.concatenate(
        [_nearest(embeddings.read(at, min(at + _READ, rows)), found) for at in range(0, rows, _READ)]
    )
    placed = np.argsort(belongs, kind="stable").astype("<u4")
    np.save(centroids, found.astype("<f4"))
    np.save(starts, np.searchsorted(belongs[placed], np.arange(len(found) + 1)).astype("<u8"))
    with GrowingArray(order, "<u4") as file:
        file.add(placed)
    return placed


def _nearest(rows: npt.NDArray[np.float32], centroids: npt.NDArray[np.float32]) -> npt.NDArray[np.uint16]:
    found: npt.NDArray[np.uint16] = np.argmax(rows @ centroids.T, axis=1).astype(np.uint16)
    return found


class Clusters:
    """The clusters of an open shard. Places are where codes lie; rows are what they are of."""

    def __init__(self, centroids: Path, starts: Path, order: Path, rows: int, dimension: int) -> None:
        """Raises ``ShardError`` where the files do not fit together."""
        held = FileArray(centroids, dtype="<f4", ndim=2)
        bounds = FileArray(starts, dtype="<u8", ndim=1)
        self._order = FileArray(order, dtype="<u4", ndim=1)
        held.expect((held.shape[0], dimension))
        bounds.expect((held.shape[0] + 1,))
        self._order.expect((rows,))
        self._centroids = held.read()
        self._bounds = np.minimum(bounds.read(), rows).astype(np.int64)
        self._rows = rows

    def near(self, question: npt.NDArray[np.float32]) -> list[tuple[int, int]]:
        """Ranges of places, ascending, that a question should look at."""
        sizes = np.maximum(np.diff(self._bounds), 0)
        nearest = np.argsort(-(self._centroids @ question), kind="stable")
        enough = max(self._rows * _SHARE, _FEWEST)
        chosen = np.sort(nearest[: int(np.searchsorted(np.cumsum(sizes[nearest]), enough)) + 1])
        ranges: list[tuple[int, int]] = []
        for start, stop in zip(self._bounds[chosen].tolist(), self._bounds[chosen + 1].tolist(), strict=True):
            if ranges and ranges[-1][1] == start:
                ranges[-1] = (ranges[-1][0], stop)
            elif stop > start:
                ranges.append((start, stop))
        return ranges

    def rows_between(self, start: int, stop: int) -> npt.NDArray[np.int64]:
        """The rows at these places."""
        return self._inside(self._order.read(start, stop))

    def rows_at(self, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The rows at these places."""
        return self._inside(self._order.gather(places))

    def _inside(self, rows: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
        """Damaged numbers become some row, whose own vector is then compared."""
        found: npt.NDArray[np.int64] = np.minimum(rows, self._rows - 1).astype(np.int64)
        return found
