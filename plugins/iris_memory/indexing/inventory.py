"""The files under the root beside what the catalog holds of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from llama_index.core.schema import Document

from ragstone.core import SourceError

from .. import fields
from ..readers import reader_scheme
from .documents import FORGOTTEN, GONE, TOO_OLD, FileDocument, StoredFile, is_old_mail, is_unchanged, scan_metadata
from .folder import MemoryFolder
from .missing import MissingReason, missing_files
from .scan import FileTypes, Scan, ScannedFile, Scanner


class Inventory:
    """Compares one memory with its files. Nothing is stored."""

    def __init__(self, memory: MemoryFolder) -> None:
        self.memory = memory
        self._types = FileTypes(memory.settings.map, memory.settings.exclude)

    def stored(self) -> dict[str, StoredFile]:
        """What the catalog holds, by path; read in one query."""
        return {
            document.doc_id: StoredFile(document.hash, document.metadata, document.metadata.get(fields.INDEXING) or {})
            for document in self.memory.corpus.contents.documents()
        }

    def scan(self, under: str = "") -> Scan:
        """Scan the files at or below a path relative to the root. Raises ``SourceError`` without a root."""
        memory, root = self.memory, self.memory.root
        if not os.path.isdir(root):  # noqa: PTH112 - unlike Path.is_dir it never raises
            raise memory.missing_root()
        return Scanner(root, self._types, memory.settings.max_bytes, memory.own_folders()).scan(under)

    def missing(
        self, scan: Scan, known: Mapping[str, StoredFile], under: str = ""
    ) -> tuple[list[str], dict[str, MissingReason]]:
        """The stored files at or below a path that the scan did not find: those to remove, and those that stay."""
        return missing_files(scan, known, under, self._types, self.memory.state.missing())

    def is_due(
        self, found: ScannedFile, stored: StoredFile, same: Callable[[ScannedFile, StoredFile], bool] = is_unchanged
    ) -> bool:
        """Whether a stored file must be read again."""
        if not same(found, stored) or stored.left_out == GONE:
            return True
        return (stored.left_out == TOO_OLD) != self._is_old(stored.metadata) and stored.left_out in (None, TOO_OLD)

    def read(self, found: ScannedFile, before: StoredFile | None) -> Document | None:
        """The file as it is to be stored, without text if it is left out; ``None`` if it has disappeared."""
        host, path = self.memory.host, self.memory.root / found.path
        forgotten = {} if before is None else before.forgotten
        known: dict[str, Any] = {fields.PATH: found.path, fields.DOC_TYPE: found.file_type.doc_type}
        try:
            document = host.hooks.read(reader_scheme(found.file_type.strategy), path, extra_info=known)[0]
        except SourceError as error:
            if not os.path.lexists(path):
                return None
            mtime = found.stat[0] / 1e9
            readable = not isinstance(error.__cause__, OSError)
            indexing = scan_metadata(found, readable, **forgotten, left_out=error.what)
            known |= {fields.MTIME: mtime, fields.DATE: mtime, fields.FILE_HASH: "", fields.INDEXING: indexing}
            return FileDocument(id_=found.path, text="", metadata=known)
        known, text = document.metadata, document.text
        more = known.get(fields.INDEXING) or {}
        if known[fields.FILE_HASH] in forgotten.get("forgotten_bytes", ()):
            more, text = {"left_out": FORGOTTEN}, ""
        elif self._is_old(known):
            more, text = {"left_out": TOO_OLD}, ""
        indexing = scan_metadata(found, readable=True, **more, **forgotten)
        return FileDocument(id_=found.path, text=text, metadata={**known, fields.INDEXING: indexing})

    def _is_old(self, metadata: Mapping[str, Any]) -> bool:
        return is_old_mail(metadata, self.memory.settings.mail_days, self.memory.clock())
