"""Chroma in a folder as the vector index. Only one process may open it, after a check by ``probe``."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

_COLLECTION = "chunks"


def chroma_is_installed() -> bool:
    """Whether Chroma and its LlamaIndex store are installed."""
    return find_spec("chromadb") is not None and find_spec("llama_index.vector_stores.chroma") is not None


class ChromaFolder:
    """An open store in a folder, which is created if necessary."""

    def __init__(self, folder: Path) -> None:
        from .chroma_store import ChromaStore

        self._client = open_client(folder)
        self.store = ChromaStore(self._client, _COLLECTION)

    def close(self) -> None:
        self._client.close()


def open_client(folder: Path) -> Any:
    """Chroma's client for the folder, without telemetry."""
    import chromadb
    from chromadb.config import Settings

    return chromadb.PersistentClient(path=str(folder), settings=Settings(anonymized_telemetry=False, allow_reset=False))


def open_collection(folder: Path) -> Any:
    """The collection of the store in the folder."""
    from .chroma_store import collection_of

    return collection_of(open_client(folder), _COLLECTION)
