"""The catalog: the database that holds documents, chunks, vectors and full text."""

from .catalog import Catalog, NewChunk, NewDocument
from .checksums import ChunkCheck, DamagedChunk
from .database_url import is_server
from .plugin_tables import PluginTables
from .snapshot import CorpusRow, Facets, Snapshot, StoredDocument, WordScores
from .vectors import DocumentVectors, VectorReader

__all__ = [
    "Catalog",
    "ChunkCheck",
    "CorpusRow",
    "DamagedChunk",
    "DocumentVectors",
    "Facets",
    "NewChunk",
    "NewDocument",
    "PluginTables",
    "Snapshot",
    "StoredDocument",
    "VectorReader",
    "WordScores",
    "is_server",
]
