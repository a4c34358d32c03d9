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

#: Rows that are multiplied with all vectors before the next rows are read: 390 KB (of 384 numbers) fit into a
#: processor's cache. As one product of two matrices BLAS would copy them first, which takes twice as long for two to
#: four vectors.
_ROWS = 256


@dataclass(eq=False)
class PendingProduct:
    """A product that was submitted. The event ``done`` is set when it is computed."""

    matrix: Matrix
    vector: Matrix
    done: threading.Event = field(default_factory=threading.Event)
    product: Matrix | None = None


class BatchedMatVec:
    """Computes all submitted products of a matrix together, in the first thread that needs one of them.

    A product takes as long as reading the matrix: 4 ms for the 55 MB of a book's 20,000 chunks. Eight threads that read
    it one by one take 32 ms; eight products in one pass take 6. So a thread submits its vector as soon as it is known,
    and fetches the product when it has a processor.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        #: Weak references: an abandoned product is not computed.
        self._waiting: WeakSet[PendingProduct] = WeakSet()

    def submit(self, matrix: Matrix, vector: Matrix) -> PendingProduct:
        """Add a product to the next batch of the same matrix."""
        pending = PendingProduct(matrix, vector)
        with self._lock:
            self._waiting.add(pending)
        return pending

    def product(self, pending: PendingProduct) -> Matrix:
        """``matrix @ vector``, float32 [rows]; the last bits depend on the other vectors of the batch."""
        with self._lock:
            is_waiting = pending in self._waiting
            batch = [each for each in self._waiting if each.matrix is pending.matrix] if is_waiting else []
            self._waiting.difference_update(batch)
        if batch:
            self._compute(batch)
        pending.done.wait()
        # The batch failed for want of memory: compute this product alone.
        return pending.matrix @ pending.vector if pending.product is None else pending.product

    @staticmethod
    def _compute(batch: list[PendingProduct]) -> None:
        try:
            products = _products(batch[0].matrix, np.stack([each.vector for each in batch]))
            for each, product in zip(batch, products, strict=True):
                each.product = product
        finally:
            for each in batch:
                each.done.set()


def _products(matrix: Matrix, vectors: Matrix) -> Matrix:
    """``matrix @ vector`` of each, float32 [vectors, rows]."""
    if len(vectors) == 1:  # BLAS may use several processors
        return np.asarray((matrix @ vectors[0])[None], np.float32)
    whole = len(matrix) // _ROWS * _ROWS
    blocks = matrix[:whole].reshape(-1, 1, _ROWS, matrix.shape[1])
    by_block = np.matmul(blocks, vectors[None, :, :, None])[..., 0]
    found = np.empty((len(vectors), len(matrix)), np.float32)
    found[:, :whole].reshape(len(vectors), -1, _ROWS)[...] = by_block.swapaxes(0, 1)
    np.matmul(vectors, matrix[whole:].T, out=found[:, whole:])
    return found
