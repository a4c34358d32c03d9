"""The status of a memory: what is stored, what is left out and why, and what the next update will read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from .. import fields
from .documents import looks_unchanged
from .folder import MemoryFolder
from .inventory import Inventory
from .missing import Missing, grouped
from .scan import LeftOut


@dataclass(frozen=True)
class TypeCount:
    """How much of one document type is remembered."""

    doc_type: str
    files: int
    chunks: int


@dataclass(frozen=True)
class Status:
    """The status of a memory."""

    root: str
    types: list[TypeCount]
    #: Files that are new, changed or gone since the last update: the next one reads them.
    waiting: list[str]
    #: Everything under the root that is not remembered.
    left_out: list[LeftOut]
    #: Files that are not found or cannot be read, and stay in the memory.
    missing: list[Missing]
    #: Seconds since 1970 of the last whole update and how long it took; ``None`` if none is known.
    updated_at: float | None
    update_seconds: float | None
    #: Why the corpus should be rebuilt, as ``Corpus.info`` says.
    stale: str | None

    @property
    def files(self) -> int:
        """How many files are remembered."""
        return sum(each.files for each in self.types)

    @property
    def chunks(self) -> int:
        """How many chunks they have."""
        return sum(each.chunks for each in self.types)


def status_of(memory: MemoryFolder) -> Status:
    """Compare the memory with its files now; nothing is read or stored. Raises ``SourceError`` without a root."""
    inventory, corpus = Inventory(memory), memory.corpus
    scan, stored = inventory.scan(), inventory.stored()
    chunks: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for (doc_type, _path), count in corpus.contents.facets(fields.DOC_TYPE, fields.PATH):
        chunks[doc_type] += count
        files[doc_type] += 1
    waiting = [
        path
        for path, found in scan.files.items()
        if path not in stored or inventory.is_due(found, stored[path], looks_unchanged)
    ]
    removed, kept = inventory.missing(scan, stored)
    waiting += [path for path in removed if stored[path].left_out is None]
    refused = [
        LeftOut(path, known.left_out)
        for path, known in stored.items()
        if known.left_out is not None and path in scan.files
    ]
    last = memory.state.last()
    return Status(
        root=str(memory.root),
        types=[TypeCount(doc_type, files[doc_type], chunks[doc_type]) for doc_type in sorted(chunks)],
        waiting=sorted(waiting),
        left_out=sorted([*scan.left_out, *refused], key=lambda each: each.path),
        missing=grouped(kept),
        updated_at=last.at if last is not None else None,
        update_seconds=last.seconds if last is not None else None,
        stale=corpus.info().stale if corpus.contents.exists else None,
    )
