"""Ragstone reads Jupyter notebooks, and keeps its vector index in memory."""

from .notebooks import NotebookReader
from .store import MemoryStore

__all__ = ["MemoryStore", "NotebookReader"]
