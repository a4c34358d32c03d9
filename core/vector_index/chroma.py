"""Chroma in a folder as the vector index: opened by one process only, and checked before it is used."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

_COLLECTION = "chunks"


def chroma_is_installed() -> bool:
    """Whether the extra is there."""
    return find_spec("chromadb") is not None and find_spec("llama_index.vector_stores.chroma") is not None


class ChromaFolder:
    """An open store in a folder, made if it is not there."""

    def __init__(self, folder: Path) -> None:
        from .chroma_store import ChromaStore

        self._client = open_client(folder)
        self.store = ChromaStore(self._client, _COLLECTION)

    def close(self) -> None:
        """Let go of the store's files."""
        self._client.close()


def open_client(folder: Path) -> Any:
    """Chroma's client of that folder, which reports to nobody."""
    import chromadb
    from chromadb.config import Settings

    return chromadb.PersistentClient(path=str(folder), settings=Settings(anonymized_telemetry=False, allow_reset=False))


def open_collection(folder: Path) -> Any:
    """The collection of the store in that folder."""
    from .chroma_store import collection_of

    return collection_of(open_client(folder), _COLLECTION)
