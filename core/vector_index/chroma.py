"""Chroma in a folder as the vector index. Only one process may open it, after a check by ``probe``."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .chroma_store import ChromaStore


def chroma_is_installed() -> bool:
    """Whether Chroma and its LlamaIndex store are installed."""
    return find_spec("chromadb") is not None and find_spec("llama_index.vector_stores.chroma") is not None


def open_store(folder: Path) -> ChromaStore:
    """The store in the folder, which is created if necessary, without telemetry. It must be closed."""
    import chromadb
    from chromadb.config import Settings

    from .chroma_store import ChromaStore

    settings = Settings(anonymized_telemetry=False, allow_reset=False)
    return ChromaStore(chromadb.PersistentClient(path=str(folder), settings=settings), "chunks")
