"""The catalog: the database that holds documents, chunks, vectors and full text."""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .catalog import Catalog, is_server
    from .checksums import ChunkCheck, DamagedChunk
    from .chunks import ChunkReader, Facets, StoredChunk
    from .copying import CorpusCopy, check_copy, copy_corpus
    from .documents import DocumentWriter, NewChunk, NewDocument
    from .plugin_tables import PluginTables, translate_damage
    from .shared import Shared
    from .shared.jobs import QueuedJob, QueueState, Report, Unfit
    from .shared.notices import Notices
    from .shared.queue import SharedQueue
    from .shared.slots import SharedSlots
    from .snapshot import CorpusRow, Snapshot, StoredDocument, WordScores
    from .vector_filling import VectorFilling, VectorState
    from .vectors import DocumentVectors, VectorReader

__all__ = [
    "Catalog",
    "ChunkCheck",
    "ChunkReader",
    "CorpusCopy",
    "CorpusRow",
    "DamagedChunk",
    "DocumentVectors",
    "DocumentWriter",
    "Facets",
    "NewChunk",
    "NewDocument",
    "Notices",
    "PluginTables",
    "QueueState",
    "QueuedJob",
    "Report",
    "Shared",
    "SharedQueue",
    "SharedSlots",
    "Snapshot",
    "StoredChunk",
    "StoredDocument",
    "Unfit",
    "VectorFilling",
    "VectorReader",
    "VectorState",
    "WordScores",
    "check_copy",
    "copy_corpus",
    "is_server",
    "translate_damage",
]

__getattr__, __dir__ = lazy_names(__name__)
