"""BM25 search over a corpus: sums of the words' cached scores, and the highest of an array of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from ..catalog import WordScores


#: Numbers in a block, of which only the highest is compared at first.
_BLOCK = 64


def top_chunks(
    scores: Sequence[WordScores], limit: int, keys: npt.NDArray[np.int64] | None = None
) -> list[tuple[int, float]]:
    """``(chunk key, sum of scores)`` of the ``limit`` highest sums, best first, ties by key. ``keys``: only these."""
    held = [each for each in scores if len(each.keys)]
    if not held:
        return []
    # Keys of one corpus are dense: an array over their range is the quickest way to add the scores up.
    low = min(int(each.keys[0]) for each in held)
    high = max(int(each.keys[-1]) for each in held)
    sums = np.zeros(high - low + 1, held[0].scores.dtype)
    for each in held:
        sums[each.keys - low] += each.scores
    if keys is not None:
        wanted = keys[(keys >= low) & (keys <= high)] - low
        unfiltered, sums = sums, np.zeros_like(sums)
        sums[wanted] = unfiltered[wanted]
    return [(position + low, score) for position, score in top_sums(sums, limit)]


def have_common(one: npt.NDArray[np.integer[Any]], other: npt.NDArray[np.integer[Any]]) -> bool:
    """Whether two ascending arrays have an element in common."""
    fewer, more = sorted((one, other), key=len)
    if not len(fewer):
        return False
    places = np.searchsorted(more, fewer).clip(max=len(more) - 1)
    return bool((more[places] == fewer).any())


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
