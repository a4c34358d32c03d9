"""The memory's own retriever: the host's hybrid search, and the date as a light reason to prefer."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from llama_index.core.schema import NodeWithScore

from ragstone.core.retrieval import HybridRetriever, ScoredRetriever

from .indexing import fields

if TYPE_CHECKING:
    from collections.abc import Callable

    from llama_index.core.vector_stores.types import MetadataFilters

    from ragstone.core import Corpus
    from ragstone.core.retrieval import Retrieval

    from .recall.recency import Recency

#: Passages that the date may bring up from further below.
_FROM_BELOW = 10


class MemoryRetriever(ScoredRetriever):
    """Given by ``ragstone_retriever`` for the memory's corpus. Safe to use from several threads."""

    def __init__(
        self,
        corpus: Corpus,
        *,
        top_k: int,
        filters: MetadataFilters | None,
        recency: Recency,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__()
        self._top_k = top_k
        self._recency = recency
        self._clock = clock
        wanted = top_k + _FROM_BELOW if recency.weight else top_k
        self._search = HybridRetriever(corpus, top_k=wanted, filters=filters)

    def search(self, question: str) -> Retrieval:
        """The passages with their scores; each node's score holds what its date adds, its ``Scores`` do not."""
        found = self._search.search(question)
        now = self._clock()
        weighed = [
            NodeWithScore(node=each.node, score=(each.score or 0.0) + self._bonus(each, now)) for each in found.nodes
        ]
        weighed.sort(key=lambda each: -(each.score or 0.0))  # stable: equal ones stay as they were ranked
        return replace(found, nodes=tuple(weighed[: self._top_k]))

    def _bonus(self, passage: NodeWithScore, now: float) -> float:
        known: dict[str, Any] = passage.node.metadata
        return self._recency.bonus(str(known.get(fields.DOC_TYPE)), known.get(fields.DATE), now)
