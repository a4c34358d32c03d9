"""All vectors as one matrix; a search is one product of it with the question."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryResult,
)
from pydantic import PrivateAttr

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    from llama_index.core.schema import BaseNode

    Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True)
class _Rows:
    """What is held; never altered, only replaced, so that a search needs no lock."""

    ids: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    metadata: tuple[dict[str, Any], ...] = ()
    #: float32 [rows, dimension], each of unit length.
    matrix: Matrix = field(default_factory=lambda: np.zeros((0, 0), np.float32))

    def where(self, kept: Sequence[int]) -> _Rows:
        """These rows alone."""
        return _Rows(
            tuple(self.ids[row] for row in kept),
            tuple(self.documents[row] for row in kept),
            tuple(self.metadata[row] for row in kept),
            self.matrix[list(kept)],
        )


class NumpyStore(BasePydanticVectorStore):
    """Nearest by cosine. It keeps ids, vectors and what can be filtered by; the texts stay in the catalog."""

    stores_text: bool = False
    is_embedding_query: bool = True
    _rows: _Rows = PrivateAttr(default_factory=_Rows)
    _lock: Any = PrivateAttr(default_factory=threading.Lock)

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex serialises it."""
        return "NumpyStore"

    @property
    def client(self) -> None:
        """There is no other program behind it."""
        return

    def add(self, nodes: Sequence[BaseNode], **_: Any) -> list[str]:
        """Hold the nodes' vectors; one that is known by its id is replaced."""
        if not nodes:
            return []
        fresh = _Rows(
            tuple(node.node_id for node in nodes),
            tuple(node.ref_doc_id or node.node_id for node in nodes),
            tuple(dict(node.metadata) for node in nodes),
            _unit(np.array([node.get_embedding() for node in nodes], np.float32)),
        )
        names = set(fresh.ids)
        with self._lock:
            old = self._rows.where([row for row, name in enumerate(self._rows.ids) if name not in names])
            matrix = np.vstack([old.matrix, fresh.matrix]) if len(old.ids) else fresh.matrix
            self._rows = _Rows(
                old.ids + fresh.ids, old.documents + fresh.documents, old.metadata + fresh.metadata, matrix
            )
        return list(fresh.ids)

    def delete(self, ref_doc_id: str, **_: Any) -> None:
        """Forget all of a document; one that is not known is none."""
        with self._lock:
            kept = [row for row, document in enumerate(self._rows.documents) if document != ref_doc_id]
            if len(kept) < len(self._rows.ids):
                self._rows = self._rows.where(kept)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._rows = _Rows()

    def query(self, query: VectorStoreQuery, **_: Any) -> VectorStoreQueryResult:
        """Ids, nearest first, and their cosines; no ids at all (``None``) for filters that this does not know."""
        rows = self._rows
        passing = np.arange(len(rows.ids))
        if query.filters is not None:
            known = _passing(rows, query.filters)
            if known is None:
                return VectorStoreQueryResult()
            passing = known
        if not len(passing) or query.query_embedding is None or query.similarity_top_k < 1:
            return VectorStoreQueryResult(ids=[], similarities=[])
        question = _unit(np.array([query.query_embedding], np.float32))[0]
        cosines = (rows.matrix @ question)[passing]
        best = np.argsort(-cosines, kind="stable")[: query.similarity_top_k]
        return VectorStoreQueryResult(
            ids=[rows.ids[row] for row in passing[best]], similarities=[float(cosine) for cosine in cosines[best]]
        )


def _unit(matrix: Matrix) -> Matrix:
    """The rows at unit length; what is no direction is none, and near to nothing."""
    clean = np.nan_to_num(matrix, nan=0.0, posinf=0.0, neginf=0.0)
    lengths = np.linalg.norm(clean, axis=1, keepdims=True)
    unit: Matrix = np.divide(clean, lengths, out=np.zeros_like(clean), where=lengths > 0)
    return unit


def _passing(rows: _Rows, filters: MetadataFilters) -> npt.NDArray[np.intp] | None:
    """The rows whose metadata are so; ``None`` for conditions other than "is" and "is one of"."""
    masks = []
    for part in filters.filters:
        if not isinstance(part, MetadataFilter) or part.operator not in (FilterOperator.EQ, FilterOperator.IN):
            return None
        wanted = part.value if part.operator == FilterOperator.IN else [part.value]
        if not isinstance(wanted, list):
            return None
        masks.append(np.array([known.get(part.key) in wanted for known in rows.metadata], bool))
    if filters.condition not in (FilterCondition.AND, FilterCondition.OR) or not masks:
        return None
    joined = np.all(masks, axis=0) if filters.condition == FilterCondition.AND else np.any(masks, axis=0)
    return np.flatnonzero(joined)
