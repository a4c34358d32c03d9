"""Matrix-vector products of several threads, batched into one pass over the matrix."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakSet

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Matrix = npt.NDArray[np.float32]

#: Rows that all vectors are multiplied with before the next ones are read: 390 KB of 384 numbers stay in a processor's
#: cache. As one product of two matrices, BLAS copied them first: for two to four vectors that took twice as long.
_ROWS = 256


@dataclass(eq=False)
class PendingProduct:
    """A product that was asked for: until it is there, the event is not set."""

    matrix: Matrix
    vector: Matrix
    done: threading.Event = field(default_factory=threading.Event)
    product: Matrix | None = None


class BatchedMatVec:
    """Multiplies for all that have asked, whoever is the first to need it.

    A product with a vector takes as long as it takes to read the matrix: 55 MB for 20,000 chunks of a book, 4 ms. Eight
    threads that each read it keep the memory busy for 32 ms; all eight products in one pass take 6. So a thread asks as
    soon as it knows its vector, and needs the product when it has its turn at the processor.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        #: Weakly: whoever asks and comes to nothing is not multiplied for.
        self._waiting: WeakSet[PendingProduct] = WeakSet()

    def ask(self, matrix: Matrix, vector: Matrix) -> PendingProduct:
        """Have it worked out with whatever is needed next of the same matrix."""
        asked = PendingProduct(matrix, vector)
        with self._lock:
            self._waiting.add(asked)
        return asked

    def product(self, asked: PendingProduct) -> Matrix:
        """``matrix @ vector``, float32 [rows]; the last bits depend on who asks at the same time."""
        with self._lock:
            now = [each for each in self._waiting if each.matrix is asked.matrix] if asked in self._waiting else []
            self._waiting.difference_update(now)
        if now:
            self._work_out(now)
        asked.done.wait()
        # Without one the product of all failed, for want of memory: then this one alone.
        return asked.matrix @ asked.vector if asked.product is None else asked.product

    @staticmethod
    def _work_out(now: list[PendingProduct]) -> None:
        try:
            products = _products(now[0].matrix, np.stack([each.vector for each in now]))
            for each, product in zip(now, products, strict=True):
                each.product = product
        finally:
            for each in now:
                each.done.set()


def _products(matrix: Matrix, vectors: Matrix) -> Matrix:
    """``matrix @ vector`` of each, float32 [vectors, rows]."""
    if len(vectors) == 1:  # BLAS shares it out between the processors, if it may
        return np.asarray((matrix @ vectors[0])[None], np.float32)
    whole = len(matrix) // _ROWS * _ROWS
    blocks = matrix[:whole].reshape(-1, 1, _ROWS, matrix.shape[1])
    by_block = np.matmul(blocks, vectors[None, :, :, None])[..., 0]
    found = np.empty((len(vectors), len(matrix)), np.float32)
    found[:, :whole].reshape(len(vectors), -1, _ROWS)[...] = by_block.swapaxes(0, 1)
    np.matmul(vectors, matrix[whole:].T, out=found[:, whole:])
    return found
