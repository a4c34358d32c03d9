"""A query of the memory: what is near to it, what of that is given, and why the rest is not."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from ragstone.core.text import strip_hidden

from ..indexing import fields
from .chunk import MemoryChunk
from .mail_age import is_old_mail
from .postprocessors import superseded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from llama_index.core.schema import BaseNode, NodeWithScore

    from ragstone.core.retrieval import Retrieval

    from ..indexing.memory import Memory
    from .filters import Narrowing

#: Characters of a query that are read; an encoder's window is far shorter.
LONGEST_QUERY = 4_000
#: Passages that are weighed beside those that are wanted: some of them repeat each other, or are too far away.
_MORE = 15
#: The reason of notes that a newer one repeats.
SUPERSEDED = "superseded"
_PLUGIN = "iris_memory"


@dataclass(frozen=True)
class Finding:
    """A passage that was looked at, and what became of it."""

    chunk: MemoryChunk
    #: By which the passages are ordered: fused + second look + date.
    score: float
    #: Cosine, and its place among all passages; ``None`` where the other side found it.
    dense: float | None
    dense_rank: int | None
    #: BM25, and its place.
    lexical: float
    lexical_rank: int | None
    #: Both fused, 0 to 1; what the second look added; what the date added.
    fused: float
    second_look: float
    recency: float
    #: Why it is not given; "" for one that is. By what it is ``SUPERSEDED``, ``Recall.newer`` tells.
    left_out: str = ""


@dataclass(frozen=True)
class Recall:
    """What a query found, best first, what was left out among it."""

    query: str
    narrowing: Narrowing
    findings: tuple[Finding, ...] = ()
    #: Why nothing was looked at, or what those who ask should know; "" for nothing.
    remark: str = ""
    encode_ms: float = 0.0
    retrieve_ms: float = 0.0
    #: Where what supersedes stands, by the id of what is superseded. To compare them takes time, and only the inspector
    #: asks.
    newer: Callable[[], Mapping[str, str]] = dict

    @property
    def chunks(self) -> list[MemoryChunk]:
        """What is given."""
        return [finding.chunk for finding in self.findings if not finding.left_out]


def recall(
    memory: Memory,
    query: str,
    *,
    n_results: int,
    min_relevance: float,
    narrowing: Narrowing,
    older: bool = False,
) -> Recall:
    """Ask the memory. ``older``: also notes that a newer one supersedes.

    Raises ``NotFound`` while nothing was ever indexed, ``EncoderError``, ``StorageError``.
    """
    text = clean(query)
    if not text:
        return Recall("", narrowing, remark="the query is empty")
    filters = narrowing.filters(memory.corpus)
    if filters is not None and any(getattr(each, "value", None) == [] for each in filters.filters):
        return Recall(text, narrowing, remark=f"no mail is {narrowing}")
    retrieval = memory.host.pipeline.retrieve(memory.corpus, text, top_k=n_results + _MORE, filters=filters)
    findings, given = [], 0
    cut = {each.node.node_id: plugin for each, plugin in retrieval.cut}
    now, days = time.time(), memory.settings.mail_days
    for passage in _all_of(retrieval):
        why = ""
        known, scores = passage.node.metadata, retrieval.scores.get(passage.node.node_id)
        dense = None if scores is None else scores.dense
        cut_by = cut.get(passage.node.node_id, _PLUGIN)
        if is_old_mail(known, days, now):
            why = f"a mail of more than {days} days"
        elif cut_by != _PLUGIN:
            why = f"taken away by the plugin {cut_by}"
        elif passage.node.node_id in cut and not older:
            why = SUPERSEDED
        elif dense is not None and dense < min_relevance:
            why = f"relevance {dense:.2f} is below {min_relevance:.2f}"
        elif given >= n_results:
            why = f"{n_results} are better"
        given += not why
        findings.append(_finding(passage, retrieval, why))
    stale = bool(findings) and retrieval.vector is None
    return Recall(
        text,
        narrowing,
        tuple(findings),
        "another encoder made the index: words alone were compared; ragstone memory update --full" if stale else "",
        retrieval.encode_ms,
        retrieval.retrieve_ms,
        partial(_superseded, retrieval, memory.settings.same_share),
    )


def clean(query: str) -> str:
    """The query as it can be encoded: without what nobody sees, at most as long as is read."""
    return strip_hidden(query[: 2 * LONGEST_QUERY]).strip()[:LONGEST_QUERY]


def _all_of(retrieval: Retrieval) -> list[NodeWithScore]:
    """Passages kept and cut, best first."""
    return sorted([*retrieval.nodes, *(node for node, _plugin in retrieval.cut)], key=lambda each: -(each.score or 0.0))


def _superseded(retrieval: Retrieval, share: float) -> Mapping[str, str]:
    """Where what supersedes stands, by the id of what is superseded."""
    nodes = {each.node.node_id: each.node for each in _all_of(retrieval)}
    return {older: _place(nodes[newer]) for older, newer in superseded(list(nodes.values()), share).items()}


def _place(node: BaseNode) -> str:
    first, path = node.metadata.get(fields.LINE_FIRST), node.metadata.get(fields.PATH)
    return f"{path}:{first}" if first else str(path)


def _finding(passage: NodeWithScore, retrieval: Retrieval, why: str) -> Finding:
    scores = retrieval.scores.get(passage.node.node_id)
    score = passage.score or 0.0
    if scores is None:
        return Finding(chunk_of(passage.node, 0.0), score, None, None, 0.0, None, 0.0, 0.0, 0.0, why)
    return Finding(
        chunk_of(passage.node, scores.dense or 0.0),
        score,
        scores.dense,
        scores.dense_rank,
        scores.lexical,
        scores.lexical_rank,
        scores.fused,
        scores.added,
        score - scores.final,
        why,
    )


def chunk_of(node: BaseNode, relevance: float) -> MemoryChunk:
    """A stored chunk as it is given out."""
    known = node.metadata
    first, last = _number(known, fields.LINE_FIRST), _number(known, fields.LINE_LAST)
    return MemoryChunk(
        text=node.get_content(),
        path=str(known.get(fields.PATH) or ""),
        section=str(known.get(fields.SECTION) or ""),
        doc_type=str(known.get(fields.DOC_TYPE) or ""),
        relevance=relevance,
        lines=None if first is None or last is None else (int(first), int(last)),
        chunk_id=node.node_id,
        date=_date(_number(known, fields.DATE)),
        sender=str(known.get(fields.FROM) or ""),
        recipients=", ".join(str(known[key]) for key in (fields.TO, fields.CC) if known.get(key)),
    )


def _number(known: Mapping[str, Any], key: str) -> float | None:
    value = known.get(key)
    return float(value) if isinstance(value, int | float) else None


def _date(moment: float | None) -> datetime | None:
    try:
        return None if moment is None else datetime.fromtimestamp(moment, UTC)
    except (OverflowError, OSError, ValueError):  # anybody may write any date into a mail
        return None
