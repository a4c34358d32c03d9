"""A collection of Chroma as LlamaIndex's store that holds and returns no nodes, only their ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryResult,
)
from llama_index.vector_stores.chroma import ChromaVectorStore
from pydantic import PrivateAttr

#: Chroma overwrites its HNSW files in place without sync: a kill meanwhile damages the store permanently. With this
#: threshold they are never written; opening reads the vectors from its SQLite file instead.
_SYNC_NEVER = 1_000_000


class ChromaStore(ChromaVectorStore):
    """LlamaIndex's Chroma store without nodes and texts, which the catalog has, so that both ways are quicker.

    For 300 neighbours Chroma takes 1.3 ms with their ids alone, 27 ms with documents and metadata. ``delete`` looks for
    ``document_id``.
    """

    _chroma: Any = PrivateAttr()
    _collection_name: str = PrivateAttr()

    def __init__(self, client: Any, name: str) -> None:
        """``client``: of ``chromadb``. The collection is created if it does not exist."""
        super().__init__(chroma_collection=collection_of(client, name))
        self._chroma = client
        self._collection_name = name

    def add(self, nodes: Sequence[BaseNode], **_: Any) -> list[str]:
        """Add ids, vectors and metadata; returns the ids."""
        ids = [node.node_id for node in nodes]
        self._collection.add(
            ids=ids,
            embeddings=np.array([node.get_embedding() for node in nodes], np.float32),
            metadatas=[{**node.metadata, "document_id": node.ref_doc_id or ""} for node in nodes],
        )
        return ids

    def query(self, query: VectorStoreQuery, **_: Any) -> VectorStoreQueryResult:
        """Ids, most similar first; ``None`` for filters that cannot be translated."""
        where = None if query.filters is None else _where(query.filters)
        if query.filters is not None and where is None:
            return VectorStoreQueryResult()
        found = self._collection.query(
            query_embeddings=query.query_embedding, n_results=query.similarity_top_k, where=where, include=[]
        )
        return VectorStoreQueryResult(ids=list(found["ids"][0]))

    def clear(self) -> None:
        """Replace the collection by a new one: after deleting its rows, Chroma would keep their HNSW entries."""
        collection_of(self._chroma, self._collection_name)  # deleting a missing collection would raise
        self._chroma.delete_collection(self._collection_name)
        self._collection = collection_of(self._chroma, self._collection_name)

    def close(self) -> None:
        self._chroma.close()


def collection_of(client: Any, name: str) -> Any:
    """The collection, without an embedding function, because all vectors come from the catalog."""
    return client.get_or_create_collection(
        name,
        embedding_function=None,
        metadata={"hnsw:space": "cosine", "hnsw:sync_threshold": _SYNC_NEVER, "hnsw:batch_size": 1000},
    )


def _where(filters: MetadataFilters) -> dict[str, Any] | None:
    """A conjunction of equalities in Chroma's form; ``None`` for other filters, which exact search must handle."""
    parts = [
        {part.key: {"$eq": part.value}}
        for part in filters.filters
        if isinstance(part, MetadataFilter)
        and part.operator == FilterOperator.EQ
        and isinstance(part.value, str | int | float)
    ]
    if not parts or len(parts) != len(filters.filters) or filters.condition != FilterCondition.AND:
        return None
    return parts[0] if len(parts) == 1 else {"$and": parts}
