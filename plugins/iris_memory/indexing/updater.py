"""Bringing the memory to what the files say: what is gone goes first, what is new or changed is read and stored."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ragstone.core import SourceError

from ..parsers.node_parser import OWN
from ..readers import scheme_of
from . import fields
from .documents import FORGOTTEN, GONE, TOO_OLD, FileDocument, Stored, about, is_racy, same_file, too_old
from .file_types import Kinds
from .memory import root_away
from .missing import Missing, MissingFiles, Place, grouped, is_below, missing_files
from .scan import LeftOut, Scan, Scanner
from .update_state import Keeping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from llama_index.core.schema import Document

    from ragstone.core import IngestProgress, IngestReport

    from .memory import Memory
    from .scan import Found

    OnProgress = Callable[[IngestProgress], None]


@dataclass
class UpdateReport:
    """What an update did, by path."""

    added: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    #: Read now and refused, too old, or forgotten.
    left_out: list[LeftOut] = field(default_factory=list)
    #: Not found or not readable now, and remembered all the same, with the reason.
    missing: list[Missing] = field(default_factory=list)
    unchanged: int = 0
    #: Chunks that were stored.
    chunks: int = 0
    seconds: float = 0.0

    @property
    def changed(self) -> bool:
        """Whether a query could find something else than before."""
        return bool(self.added or self.updated or self.removed)


class Updater:
    """Brings one memory up to date. One update runs at a time, of all processes."""

    def __init__(self, memory: Memory, clock: Callable[[], float] = time.time) -> None:
        self._memory = memory
        self._clock = clock
        self._keeping = Keeping(memory.host.settings.data_dir)

    def update(self, under: str = "", on_progress: OnProgress | None = None, *, prune: bool = False) -> UpdateReport:
        """Read what changed at or below a path relative to the root; all of it without one.

        ``prune``: remove missing files also where that may be a mistake; see ``missing``. Raises ``SourceError`` when
        the root is not there.
        """
        return self._update(under, same_file, on_progress, prune)

    def update_in_full(self, on_progress: OnProgress | None = None, *, prune: bool = False) -> UpdateReport:
        """Read every file again, and embed everything anew, beside what answers until then."""
        was_there = self._memory.corpus.exists
        report = self._update("", lambda _found, _stored: False, on_progress, prune)
        if was_there:
            report.chunks = self._memory.corpus.rebuild(on_progress=on_progress).chunks
        return report

    def stored(self) -> dict[str, Stored]:
        """What is remembered, by path; read in one query."""
        return {
            document.doc_id: Stored(document.hash, document.metadata, document.metadata.get(OWN) or {})
            for document in self._memory.corpus.contents.documents()
        }

    def scan(self, under: str = "") -> Scan:
        """What the files are. Raises ``SourceError`` when the root is not there."""
        memory, settings = self._memory, self._memory.settings
        root = memory.root
        if not os.path.isdir(root):  # noqa: PTH112 - unlike Path.is_dir it never raises
            raise root_away(root)
        own = (memory.host.settings.data_dir.resolve(), memory.host.settings.cache_dir.resolve())
        return Scanner(root, self._kinds(), settings.max_bytes, own).scan(under)

    def missing(self, scan: Scan, known: Mapping[str, Stored], under: str = "") -> MissingFiles:
        """The remembered files at or below a path that the scan did not find."""
        return missing_files(scan, known, under, self._kinds(), self._keeping.missing())

    def is_due(self, found: Found, stored: Stored, same: Callable[[Found, Stored], bool] = same_file) -> bool:
        """Whether a file that is known must be read again."""
        if not same(found, stored) or stored.left_out == GONE:
            return True
        return (stored.left_out == TOO_OLD) != self._too_old(stored.metadata) and stored.left_out in (None, TOO_OLD)

    def _kinds(self) -> Kinds:
        return Kinds(self._memory.settings.map, self._memory.settings.exclude)

    def _too_old(self, metadata: Mapping[str, Any]) -> bool:
        return too_old(metadata, self._memory.settings.mail_days, self._clock())

    def _update(
        self,
        under: str,
        same: Callable[[Found, Stored], bool],
        on_progress: OnProgress | None,
        prune: bool,
    ) -> UpdateReport:
        started = time.monotonic()
        with self._keeping.alone():
            report, scan, known = UpdateReport(), self.scan(under), self.stored()
            files, missing = scan.files, self.missing(scan, known, under)
            if prune:
                missing.prune()
            self._remove(report, missing.removed, known)
            due = [found for path, found in files.items() if path not in known or self.is_due(found, known[path], same)]
            report.unchanged = len(files) - len(due)
            self._store(report, due, known, missing, on_progress)
            self._note_missing(report, missing, under)
            corpus = self._memory.corpus
            if not under and known and corpus.exists and corpus.info().stale:
                report.chunks += corpus.rebuild(on_progress=on_progress).chunks
            report.seconds = time.monotonic() - started
            if not under:
                self._keeping.note(str(self._memory.root), self._clock(), report.seconds)
        return report

    def _note_missing(self, report: UpdateReport, missing: MissingFiles, under: str) -> None:
        report.missing = grouped(missing.kept)
        elsewhere = {path: place for path, place in self._keeping.missing().items() if not is_below(path, under)}
        self._keeping.note_missing({**elsewhere, **missing.kept})

    def _remove(self, report: UpdateReport, gone: list[str], known: Mapping[str, Stored]) -> None:
        """Remove files from the memory. The record of what is forgotten of them stays."""
        records = [path for path in gone if known[path].forgotten]
        self._memory.corpus.remove([path for path in gone if not known[path].forgotten])
        if worded := [path for path in records if known[path].left_out not in (FORGOTTEN, GONE)]:
            self._memory.corpus.ingest([known[path].without_words(path, GONE) for path in worded])
        report.removed += [path for path in gone if known[path].left_out is None]

    def _store(
        self,
        report: UpdateReport,
        due: list[Found],
        known: Mapping[str, Stored],
        missing: MissingFiles,
        on_progress: OnProgress | None,
    ) -> None:
        corpus = self._memory.corpus
        forgetting = _by_bytes(known)
        gone: list[str] = []
        annotated: dict[str, dict[str, Any]] = {}

        def changed() -> Iterator[Document]:
            for found in due:
                before = known.get(found.path)
                document = self.read(found, before)
                if document is None:
                    gone.append(found.path)
                elif before is None and (more := forgetting.get(document.metadata[fields.FILE_HASH])):
                    yield FileDocument(
                        id_=found.path,
                        text="" if "left_out" in more else document.text,
                        metadata={**document.metadata, OWN: {**document.metadata[OWN], **more}},
                    )
                elif before is not None and before.left_out is None and document.metadata[OWN]["stat"] is None:
                    missing.kept[found.path] = Place("", document.metadata[OWN]["left_out"], prunable=False)
                elif before is None or document.hash != before.hash:
                    yield document
                else:
                    report.unchanged += 1
                    if _tells_more(document.metadata[OWN], before.own):
                        annotated[found.path] = document.metadata

        documents = _Noting(changed())
        done = corpus.ingest(documents, on_progress=on_progress) if documents.any else None
        corpus.annotate(annotated)
        self._remove(report, [path for path in gone if path in known], known)
        if done is not None:
            self._tell(report, done, documents.left_out, known)

    @staticmethod
    def _tell(
        report: UpdateReport, done: IngestReport, left_out: Mapping[str, str], known: Mapping[str, Stored]
    ) -> None:
        report.chunks += done.chunks
        report.left_out += [LeftOut(path, reason) for path, reason in left_out.items()]
        for path in (*done.added, *done.updated):
            was_there = path in known and known[path].left_out is None
            if path not in left_out:
                (report.updated if was_there else report.added).append(path)
            elif was_there:
                report.removed.append(path)

    def read(self, found: Found, before: Stored | None) -> Document | None:
        """The file as it is to be stored, without words if it is left out; ``None`` if it is gone by now."""
        host, path = self._memory.host, self._memory.root / found.path
        forgotten = {} if before is None else before.forgotten
        told: dict[str, Any] = {fields.PATH: found.path, fields.DOC_TYPE: found.kind.doc_type}
        try:
            document = host.hooks.read(scheme_of(found.kind.strategy), path, extra_info=told)[0]
        except SourceError as error:
            if not os.path.lexists(path):
                return None
            mtime = found.stat[0] / 1e9
            own = about(found, not isinstance(error.__cause__, OSError), **forgotten, left_out=error.what)
            told |= {fields.MTIME: mtime, fields.DATE: mtime, fields.FILE_HASH: ""}
            return FileDocument(id_=found.path, text="", metadata={**told, OWN: own})
        known, reason = document.metadata, None
        if self._too_old(known):
            reason = TOO_OLD
        if known[fields.FILE_HASH] in forgotten.get("forgotten_bytes", ()):
            reason = FORGOTTEN
        more = (known.get(OWN) or {}) if reason is None else {"left_out": reason}
        text = "" if reason is not None else document.text
        return FileDocument(id_=found.path, text=text, metadata={**known, OWN: about(found, True, **more, **forgotten)})


def _by_bytes(known: Mapping[str, Stored]) -> dict[str, dict[str, Any]]:
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


class _Noting:
    """The documents as they come, and which of them are left out. Looks whether there is any before it is used."""

    def __init__(self, documents: Iterator[Document]) -> None:
        self._documents = documents
        self._first = next(documents, None)
        self.left_out: dict[str, str] = {}

    @property
    def any(self) -> bool:
        return self._first is not None

    def __iter__(self) -> Iterator[Document]:
        if self._first is not None:
            yield self._noted(self._first)
        for document in self._documents:
            yield self._noted(document)

    def _noted(self, document: Document) -> Document:
        reason = document.metadata[OWN].get("left_out")
        with suppress(KeyError):
            del self.left_out[document.doc_id]
        if reason is not None:
            self.left_out[document.doc_id] = reason
        return document


def _tells_more(now: Mapping[str, Any], before: Mapping[str, Any]) -> bool:
    """Whether what was seen of an unchanged file spares the next look at it."""
    return bool(now.get("stat") != before.get("stat") or not is_racy(now))
