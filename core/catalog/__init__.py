"""The catalog: the truth about documents, chunks, vectors and full text."""

from .catalog import Catalog, NewChunk, NewDocument
from .database import is_server
from .plugin_tables import PluginTables
from .snapshot import CorpusRow, DocumentVectors, Snapshot, StoredDocument, WordScores

__all__ = [
    "Catalog",
    "CorpusRow",
    "DocumentVectors",
    "NewChunk",
    "NewDocument",
    "PluginTables",
    "Snapshot",
    "StoredDocument",
    "WordScores",
    "is_server",
]
