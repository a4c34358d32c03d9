"""Forgets files and chunks: they stay forgotten until the file, or that part of it, changes."""

from __future__ import annotations

from dataclasses import dataclass

from ragstone.core import NotFound

from .. import fields
from .documents import FORGOTTEN, FileDocument, StoredFile
from .folder import MemoryFolder
from .inventory import Inventory
from .scan import is_below


@dataclass(frozen=True)
class Forgotten:
    """What was forgotten."""

    paths: list[str]
    chunks: int


def forget(memory: MemoryFolder, target: str) -> Forgotten:
    """Forget a file, a folder's files, or one chunk by its id. Raises ``NotFound``.

    The text leaves the catalog. A file stays forgotten until its bytes change, a chunk until its text changes, also
    where the file is deleted, renamed or copied in between. The files themselves are not touched.
    """
    with memory.state.lock():
        stored, path = Inventory(memory).stored(), memory.relative(target)
        below = [
            each
            for each, known in stored.items()
            if path is not None and is_below(each, path) and known.left_out is None
        ]
        if below:
            chunks = sum(len(memory.corpus.contents.document_nodes(each)) for each in below)
            memory.corpus.ingest([_forgotten(each, stored[each]) for each in below])
            return Forgotten(sorted(below), chunks)
        if path in stored:
            raise NotFound(f"is not remembered: {stored[path].left_out}", where=path)
        return _forget_chunk(memory, stored, target)


def _forget_chunk(memory: MemoryFolder, stored: dict[str, StoredFile], chunk_id: str) -> Forgotten:
    try:
        path = str(memory.corpus.contents.node(chunk_id).metadata[fields.PATH])
    except NotFound as error:
        hint = "give a path under the root, or the id of a chunk, which ragstone memory query shows"
        raise NotFound("nothing of that name is remembered", where=chunk_id[:200], hint=hint) from error
    known = stored[path]
    indexing = {**known.indexing, "forgotten": sorted({*known.indexing.get("forgotten", ()), chunk_id})}
    text = memory.corpus.contents.document_text(path)
    memory.corpus.ingest([FileDocument(id_=path, text=text, metadata={**known.metadata, fields.INDEXING: indexing})])
    return Forgotten([path], 1)


def _forgotten(path: str, stored: StoredFile) -> FileDocument:
    document = stored.without_text(path, FORGOTTEN)
    indexing = document.metadata[fields.INDEXING]
    indexing["forgotten_bytes"] = sorted({*indexing.get("forgotten_bytes", ()), stored.metadata[fields.FILE_HASH]})
    return document
