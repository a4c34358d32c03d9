"""The memory's retriever: the host's hybrid search, with a bonus for the date of logs and mails."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from llama_index.core.schema import NodeWithScore
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

from ragstone.core import Corpus
from ragstone.core.retrieval import HybridRetriever, Retrieval, ScoredRetriever, defining_texts

from . import fields
from .settings import IrisMemorySettings

#: Further chunks that the bonus may move into the first ``top_k``.
_EXTRA = 10
#: Notes, prompts and procedures do not age, as they are valid until they are changed; those of a day do.
_AGEING_TYPES = frozenset({"log", "email", "transcript"})
_DAY = 86_400.0


def date_bonus(known: Mapping[str, Any], options: IrisMemorySettings, now: float) -> float:
    """What the date of a chunk with this metadata adds to its score (0 to 1.8); ``now``: seconds since 1970."""
    date = _date_of(known, now)
    if date is None:
        return 0.0
    age = (now - date) / _DAY
    return float(options.date_weight * 0.5 ** (age / options.half_life_days))


def _date_of(known: Mapping[str, Any], now: float) -> float | None:
    """When a text that ages was written; ``None`` for others. A date in the future counts as now: it is untrusted, a
    mail may have any."""
    date = fields.number(known, fields.DATE)
    ages = known.get(fields.DOC_TYPE) in _AGEING_TYPES or bool(known.get(fields.DAY))
    return min(now, date) if date is not None and ages else None


class MemoryRetriever(ScoredRetriever):
    """Given by ``ragstone_retriever`` for the memory's corpus. Safe to use from several threads.

    It finds no facts that do not hold: now, or at the moment in seconds since 1970 that the filter ``as_of`` names.
    """

    def __init__(
        self, corpus: Corpus, *, top_k: int, filters: MetadataFilters | None, options: IrisMemorySettings
    ) -> None:
        super().__init__()
        self._top_k = top_k
        self._options = options
        found = top_k + _EXTRA if options.date_weight else top_k
        self._search = HybridRetriever(corpus, top_k=found, filters=valid_only(corpus, filters))

    def search(self, question: str) -> Retrieval:
        """The chunks with their scores; each node's score has the bonus of its date, its ``Scores`` do not."""
        found, now = self._search.search(question), time.time()
        scored = [
            NodeWithScore(node=each.node, score=(each.score or 0.0) + date_bonus(each.metadata, self._options, now))
            for each in found.nodes
        ]
        scored.sort(key=lambda each: -(each.score or 0.0))  # stable: equal ones keep their order
        # A later date moves no chunk away that says who or what is asked for.
        defining = {*defining_texts(question, [each.node.get_content() for each in scored])} - {*range(self._top_k)}
        needed = [scored[number] for number in sorted(defining)]
        nodes = (*scored[: self._top_k - len(needed)], *needed)[-self._top_k :]
        dates = {each.node.node_id: _date_of(each.metadata, now) for each in nodes}
        scores = {key: replace(each, date=dates.get(key)) for key, each in found.scores.items()}
        return replace(found, nodes=nodes, scores=scores)


def valid_only(corpus: Corpus, filters: MetadataFilters | None) -> MetadataFilters | None:
    """The filters, ``as_of`` replaced by the files whose facts hold then."""
    parts = list(filters.filters) if filters is not None else []
    moments = [
        float(str(part.value)) for part in parts if isinstance(part, MetadataFilter) and part.key == fields.AS_OF
    ]
    kept = [part for part in parts if not (isinstance(part, MetadataFilter) and part.key == fields.AS_OF)]
    if paths := _not_valid(corpus, moments[0] if moments else time.time()):
        kept.append(MetadataFilter(key=fields.PATH, value=list(paths), operator=FilterOperator.NIN))
    return MetadataFilters(filters=kept) if kept else None


def _not_valid(corpus: Corpus, moment: float) -> list[str]:
    """Paths of the files whose facts do not hold at that moment, seconds since 1970."""
    keys = (fields.VALID_FROM, fields.VALID_UNTIL)
    stated = corpus.contents.document_facets(*keys)
    if all(values == (None, None) for values, _ in stated):
        return []
    files = corpus.contents.document_facets(fields.PATH, *keys)
    return sorted(
        path
        for (path, begin, end), _ in files
        if (begin is not None and moment < begin) or (end is not None and moment > end)
    )
