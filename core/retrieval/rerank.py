"""Reranking scores: how well the sentences of packed chunks match a question, by their terms alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..text.packed_terms import HEADER, numbers_behind
from ..text.stemming import stem_hash

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt


def rerank_scores(
    passages: Sequence[bytes], words: Sequence[str], idf: Mapping[str, float]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Two scores of each packed passage, both float64 [passages], 0 to 1: the share of the question's weight in ``idf``
    that its best sentence contains together with the headings; and the share of the question's adjacent word pairs that
    are adjacent in the passage too.
    """
    asked = np.array([stem_hash(word) for word in words], np.uint32)
    weights = np.array([idf.get(word, 0.0) for word in words])
    total = weights.sum()
    sentence, pairs = np.zeros(len(passages)), np.zeros(len(passages))
    if not passages or not total > 0:
        return sentence, pairs
    # All passages as one array, of which only the few positions matter that hold a word of the question.
    numbers = np.frombuffer(b"".join(passages), "<u4")
    lengths = np.array([len(data) // 4 for data in passages])
    ends = np.cumsum(lengths)
    begins = ends - lengths
    versions, headings, counts, sizes = numbers[begins + np.arange(HEADER)[:, None]].astype(np.int64)
    first = begins + HEADER + headings + counts
    last = ends - numbers_behind(versions, counts)
    equal = asked[:, None] == numbers
    word, position = np.divmod(np.flatnonzero(equal), len(numbers))
    passage = np.searchsorted(ends, position, side="right")
    headed = np.zeros((len(passages), len(asked)), bool)
    under = (position >= begins[passage] + HEADER) & (position < first[passage] - counts[passage])
    headed[passage[under], word[under]] = True

    owners = np.repeat(np.arange(len(passages)), counts)
    listed = np.cumsum(counts) - counts
    lengths = numbers[np.arange(len(owners)) + np.repeat(first - counts - listed, counts)].astype(np.int64)
    # A sentence of stop words alone has no stems and cannot be the best.
    owners, lengths = owners[lengths > 0], lengths[lengths > 0]
    if len(owners):
        within = np.cumsum(lengths) - lengths
        opens = np.flatnonzero(np.diff(owners, prepend=-1))
        starts = first[owners] + within - np.repeat(within[opens], np.diff(opens, append=len(owners)))
        held = headed[owners]
        number = np.maximum(np.searchsorted(starts, position, side="right") - 1, 0)
        inside = (position >= starts[number]) & (position < starts[number] + lengths[number])
        held[number[inside], word[inside]] = True
        sentence[owners[opens]] = np.maximum.reduceat(held @ weights, opens) / total
    if len(asked) > 1:
        # Only where both the question and the passage have a next word.
        in_text = (position >= first[passage] + sizes[passage]) & (sizes[passage] > 0)
        follow = in_text & (position + 1 < last[passage]) & (word + 1 < len(asked))
        passage, position, word = passage[follow], position[follow], word[follow]
        adjacent = np.zeros((len(passages), len(asked) - 1), bool)
        beside = equal[word + 1, position + 1]
        adjacent[passage[beside], word[beside]] = True
        pairs = adjacent.mean(axis=1)
    return sentence, pairs
