"""The catalog: the truth about documents, chunks, vectors and full text."""

from .catalog import Catalog, NewChunk, NewDocument
from .database import is_server
from .snapshot import CorpusRow, DocumentVectors, Snapshot, StoredDocument, WordScores

__all__ = [
    "Catalog",
    "CorpusRow",
    "DocumentVectors",
    "NewChunk",
    "NewDocument",
    "Snapshot",
    "StoredDocument",
    "WordScores",
    "is_server",
]
