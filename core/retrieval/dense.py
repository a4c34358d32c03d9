"""Exact nearest-neighbour search over a corpus's vectors in memory."""

from __future__ import annotations

import ctypes
import threading
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..catalog import DocumentVectors
from ..runtime.batched_matvec import BatchedMatVec, PendingProduct
from .bm25 import top_positions

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from ..catalog import CorpusRow, Snapshot


#: Candidates in addition to the requested number of chunks.
_SPARE = 16
#: Upper bound of the difference between a batched and a single product of unit vectors.
_ROUNDING = 1e-5
#: Documents, and about how many of their vectors, that are read by one query.
_BATCH_DOCUMENTS, _BATCH_VECTORS = 500, 4096


@dataclass(frozen=True)
class LoadedVectors:
    """All vectors of one corpus revision; immutable, so that searches need no lock."""

    corpus_id: int
    seq: int
    documents: dict[int, DocumentVectors]
    #: int64 [chunks], ascending.
    keys: npt.NDArray[np.int64]
    #: Row of each chunk's first window.
    starts: npt.NDArray[np.int64]
    #: float32 [windows, dimension].
    matrix: npt.NDArray[np.float32]

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        return np.diff(self.starts, append=len(self.matrix))

    def rows_of(self, keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Rows of the windows of these chunks, ascending."""
        return np.flatnonzero(np.repeat(np.isin(self.keys, keys), self.sizes))

    def chunks_of_top(
        self, products: npt.NDArray[np.float32], limit: int, rows: npt.NDArray[np.int64] | None = None
    ) -> npt.NDArray[np.int64]:
        """Positions of the ``limit`` chunks with the highest windows, ascending, and of those within rounding error of
        them; fewer only if there are no more chunks. ``rows``: from ``rows_of``, only these windows."""
        if rows is not None:
            products = products[rows]
        windows = (limit + _SPARE) * -(-len(self.matrix) // len(self.keys))
        while True:
            best_rows = top_positions(products, windows)
            places = best_rows if rows is None else rows[best_rows]
            chunks = np.searchsorted(self.starts, places, side="right") - 1
            firsts = np.flatnonzero(np.diff(chunks, prepend=-1))
            if len(firsts) >= limit or windows >= len(products):
                break
            windows *= 2
        found: npt.NDArray[np.int64] = chunks[firsts]
        if len(found) > limit:
            best = np.maximum.reduceat(products[best_rows], firsts)
            bound = np.partition(best, len(best) - limit)[len(best) - limit]
            found = found[best >= bound - _ROUNDING]
        return found

    def similarities(
        self, question: npt.NDArray[np.float32], positions: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float32]:
        """``best_window_cosines`` of the chunks at these positions, float32 [positions]."""
        if not len(positions):
            return np.zeros(0, np.float32)
        sizes = self.sizes[positions]
        first = np.cumsum(sizes) - sizes
        rows = np.arange(sizes.sum()) + np.repeat(self.starts[positions] - first, sizes)
        return best_window_cosines(self.matrix[rows], sizes, question)


class ExactSearch:
    """Finds the chunks most similar to a question, each by its most similar window.

    Memory: four bytes a number, 61 MB for 20,000 chunks of two windows of 384 numbers. Documents that did not change
    are not read again.
    """

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._loaded: LoadedVectors | None = None
        self._lock = threading.Lock()
        self._products = BatchedMatVec()

    def submit(self, question: npt.NDArray[np.float32]) -> PendingProduct | None:
        """Submit the question's product for the next batch; ``None`` while no vectors are loaded."""
        loaded = self._loaded
        return None if loaded is None else self._products.submit(loaded.matrix, question)

    def search(
        self,
        loaded: LoadedVectors,
        question: npt.NDArray[np.float32],
        limit: int,
        rows: npt.NDArray[np.int64] | None = None,
        pending: PendingProduct | None = None,
    ) -> list[tuple[int, float]]:
        """``(chunk key, cosine)``, best first; only chunks with these ``rows``. ``pending``: from ``submit``."""
        if not len(loaded.keys) or (rows is not None and not len(rows)):
            return []
        if pending is None or pending.matrix is not loaded.matrix:
            pending = self._products.submit(loaded.matrix, question)
        products = self._products.product(pending)
        # The last bits of a product depend on the other questions of its batch; the results and their order must not.
        # So a few more chunks are selected, and their cosines are computed again without the batch.
        found = loaded.chunks_of_top(products, limit, rows)
        cosines = loaded.similarities(question, found)
        # Ties by key: the same question always gives the same order.
        best = np.lexsort((loaded.keys[found], -cosines))[:limit]
        return list(zip(loaded.keys[found[best]].tolist(), cosines[best].tolist(), strict=True))

    def cosines(
        self, corpus: CorpusRow, question: npt.NDArray[np.float32], keys: Sequence[int]
    ) -> dict[int, float] | None:
        """Cosines of these chunks by key; ``None`` unless the vectors of this revision are in memory."""
        loaded = self._loaded
        if loaded is None or (loaded.corpus_id, loaded.seq) != (corpus.id, corpus.seq):
            return None
        positions = np.searchsorted(loaded.keys, np.array(keys, np.int64))
        return dict(zip(keys, loaded.similarities(question, positions).tolist(), strict=True))

    def load(self, snapshot: Snapshot, corpus: CorpusRow) -> LoadedVectors:
        """All vectors of this revision; what did not change is not read again."""
        loaded = self._loaded
        if loaded is not None and (loaded.corpus_id, loaded.seq) == (corpus.id, corpus.seq):
            return loaded
        with self._lock:
            loaded = self._loaded
            if loaded is None or (loaded.corpus_id, loaded.seq) != (corpus.id, corpus.seq):
                loaded = self._loaded = self._load(snapshot, corpus, loaded)
            return loaded

    def unload(self) -> None:
        """Release the vectors: the catalog's own index has taken over."""
        self._loaded = None

    def _load(self, snapshot: Snapshot, corpus: CorpusRow, before: LoadedVectors | None) -> LoadedVectors:
        known = before.documents if before is not None and before.corpus_id == corpus.id else {}
        keys_now = sorted(row.key for row in snapshot.documents(corpus.id))
        if not keys_now:
            empty = np.zeros(0, np.int64)
            return LoadedVectors(corpus.id, corpus.seq, {}, empty, empty, np.zeros((0, self._dimension), np.float32))
        parts: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]] = []
        ends: list[int] = []
        matrix = np.empty((0, self._dimension), np.float32)
        while len(parts) < len(keys_now):
            # A batch of documents, sized by the mean length of those before. All at once would be in memory twice, the
            # second time in small blocks, which malloc does not return to the system.
            count = max(1, min(_BATCH_DOCUMENTS, len(parts) * _BATCH_VECTORS // max(1, len(matrix))))
            keys = keys_now[len(parts) : len(parts) + count]
            # A changed document gets a new key, so the vectors of a known key have not changed.
            fresh = snapshot.vectors.of_documents([key for key in keys if key not in known], self._dimension)
            read = [known.get(key) or fresh[key] for key in keys]
            filled = len(matrix)
            ends += (filled + np.cumsum([len(part.vectors) for part in read])).tolist()
            matrix.resize((ends[-1], self._dimension), refcheck=False)  # there are no views of it yet
            np.concatenate([part.vectors for part in read], out=matrix[filled:])
            parts += [(part.chunk_keys, part.windows) for part in read]
        if len(matrix) - sum(len(part.vectors) for part in known.values()) > _BATCH_VECTORS:
            _release_memory()
        windows = np.concatenate([windows for _, windows in parts])
        starts = np.concatenate([[0], np.cumsum(windows)[:-1]]).astype(np.int64)
        # Each document has a view of the one matrix, so that no vector is in memory twice.
        views = {
            key: DocumentVectors(*part, matrix[start:end])
            for key, part, start, end in zip(keys_now, parts, [0, *ends[:-1]], ends, strict=True)
        }
        return LoadedVectors(corpus.id, corpus.seq, views, np.concatenate([keys for keys, _ in parts]), starts, matrix)


def _release_memory() -> None:
    """Let glibc's malloc return freed small blocks to the system; other allocators have no such function."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def best_window_cosines(
    windows: npt.NDArray[np.float32], sizes: npt.NDArray[np.int64], question: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """The highest cosine among each chunk's windows, float32 [chunks], independent of the other chunks to the last bit.

    ``windows``: of all chunks, one after the other, ``sizes``: how many each chunk has, at least one.
    """
    products = np.einsum("ij,j->i", windows, question)
    best: npt.NDArray[np.float32] = np.maximum.reduceat(products, np.cumsum(sizes) - sizes)
    return best
