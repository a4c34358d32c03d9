"""The catalog: the database that holds documents, chunks, vectors and full text."""

from .catalog import Catalog, NewChunk, NewDocument
from .checksums import ChunkCheck, DamagedChunk
from .database_url import is_server
from .plugin_tables import PluginTables
from .snapshot import CorpusRow, DocumentVectors, Snapshot, StoredDocument, WordScores

__all__ = [
    "Catalog",
    "ChunkCheck",
    "CorpusRow",
    "DamagedChunk",
    "DocumentVectors",
    "NewChunk",
    "NewDocument",
    "PluginTables",
    "Snapshot",
    "StoredDocument",
    "WordScores",
    "is_server",
]
