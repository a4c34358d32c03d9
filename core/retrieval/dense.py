"""Exact nearest-neighbour search over a corpus's vectors in memory, for each revision of the catalog."""

from __future__ import annotations

import ctypes
import threading
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..catalog import DocumentVectors
from ..runtime.batched_matvec import BatchedMatVec
from .top_k import top_places

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from ..catalog import CorpusRow, Snapshot
    from ..runtime.batched_matvec import PendingProduct


#: Chunks that are looked at besides those that are asked for.
_SPARE = 16
#: More than products of unit vectors differ by when others are multiplied along.
_ROUNDING = 1e-5
#: Documents that are read at once, and about how many vectors of theirs.
_MOST_DOCUMENTS, _VECTORS_AT_ONCE = 500, 4096


@dataclass(frozen=True)
class _Loaded:
    """All vectors of a corpus at one change number; never altered, so searches need no lock."""

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
        """How many windows each chunk has."""
        return np.diff(self.starts, append=len(self.matrix))

    def chunks_of_top(self, products: npt.NDArray[np.float32], limit: int) -> npt.NDArray[np.int64]:
        """The places of the ``limit`` chunks that have the highest windows, ascending, and of those that rounding may
        have put behind them; fewer only where there are no more."""
        windows = (limit + _SPARE) * -(-len(self.matrix) // len(self.keys))
        while True:
            rows = top_places(products, windows)
            of = np.searchsorted(self.starts, rows, side="right") - 1
            firsts = np.flatnonzero(np.diff(of, prepend=-1))
            if len(firsts) >= limit or windows >= len(products):
                break
            windows *= 2
        found: npt.NDArray[np.int64] = of[firsts]
        if len(found) > limit:
            best = np.maximum.reduceat(products[rows], firsts)
            bound = np.partition(best, len(best) - limit)[len(best) - limit]
            found = found[best >= bound - _ROUNDING]
        return found

    def similarities(self, question: npt.NDArray[np.float32], places: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """The cosine of each of these chunks' nearest window, float32 [places]: the same whatever stands beside it."""
        if not len(places):
            return np.zeros(0, np.float32)
        sizes = self.sizes[places]
        first = np.cumsum(sizes) - sizes
        rows = np.arange(sizes.sum()) + np.repeat(self.starts[places] - first, sizes)
        return nearest_windows(self.matrix[rows], sizes, question)


class ExactSearch:
    """The nearest chunks to a question, by the nearest of each chunk's windows.

    Holds four bytes a number: 20,000 chunks of two windows of 384 numbers take 61 MB. Documents that did not change
    are not read again.
    """

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._loaded: _Loaded | None = None
        self._lock = threading.Lock()
        self._products = BatchedMatVec()

    def ahead(self, question: npt.NDArray[np.float32]) -> PendingProduct | None:
        """Let the question be multiplied along with others' until it is searched for, unless nothing is loaded yet."""
        loaded = self._loaded
        return None if loaded is None else self._products.ask(loaded.matrix, question)

    def search(
        self,
        snapshot: Snapshot,
        corpus: CorpusRow,
        question: npt.NDArray[np.float32],
        limit: int,
        keys: npt.NDArray[np.int64] | None = None,
        ahead: PendingProduct | None = None,
    ) -> list[tuple[int, float]]:
        """``(chunk key, cosine)``, best first; with ``keys`` only those chunks. ``ahead``: what ``ahead`` gave."""
        loaded = self._refreshed(snapshot, corpus)
        if not len(loaded.keys):
            return []
        if ahead is None or ahead.matrix is not loaded.matrix:
            ahead = self._products.ask(loaded.matrix, question)
        products = self._products.product(ahead)
        if keys is not None:
            inside = np.isin(loaded.keys, keys)
            products = np.where(np.repeat(inside, loaded.sizes), products, -np.inf)
        # Products differ in their last bits with the questions that were multiplied along; which passages are taken and
        # in which order must not. So a few more are taken, and their cosines are worked out alone.
        found = loaded.chunks_of_top(products, limit)
        if keys is not None:
            found = found[inside[found]]
        alone = loaded.similarities(question, found)
        # Equal cosines in the order of their keys: the same question always gives the same order.
        best = np.lexsort((loaded.keys[found], -alone))[:limit]
        return list(zip(loaded.keys[found[best]].tolist(), alone[best].tolist(), strict=True))

    def cosines(
        self, corpus: CorpusRow, question: npt.NDArray[np.float32], keys: Sequence[int]
    ) -> dict[int, float] | None:
        """Cosines of these chunks by key; ``None`` unless the vectors of this moment are in memory."""
        loaded = self._loaded
        if loaded is None or (loaded.corpus_id, loaded.seq) != (corpus.id, corpus.seq):
            return None
        places = np.searchsorted(loaded.keys, np.array(keys, np.int64))
        return dict(zip(keys, loaded.similarities(question, places).tolist(), strict=True))

    def _refreshed(self, snapshot: Snapshot, corpus: CorpusRow) -> _Loaded:
        loaded = self._loaded
        if loaded is not None and (loaded.corpus_id, loaded.seq) == (corpus.id, corpus.seq):
            return loaded
        with self._lock:
            loaded = self._loaded
            if loaded is None or (loaded.corpus_id, loaded.seq) != (corpus.id, corpus.seq):
                loaded = self._loaded = self._load(snapshot, corpus, loaded)
            return loaded

    def _load(self, snapshot: Snapshot, corpus: CorpusRow, before: _Loaded | None) -> _Loaded:
        known = before.documents if before is not None and before.corpus_id == corpus.id else {}
        keys_now = sorted(row.key for row in snapshot.documents(corpus.id))
        if not keys_now:
            empty = np.zeros(0, np.int64)
            return _Loaded(corpus.id, corpus.seq, {}, empty, empty, np.zeros((0, self._dimension), np.float32))
        parts: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]] = []
        ends: list[int] = []
        matrix = np.empty((0, self._dimension), np.float32)
        while len(parts) < len(keys_now):
            # Some documents at once, as long as those before. All of them would lie in memory twice, the second time in
            # small blocks, which malloc does not give back to the system.
            some = max(1, min(_MOST_DOCUMENTS, len(parts) * _VECTORS_AT_ONCE // max(1, len(matrix))))
            keys = keys_now[len(parts) : len(parts) + some]
            # A changed document has a new key, so a known key's vectors are as they were.
            fresh = snapshot.vectors([key for key in keys if key not in known], self._dimension)
            read = [known.get(key) or fresh[key] for key in keys]
            filled = len(matrix)
            ends += (filled + np.cumsum([len(part.vectors) for part in read])).tolist()
            matrix.resize((ends[-1], self._dimension), refcheck=False)  # nothing refers to it yet
            np.concatenate([part.vectors for part in read], out=matrix[filled:])
            parts += [(part.chunk_keys, part.windows) for part in read]
        if len(matrix) - sum(len(part.vectors) for part in known.values()) > _VECTORS_AT_ONCE:
            _give_memory_back()
        windows = np.concatenate([windows for _, windows in parts])
        starts = np.concatenate([[0], np.cumsum(windows)[:-1]]).astype(np.int64)
        # Each document keeps a view of the one matrix, so that no vector is held twice.
        views = {
            key: DocumentVectors(*part, matrix[start:end])
            for key, part, start, end in zip(keys_now, parts, [0, *ends[:-1]], ends, strict=True)
        }
        return _Loaded(corpus.id, corpus.seq, views, np.concatenate([keys for keys, _ in parts]), starts, matrix)


def _give_memory_back() -> None:
    """Let malloc return freed memory to the system, where it is glibc's: it keeps small blocks for later."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def nearest_windows(
    windows: npt.NDArray[np.float32], sizes: npt.NDArray[np.int64], question: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """The cosine of each chunk's nearest window, float32 [chunks]: the same numbers whatever stands beside.

    ``windows``: of all chunks, one after the other, ``sizes``: how many each has, at least one of them.
    """
    products = np.einsum("ij,j->i", windows, question)
    best: npt.NDArray[np.float32] = np.maximum.reduceat(products, np.cumsum(sizes) - sizes)
    return best
