"""Folders that are followed: their books are put on the shelf, updated and removed as the files are.

Only what came from the folder is ever changed or removed: a record beside the catalog says which books these are, with
a digest of what was stored. A book that was uploaded, or added by hand, is left alone, and so is one that was put over
a book of the folder since.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ragstone.core import RagstoneError, SourceError, StorageError
from ragstone.core.ingestion import OnProgress
from ragstone.core.runtime import file_lock

from .files import ASCIIDOC, HTML, MARKDOWN, natural
from .follow_record import Entry, Mode, Record, is_temporary, signature_of
from .layouts.layout import CONFIGURATIONS
from .shelf import Shelf

Action = Literal["added", "updated", "renamed", "removed", "left", "failed", "unreachable"]
#: Seconds for which a file must be as it is before it is read, or gone before its book is: it may be half written.
SETTLE = 2.0
_PAGES = frozenset({*MARKDOWN, *ASCIIDOC, *HTML, ".rst", ".txt"})


@dataclass(frozen=True)
class Event:
    """What became of an entry of the folder: a file, a folder, or "." for the folder as one book."""

    action: Action
    entry: str
    book: str | None = None
    title: str | None = None
    chunks: int = 0
    reason: str | None = None


class FollowedFolder:
    """A folder and its record; one process at a time follows it. ``close`` lets another one do so."""

    def __init__(self, shelf: Shelf, folder: Path, data_dir: Path, mode: Mode | None = None) -> None:
        """``mode``: whether it is one book or each entry is; otherwise as it was, or as it looks at first.

        Raises ``SourceError`` where there is no folder, and ``StorageBusy``.
        """
        if not folder.is_dir():
            raise SourceError("is no folder", where=str(folder), hint="give the folder that is to be followed")
        self.folder = folder.resolve()
        self._shelf = shelf
        place = data_dir / "followed"
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file = place / f"{hashlib.sha256(os.fsencode(self.folder)).hexdigest()[:32]}.json"
        busy, self._lock = f"{folder} is followed by another process", ExitStack()
        self._lock.enter_context(file_lock(self._file.with_suffix(".lock"), busy, hint="end that one first"))
        self._record = Record.read(self._file) or Record(str(self.folder), mode or self._mode(), self._identity())
        if mode and mode != self._record.mode:
            self._record.mode = mode
            self._write()
        #: Since when each entry has looked as it does, and whether the folder was there.
        self._seen: dict[str, tuple[str, float]] = {}
        self._was_reachable = True

    @property
    def mode(self) -> Mode:
        """Whether the folder is one book, or each of its entries is."""
        return self._record.mode

    def close(self) -> None:
        """Stop following."""
        self._lock.close()

    def update(self, on_progress: OnProgress | None = None) -> Iterator[Event]:
        """Bring the shelf up to date with what has settled, step by step. What ``on_progress`` raises ends it.

        Raises ``StorageError``; the next call goes on.
        """
        try:
            found = self._look()
        except OSError as error:
            found, reason = None, f"it cannot be listed: {error.strerror or error}"
        else:
            reason = "it is empty, and another folder than before: perhaps a disk that is not mounted"
            if not found and self._record.entries and self._identity() != self._record.identity:
                found = None
        if found is None:
            if self._was_reachable:
                yield Event("unreachable", ".", reason=f"{reason}; nothing is removed")
            self._was_reachable = False
            return
        self._was_reachable = True
        self._record.identity = self._identity()
        if self._record.pending and self._record.pending[0] not in {*found, *self._record.entries}:
            name, slug = self._record.pending
            self._record.entries[name] = Entry("", slug, slug, self._digest(slug))
        gone = [name for name in self._record.entries if name not in found]
        for name in sorted(found, key=natural):
            if self._is_settled(name, *found[name]) and self._is_due(name, found[name][0]):
                yield from self._take(name, found[name][0], gone, on_progress)
        for name in gone:
            if name in self._record.entries and self._is_settled(name, "", 0.0):
                yield from self._drop(name)
        self._write()

    def is_settling(self) -> bool:
        """Whether something has changed that is too young to be read."""
        return any(time.monotonic() - since < SETTLE for _, since in self._seen.values())

    def _look(self) -> dict[str, tuple[str, float]]:
        """The signature and the newest change of each entry. Raises ``OSError``."""
        if self.mode == "one":
            files = signature_of(self.folder)
            return {".": files} if files else {}
        found = {}
        with os.scandir(self.folder) as listing:
            names = [entry.name for entry in listing if not is_temporary(entry.name)]
        for name in names:
            path = self.folder / name
            if path.is_dir() or path.suffix.lower() in self._shelf.suffixes:
                signed = signature_of(path, self._shelf.suffixes)
                if signed:
                    found[name] = signed
        return found

    def _is_settled(self, name: str, signature: str, newest: float) -> bool:
        now = time.monotonic()
        known, since = self._seen.get(name, (None, 0.0))
        if known != signature:
            is_old = bool(signature) and 0 <= newest < time.time() - SETTLE
            since = now - SETTLE if is_old else now
            self._seen[name] = (signature, since)
        return now - since >= SETTLE

    def _is_due(self, name: str, signature: str) -> bool:
        known = self._record.entries.get(name)
        if known is None or known.signature != signature:
            return True
        return known.blocked_by is not None and known.blocked_by not in self._slugs()

    def _take(self, name: str, signature: str, gone: list[str], on_progress: OnProgress | None) -> Iterator[Event]:
        known = self._record.entries.get(name) or Entry("")
        try:
            layout = self._shelf.plan(self.folder / name)
            reading = self._shelf.identified(layout)
            slug, title = reading.about["book"], reading.about["book_title"]
            renamed = next((other for other in gone if self._owns(other, slug)), None)
            if not (self._owns(name, slug) or renamed or self._is_free(name, slug)):
                self._record.entries[name] = Entry(signature, known.book, known.title, known.digest, blocked_by=slug)
                why = "a book of this title and edition is on the shelf that did not come from this folder"
                yield Event("left", name, slug, title, reason=f"{why}; ragstone book remove {slug} makes room for it")
                return
            was_there = known.book == slug and slug in self._slugs()
            was_interrupted = self._record.pending == (name, slug)
            self._record.pending = (name, slug)
            self._write()
            report = self._shelf.store(reading, on_progress)
            slug = report.book  # another one where a book of another process took it meanwhile
        except StorageError:
            raise
        except RagstoneError as error:
            self._record.entries[name] = Entry(signature, known.book, known.title, known.digest)
            self._write()
            yield Event("failed", name, known.book, known.title, reason=str(error))
            return
        if renamed:
            del self._record.entries[renamed]
        if known.book not in (None, slug) and self._owns(name, known.book or ""):
            self._shelf.remove(str(known.book))
            yield Event("removed", name, known.book, known.title, reason=f"its title is now '{title}'")
        self._record.entries[name] = Entry(signature, slug, title, self._digest(slug))
        self._record.pending = None
        self._write()
        if report.added or report.updated or report.removed or was_interrupted:
            action: Action = "renamed" if renamed else "updated" if was_there else "added"
            yield Event(action, name, slug, title, report.chunks)

    def _drop(self, name: str) -> Iterator[Event]:
        """The entry's files are gone: its book goes, if it is still what came from them."""
        known = self._record.entries.pop(name)
        others = {entry.book for entry in self._record.entries.values()}
        if known.book is None or known.book in others or known.book not in self._slugs():
            return
        if self._digest(known.book) != known.digest:
            reason = "its file is gone, and the book on the shelf came from elsewhere since"
            yield Event("left", name, known.book, known.title, reason=reason)
            return
        self._shelf.remove(known.book)
        yield Event("removed", name, known.book, known.title)

    def _owns(self, name: str, slug: str) -> bool:
        """Whether the book on the shelf is the one that came from the entry."""
        known = self._record.entries.get(name)
        return known is not None and known.book == slug and bool(slug) and self._digest(slug) == known.digest

    def _is_free(self, name: str, slug: str) -> bool:
        """Whether there is no such book, or only the one whose storing was interrupted."""
        return slug not in self._slugs() or self._record.pending == (name, slug)

    def _slugs(self) -> set[str]:
        return {book.slug for book in self._shelf.books()}

    def _digest(self, slug: str) -> str:
        documents = self._shelf.corpus.contents.documents(f"{slug}:")
        stored = sorted((document.doc_id, document.hash) for document in documents)
        return hashlib.sha256(json.dumps(stored).encode()).hexdigest() if stored else ""

    def _mode(self) -> Mode:
        names = [entry.name for entry in os.scandir(self.folder) if not is_temporary(entry.name)]
        is_one = any(name in CONFIGURATIONS or Path(name).suffix.lower() in _PAGES for name in names)
        return "one" if is_one else "each"

    def _identity(self) -> tuple[int, int]:
        found = self.folder.stat()
        return found.st_dev, found.st_ino

    def _write(self) -> None:
        self._record.write(self._file)
