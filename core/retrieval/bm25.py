"""BM25 search over a corpus: sums of the words' cached scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .top_k import top_sums

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from ..catalog import WordScores


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
