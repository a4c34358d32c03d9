"""A collection of Chroma as LlamaIndex's store; of what it finds only the ids are asked for."""

from __future__ import annotations

from typing import Any

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

#: Chroma overwrites its HNSW files in place and does not sync them: a kill in the middle breaks the store for good.
#: With so high a threshold they are never written; opening reads the vectors from its SQLite file instead.
_NEVER = 1_000_000


class ChromaStore(ChromaVectorStore):
    """LlamaIndex's own class writes to the collection; the catalog knows what the ids belong to.

    Asked for 300 neighbours, Chroma takes 1.3 ms for their ids and 27 ms with their documents and metadata.
    """

    _chroma: Any = PrivateAttr()
    _called: str = PrivateAttr()

    def __init__(self, client: Any, name: str) -> None:
        """``client``: of ``chromadb``. The collection is made if it is not there."""
        super().__init__(chroma_collection=collection_of(client, name))
        self._chroma = client
        self._called = name

    def query(self, query: VectorStoreQuery, **_: Any) -> VectorStoreQueryResult:
        """Ids, nearest first; none at all (``None``) for filters that this does not translate."""
        where = None if query.filters is None else _where(query.filters)
        if query.filters is not None and where is None:
            return VectorStoreQueryResult()
        found = self._collection.query(
            query_embeddings=query.query_embedding, n_results=query.similarity_top_k, where=where, include=[]
        )
        return VectorStoreQueryResult(ids=list(found["ids"][0]))

    def clear(self) -> None:
        """Begin with an empty collection: one that was only emptied keeps the places of what it held."""
        collection_of(self._chroma, self._called)  # a server that lost it has nothing to delete, and says so
        self._chroma.delete_collection(self._called)
        self._collection = collection_of(self._chroma, self._called)


def collection_of(client: Any, name: str) -> Any:
    """The collection, without an embedding function: vectors come from the catalog alone."""
    return client.get_or_create_collection(
        name,
        embedding_function=None,
        metadata={"hnsw:space": "cosine", "hnsw:sync_threshold": _NEVER, "hnsw:batch_size": 1000},
    )


def _where(filters: MetadataFilters) -> dict[str, Any] | None:
    """Equalities, all of which must hold; anything else is left to exact search."""
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
