"""An update of the memory: what is gone is removed, what is new or changed is read and stored."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from llama_index.core.schema import Document

from ragstone.core import Corpus
from ragstone.core.ingestion import IngestReport, OnProgress

from .. import fields
from .documents import FORGOTTEN, GONE, FileDocument, StoredFile, is_racy, is_unchanged
from .folder import LastUpdate, MemoryFolder
from .inventory import Inventory
from .missing import Missing, MissingReason, grouped
from .scan import LeftOut, ScannedFile, is_below


@dataclass
class UpdateReport:
    """What an update did, by path."""

    added: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    #: Read now and refused, too old, or forgotten.
    left_out: list[LeftOut] = field(default_factory=list)
    #: Not found or not readable now, and kept in the memory all the same, with the reason.
    missing: list[Missing] = field(default_factory=list)
    unchanged: int = 0
    #: Chunks that were stored.
    chunks: int = 0
    #: Why the index was made anew from what is stored; ``None`` if it was not.
    rebuilt: str | None = None
    seconds: float = 0.0

    @property
    def changed(self) -> bool:
        """Whether a query could find something else than before."""
        return bool(self.added or self.updated or self.removed)


def update(
    memory: MemoryFolder,
    under: str = "",
    on_progress: OnProgress | None = None,
    *,
    prune: bool = False,
    same: Callable[[ScannedFile, StoredFile], bool] = is_unchanged,
) -> UpdateReport:
    """Read what changed at or below a path relative to the root; all of it without one. One runs at a time, of all
    processes.

    ``prune``: remove missing files also where that may be a mistake; see ``missing``. ``same``: whether a file is as it
    was stored. Raises ``SourceError`` when the root is not there.
    """
    started, inventory, corpus, state = time.monotonic(), Inventory(memory), memory.corpus, memory.state
    with state.lock():
        report, scan, known = UpdateReport(), inventory.scan(under), inventory.stored()
        removed, kept = inventory.missing(scan, known, under)
        if prune:
            removed += [path for path, place in kept.items() if place.prunable]
            kept = {path: place for path, place in kept.items() if not place.prunable}
        _remove(corpus, report, removed, known)
        due = [
            each for path, each in scan.files.items() if path not in known or inventory.is_due(each, known[path], same)
        ]
        report.unchanged = len(scan.files) - len(due)
        report.rebuilt = corpus.info().stale if not under and known and corpus.contents.exists else None
        if report.rebuilt:
            report.chunks += corpus.rebuild(on_progress=on_progress).chunks
        if due:
            notes = _Notes()
            counted = on_progress and (lambda now: on_progress(replace(now, total=len(due))))
            done = corpus.ingest(_read(inventory, due, known, notes), on_progress=counted)
            corpus.contents.annotate(notes.annotated)
            _remove(corpus, report, [path for path in notes.gone if path in known], known)
            _add_to_report(report, done, notes.left_out, known)
            kept |= notes.unreadable
        report.missing = grouped(kept)
        elsewhere = {path: reason for path, reason in state.missing().items() if not is_below(path, under)}
        state.save_missing({**elsewhere, **kept})
        report.seconds = time.monotonic() - started
        if not under:
            state.save_last(LastUpdate(str(memory.root), memory.clock(), report.seconds))
    return report


def _remove(corpus: Corpus, report: UpdateReport, gone: list[str], known: Mapping[str, StoredFile]) -> None:
    """Remove files from the memory. The record of what is forgotten of them stays."""
    corpus.remove([path for path in gone if not known[path].forgotten])
    records = [path for path in gone if known[path].forgotten and known[path].left_out not in (FORGOTTEN, GONE)]
    if records:
        corpus.ingest([known[path].without_text(path, GONE) for path in records])
    report.removed += [path for path in gone if known[path].left_out is None]


@dataclass
class _Notes:
    """What is found out while changed files are read."""

    gone: list[str] = field(default_factory=list)
    #: New metadata of unchanged documents, by path.
    annotated: dict[str, dict[str, Any]] = field(default_factory=dict)
    #: Files that were stored before and cannot be read now.
    unreadable: dict[str, MissingReason] = field(default_factory=dict)
    #: Changed files that have no chunks, with the reason.
    left_out: dict[str, str] = field(default_factory=dict)


def _read(
    inventory: Inventory, due: list[ScannedFile], known: Mapping[str, StoredFile], notes: _Notes
) -> Iterator[Document]:
    """The documents of files that may have changed, read one by one."""
    forgotten = _forgotten_by_hash(known)
    for found in due:
        before = known.get(found.path)
        document = inventory.read(found, before)
        if document is None:
            notes.gone.append(found.path)
            continue
        indexing = document.metadata[fields.INDEXING]
        if before is None and (more := forgotten.get(document.metadata[fields.FILE_HASH])):
            indexing = {**indexing, **more}
            document = FileDocument(
                id_=found.path,
                text="" if "left_out" in more else document.text,
                metadata={**document.metadata, fields.INDEXING: indexing},
            )
        elif before is not None and before.left_out is None and indexing["stat"] is None:
            notes.unreadable[found.path] = MissingReason("", indexing["left_out"], prunable=False)
            continue
        if before is None or document.hash != before.hash:
            if reason := indexing.get("left_out"):
                notes.left_out[found.path] = reason
        elif indexing["stat"] != before.indexing.get("stat") or not is_racy(indexing):
            notes.annotated[found.path] = document.metadata  # so that the next update need not read it
        yield document


def _add_to_report(
    report: UpdateReport, done: IngestReport, left_out: Mapping[str, str], known: Mapping[str, StoredFile]
) -> None:
    report.chunks += done.chunks
    report.unchanged += len(done.unchanged)
    report.left_out += [LeftOut(path, reason) for path, reason in left_out.items()]
    for path in (*done.added, *done.updated):
        was_there = path in known and known[path].left_out is None
        if path not in left_out:
            (report.updated if was_there else report.added).append(path)
        elif was_there:
            report.removed.append(path)


def _forgotten_by_hash(known: Mapping[str, StoredFile]) -> dict[str, dict[str, Any]]:
    """What a new file takes over when it has the bytes of a file of which something is forgotten, by SHA-256."""
    found: dict[str, dict[str, Any]] = {}
    for path, stored in known.items():
        forgotten = stored.forgotten
        if "forgotten" in forgotten:
            names = [*forgotten.get("forgotten_as", ()), path]
            found[stored.metadata[fields.FILE_HASH]] = {"forgotten": forgotten["forgotten"], "forgotten_as": names}
    for stored in known.values():
        for each in stored.forgotten.get("forgotten_bytes", ()):
            found[each] = {"forgotten_bytes": [each], "left_out": FORGOTTEN}
    return found
