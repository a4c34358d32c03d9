"""Top-k selection over arrays of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

#: Numbers in a block, of which only the highest is compared at first.
_BLOCK = 64


def top_positions(numbers: npt.NDArray[np.floating[Any]], limit: int) -> npt.NDArray[np.intp]:
    """Positions of at least the ``limit`` highest numbers, ascending. More are returned where excluding them would be
    slower: of long arrays, and of equal numbers."""
    if len(numbers) <= limit:
        return np.arange(len(numbers))
    blocks = len(numbers) // _BLOCK
    # At least ``limit`` blocks have a peak of at least the bound, so no number below it is among the highest.
    peaks = numbers if blocks < limit else numbers[: blocks * _BLOCK].reshape(-1, _BLOCK).max(axis=1)
    bound = np.partition(peaks, len(peaks) - limit)[len(peaks) - limit]
    return np.flatnonzero(numbers >= bound)


def top_sums(sums: npt.NDArray[np.floating[Any]], limit: int) -> list[tuple[int, float]]:
    """``(position, sum)`` of the ``limit`` highest sums above 0, best first, ties by position."""
    if limit <= 0:
        return []
    found = top_positions(sums, limit)
    found = found[sums[found] > 0]
    found = found[np.lexsort((found, -sums[found]))][:limit]
    return list(zip(found.tolist(), sums[found].tolist(), strict=True))
