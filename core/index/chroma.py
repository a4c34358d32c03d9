"""Chroma as the vector index, opened by one process only and never trusted unasked."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt
    from llama_index.core.vector_stores.types import BasePydanticVectorStore

_COLLECTION = "chunks"
#: Chroma overwrites its HNSW files in place and does not sync them: a kill in the middle breaks the store for good.
#: With so high a threshold they are never written; opening reads the vectors from its SQLite file instead.
_NEVER = 1_000_000


def chroma_is_installed() -> bool:
    """Whether the extra is there."""
    return find_spec("chromadb") is not None and find_spec("llama_index.vector_stores.chroma") is not None


class ChromaIndex:
    """An open store: LlamaIndex's own class writes to it, and its ids are read without what they belong to.

    Asked for 300 neighbours, Chroma takes 1.3 ms for their ids and 27 ms with their documents and metadata, which the
    catalog has anyway.
    """

    def __init__(self, folder: Path) -> None:
        """Open the store in that folder, made if it is not there."""
        from llama_index.vector_stores.chroma import ChromaVectorStore

        self._client, self._collection = open_collection(folder)
        self.store: BasePydanticVectorStore = ChromaVectorStore(chroma_collection=self._collection)

    def nearest(
        self, question: npt.NDArray[np.float32], limit: int, filters: MetadataFilters | None
    ) -> list[str] | None:
        """Ids, nearest first; ``None`` for filters that this does not translate."""
        where = None if filters is None else _where(filters)
        if filters is not None and where is None:
            return None
        found = self._collection.query(query_embeddings=[question], n_results=limit, where=where, include=[])
        return list(found["ids"][0])

    def close(self) -> None:
        """Let go of the store's files."""
        self._client.close()


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


def open_collection(folder: Path) -> tuple[Any, Any]:
    """Client and collection of the store, without an embedding function: vectors come from the catalog alone."""
    import chromadb
    from chromadb.config import Settings

    client = chromadb.PersistentClient(
        path=str(folder), settings=Settings(anonymized_telemetry=False, allow_reset=False)
    )
    collection = client.get_or_create_collection(
        _COLLECTION,
        embedding_function=None,
        metadata={"hnsw:space": "cosine", "hnsw:sync_threshold": _NEVER, "hnsw:batch_size": 1000},
    )
    return client, collection
