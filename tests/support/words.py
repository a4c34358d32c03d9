"""Search by words alone, straight from the catalog."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ragstone.core.catalog import Snapshot
from ragstone.core.retrieval.bm25 import top_chunks


def by_words(
    snapshot: Snapshot,
    corpus_id: int,
    words: Sequence[str],
    limit: int,
    keys: npt.NDArray[np.int64] | None = None,
) -> list[tuple[int, float]]:
    """``(chunk key, BM25)`` of chunks that hold at least one of the stems, best first."""
    return top_chunks(list(snapshot.word_scores(corpus_id, words).values()), limit, keys)
