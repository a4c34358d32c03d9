"""Bringing the memory to what the files say: what is gone goes first, what is new or changed is read and stored."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ragstone.core import SourceError

from .. import fields
from ..chunking.parser import OWN
from ..kinds import Kinds
from ..memory import root_away
from ..reading import scheme_of
from .comparing import FORGOTTEN, TOO_OLD, FileDocument, Stored, about, is_racy, same_file, too_old
from .keeping import Keeping
from .scan import LeftOut, Scan, Scanner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from llama_index.core.schema import Document

    from ragstone.core import IngestProgress, IngestReport

    from ..memory import Memory
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

    def update(self, under: str = "", on_progress: OnProgress | None = None) -> UpdateReport:
        """Read what changed at or below a path relative to the root; all of it without one.

        Raises ``SourceError`` when the root is not there: an empty place where a disk should be is not an order to
        forget everything.
        """
        return self._update(under, same_file, on_progress)

    def update_in_full(self, on_progress: OnProgress | None = None) -> UpdateReport:
        """Read every file again, and embed everything anew, beside what answers until then."""
        was_there = self._memory.corpus.exists
        report = self._update("", lambda _found, _stored: False, on_progress)
        if was_there:
            report.chunks = self._memory.corpus.rebuild(on_progress=on_progress).chunks
        return report

    def stored(self) -> dict[str, Stored]:
        """What is remembered, by path; read in one query."""
        return {
            document.doc_id: Stored(document.hash, document.metadata, document.metadata.get(OWN) or {})
            for document in self._memory.corpus.documents()
        }

    def scan(self, under: str = "") -> Scan:
        """What the files are. Raises ``SourceError`` when the root is not there."""
        memory, settings = self._memory, self._memory.settings
        root = memory.root
        if not root.is_dir():
            raise root_away(root)
        kinds = Kinds(settings.map, settings.exclude)
        own = (memory.host.settings.data_dir.resolve(), memory.host.settings.cache_dir.resolve())
        return Scanner(root, kinds, settings.max_bytes, own).scan(under)

    def is_due(self, found: Found, stored: Stored, same: Callable[[Found, Stored], bool] = same_file) -> bool:
        """Whether a file that is known must be read again."""
        if not same(found, stored):
            return True
        return (stored.left_out == TOO_OLD) != self._too_old(stored.metadata) and stored.left_out in (None, TOO_OLD)

    def _too_old(self, metadata: Mapping[str, Any]) -> bool:
        return too_old(metadata, self._memory.settings.mail_days, self._clock())

    def _update(
        self,
        under: str,
        same: Callable[[Found, Stored], bool],
        on_progress: OnProgress | None,
    ) -> UpdateReport:
        started = time.monotonic()
        with self._keeping.alone():
            report, files, known = UpdateReport(), self.scan(under).files, self.stored()
            here = [path for path in known if not under or path == under or path.startswith(f"{under}/")]
            self._remove(report, [path for path in here if path not in files], known)
            due = [found for path, found in files.items() if path not in known or self.is_due(found, known[path], same)]
            report.unchanged = len(files) - len(due)
            self._store(report, due, known, on_progress)
            corpus = self._memory.corpus
            if not under and known and corpus.exists and corpus.info().stale:
                report.chunks += corpus.rebuild(on_progress=on_progress).chunks
            report.seconds = time.monotonic() - started
            if not under:
                self._keeping.note(str(self._memory.root), self._clock(), report.seconds)
        return report

    def _remove(self, report: UpdateReport, gone: list[str], known: Mapping[str, Stored]) -> None:
        self._memory.corpus.remove(gone)
        report.removed += [path for path in gone if known[path].left_out is None]

    def _store(
        self, report: UpdateReport, due: list[Found], known: Mapping[str, Stored], on_progress: OnProgress | None
    ) -> None:
        corpus = self._memory.corpus
        gone: list[str] = []
        annotated: dict[str, dict[str, Any]] = {}

        def changed() -> Iterator[Document]:
            for found in due:
                before = known.get(found.path)
                document = self.read(found, before)
                if document is None:
                    gone.append(found.path)
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
        told: dict[str, Any] = {fields.PATH: found.path, fields.DOC_TYPE: found.kind.doc_type}
        try:
            document = host.read(scheme_of(found.kind.strategy), path, extra_info=told)[0]
        except SourceError as error:
            if not os.path.lexists(path):
                return None
            mtime = found.stat[0] / 1e9
            own = about(found, not isinstance(error.__cause__, OSError), left_out=error.what)
            told |= {fields.MTIME: mtime, fields.DATE: mtime, fields.FILE_HASH: ""}
            return FileDocument(id_=found.path, text="", metadata={**told, OWN: own})
        known, more = document.metadata, document.metadata.get(OWN) or {}
        reason = None
        if self._too_old(known):
            reason = TOO_OLD
        if before is not None and before.left_out == FORGOTTEN:
            if before.metadata.get(fields.FILE_HASH) == known[fields.FILE_HASH]:
                reason = FORGOTTEN
        elif before is not None and before.forgotten:
            more = {**more, "forgotten": before.forgotten}
        if reason is not None:
            more = {"left_out": reason}
        text = "" if reason is not None else document.text
        return FileDocument(id_=found.path, text=text, metadata={**known, OWN: about(found, True, **more)})


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
