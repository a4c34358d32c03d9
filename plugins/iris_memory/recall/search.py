"""Answers a query of the memory: the chunks that are returned, and why the other candidates are not."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from ragstone.core import BadRequest
from ragstone.core.retrieval import Retrieval, Scores, Timings
from ragstone.core.text import strip_hidden

from ..indexing.documents import is_old_mail
from ..indexing.memory import Memory
from ..settings import IrisMemorySettings
from .chunk import MemoryChunk, chunk_of
from .filters import MemoryFilters
from .postprocessors import superseded

#: Characters of a query that are read; an encoder's window is far shorter.
_LONGEST_QUERY = 4_000
_MOST_RESULTS = 100
#: Chunks that are retrieved beyond ``n_results``: some of them repeat each other, or are below ``min_relevance``.
_EXTRA = 15
_PLUGIN = "iris_memory"


@dataclass(frozen=True)
class MemoryQuery:
    """A query, checked. Raises ``BadRequest`` for values out of range."""

    text: str
    n_results: int = 5
    #: Cosine below which a chunk is left out.
    min_relevance: float = 0.3
    filters: MemoryFilters = field(default_factory=MemoryFilters)
    #: Also notes that a newer one supersedes.
    older: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.n_results <= _MOST_RESULTS:
            raise BadRequest(f"n_results must be from 1 to {_MOST_RESULTS}, not {self.n_results}")
        if not -1 <= self.min_relevance <= 1:
            raise BadRequest(f"min_relevance must be a cosine, from -1 to 1, not {self.min_relevance}")


@dataclass(frozen=True)
class Finding:
    """A candidate, and why it is left out if it is."""

    chunk: MemoryChunk
    #: By which the candidates are ordered: ``scores.final`` and the bonus of the date.
    score: float
    scores: Scores
    #: "" for a chunk that is returned.
    left_out: str = ""

    @property
    def recency(self) -> float:
        """The bonus of the date."""
        return self.score - self.scores.final


@dataclass(frozen=True)
class Recall:
    """The result of a query."""

    #: The query's text as it was encoded.
    text: str
    filters: MemoryFilters
    #: The candidates, best first.
    findings: tuple[Finding, ...] = ()
    #: Why there are none, or a warning; "" for nothing.
    remark: str = ""
    timings: Timings = field(default_factory=Timings)

    @property
    def chunks(self) -> list[MemoryChunk]:
        """The chunks that are returned."""
        return [finding.chunk for finding in self.findings if not finding.left_out]


def recall(memory: Memory, query: MemoryQuery) -> Recall:
    """Search the memory. Raises ``NotFound`` while nothing was ever indexed, ``EncoderError``, ``StorageError``."""
    text = strip_hidden(query.text[: 2 * _LONGEST_QUERY]).strip()[:_LONGEST_QUERY]
    filters = query.filters
    if not text:
        return Recall("", filters, remark="the query is empty")
    values = filters.values(memory.corpus)
    if not all(values.values()):
        return Recall(text, filters, remark=f"no mail is {filters}")
    retrieval = memory.host.pipeline.retrieve(
        memory.corpus, text, top_k=query.n_results + _EXTRA, filters=filters.metadata_filters(values)
    )
    findings = _findings(query, retrieval, memory.settings)
    stale = bool(findings) and retrieval.vector is None
    return Recall(
        text,
        filters,
        tuple(findings),
        "another encoder made the index: words alone were compared; ragstone memory update --full" if stale else "",
        retrieval.timings,
    )


def _findings(query: MemoryQuery, retrieval: Retrieval, settings: IrisMemorySettings) -> list[Finding]:
    cut_by = {each.node.node_id: plugin for each, plugin in retrieval.cut}
    found = [*retrieval.nodes, *(node for node, _plugin in retrieval.cut)]
    found.sort(key=lambda each: -(each.score or 0.0))
    nodes = {each.node.node_id: each.node for each in found}
    newer = superseded(list(nodes.values()), settings.same_share) if _PLUGIN in cut_by.values() else {}
    now, returned = time.time(), 0
    findings = []
    for chunk in found:
        node = chunk.node
        scores = retrieval.scores.get(node.node_id, Scores(None, 0.0, chunk.score or 0.0))
        reason = ""
        if is_old_mail(node.metadata, settings.mail_days, now):
            reason = f"a mail of more than {settings.mail_days} days"
        elif cut_by.get(node.node_id, _PLUGIN) != _PLUGIN:
            reason = f"taken away by the plugin {cut_by[node.node_id]}"
        elif node.node_id in cut_by and not query.older:
            reason = "superseded"
            if node.node_id in newer:
                other = chunk_of(nodes[newer[node.node_id]], 0.0)
                reason += f" by {other.path}:{other.lines[0]}" if other.lines else f" by {other.path}"
        elif scores.dense is not None and scores.dense < query.min_relevance:
            reason = f"relevance {scores.dense:.2f} is below {query.min_relevance:.2f}"
        elif returned >= query.n_results:
            reason = f"{query.n_results} are better"
        returned += not reason
        findings.append(Finding(chunk_of(node, scores.dense or 0.0), chunk.score or 0.0, scores, reason))
    return findings
