"""Reranking: how well the sentences of packed chunks hold a question, by their terms alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..text.packed_terms import HEADER, number_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt


def rerank_scores(
    passages: Sequence[bytes], words: Sequence[str], idf: Mapping[str, float]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Of each packed passage: how much of the question its best sentence holds under its headings, weighted by
    ``idf``; and which share of the words that stand side by side in the question do so in it.

    Both float64 [passages], 0 to 1.
    """
    asked = np.array([number_of(word) for word in words], np.uint32)
    weights = np.array([idf.get(word, 0.0) for word in words])
    total = weights.sum()
    sentence, pairs = np.zeros(len(passages)), np.zeros(len(passages))
    if not passages or not total > 0:
        return sentence, pairs
    # All passages as one array, in which the few places count where a word of the question stands.
    numbers = np.frombuffer(b"".join(passages), "<u4")
    lengths = np.array([len(data) // 4 for data in passages])
    ends = np.cumsum(lengths)
    begins = ends - lengths
    above, counts, sizes = numbers[begins + np.arange(1, HEADER)[:, None]].astype(np.int64)
    first = begins + HEADER + above + counts
    equal = asked[:, None] == numbers
    word, places = np.divmod(np.flatnonzero(equal), len(numbers))
    of = np.searchsorted(ends, places, side="right")
    headed = np.zeros((len(passages), len(asked)), bool)
    under = (places >= begins[of] + HEADER) & (places < first[of] - counts[of])
    headed[of[under], word[under]] = True

    owners = np.repeat(np.arange(len(passages)), counts)
    listed = np.cumsum(counts) - counts
    lengths = numbers[np.arange(len(owners)) + np.repeat(first - counts - listed, counts)].astype(np.int64)
    # A sentence of stop words alone has no stems, and nothing to add to the best.
    owners, lengths = owners[lengths > 0], lengths[lengths > 0]
    if len(owners):
        within = np.cumsum(lengths) - lengths
        opens = np.flatnonzero(np.diff(owners, prepend=-1))
        starts = first[owners] + within - np.repeat(within[opens], np.diff(opens, append=len(owners)))
        held = headed[owners]
        number = np.maximum(np.searchsorted(starts, places, side="right") - 1, 0)
        inside = (places >= starts[number]) & (places < starts[number] + lengths[number])
        held[number[inside], word[inside]] = True
        sentence[owners[opens]] = np.maximum.reduceat(held @ weights, opens) / total
    if len(asked) > 1:
        # Only where a further word of the question and a further word of the passage follow.
        follow = (places >= first[of] + sizes[of]) & (places + 1 < ends[of]) & (word + 1 < len(asked)) & (sizes[of] > 0)
        of, places, word = of[follow], places[follow], word[follow]
        together = np.zeros((len(passages), len(asked) - 1), bool)
        beside = equal[word + 1, places + 1]
        together[of[beside], word[beside]] = True
        pairs = together.mean(axis=1)
    return sentence, pairs
