"""Top-k selection over arrays of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

#: Numbers of which only the highest is looked at first.
_BLOCK = 64


def top_places(numbers: npt.NDArray[np.floating[Any]], limit: int) -> npt.NDArray[np.intp]:
    """Places of at least the ``limit`` highest, as far as there are so many, ascending. More are given where that is
    quicker than to leave them out: of long arrays, and of equal numbers."""
    if len(numbers) <= limit:
        return np.arange(len(numbers))
    blocks = len(numbers) // _BLOCK
    # So many blocks have a peak as high as the bound, so that nothing below it can be among the highest.
    peaks = numbers if blocks < limit else numbers[: blocks * _BLOCK].reshape(-1, _BLOCK).max(axis=1)
    bound = np.partition(peaks, len(peaks) - limit)[len(peaks) - limit]
    return np.flatnonzero(numbers >= bound)


def best_of_sums(sums: npt.NDArray[np.floating[Any]], limit: int) -> list[tuple[int, float]]:
    """Places of the ``limit`` highest sums above 0, and these, best first; equal ones in their order."""
    if limit <= 0:
        return []
    found = top_places(sums, limit)
    found = found[sums[found] > 0]
    found = found[np.lexsort((found, -sums[found]))][:limit]
    return list(zip(found.tolist(), sums[found].tolist(), strict=True))
