"""LlamaIndex's vector store in memory, as the host fills it."""

from __future__ import annotations

from llama_index.core.vector_stores import SimpleVectorStore
from llama_index.core.vector_stores.simple import SimpleVectorStoreData


class MemoryStore(SimpleVectorStore):
    """Can be emptied, for the host to fill it anew."""

    def clear(self) -> None:
        """Forget everything."""
        self.data = SimpleVectorStoreData()
