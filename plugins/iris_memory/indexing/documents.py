"""A file as a document of the catalog, and whether the file must be read again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from llama_index.core.schema import Document

from .. import fields
from ..readers import READERS_VERSION
from .scan import ScannedFile

#: Nanoseconds in which a file can change twice under one time of change: the coarsest clock of a file system, FAT's.
_COARSEST_CLOCK = 2_000_000_000
_DAY = 86_400.0
_FORGOTTEN_KEYS = ("forgotten", "forgotten_as", "forgotten_bytes")
TOO_OLD = "is older than mail_days"
FORGOTTEN = "forgotten until it changes"
GONE = "is gone"


class FileDocument(Document):
    """A file as a document. Its hash is the same as long as its content and the metadata of its chunks are the same."""

    @property
    def hash(self) -> str:
        """Of the file's bytes and all metadata except those of the last scan."""
        known = {key: value for key, value in self.metadata.items() if key != fields.INDEXING}
        indexing = {
            key: value
            for key, value in (self.metadata.get(fields.INDEXING) or {}).items()
            if key not in ("stat", "seen", "folders")
        }
        return sha256(json.dumps([known, indexing], sort_keys=True, default=str).encode()).hexdigest()


@dataclass(frozen=True)
class StoredFile:
    """What the catalog holds of a file."""

    hash: str
    metadata: dict[str, Any]
    indexing: Mapping[str, Any] = field(default_factory=dict)

    @property
    def left_out(self) -> str | None:
        """Why it has no chunks, if it has none for a reason."""
        reason: str | None = self.indexing.get("left_out")
        return reason

    @property
    def forgotten(self) -> dict[str, list[str]]:
        """What is forgotten of it, as ``metadata["indexing"]`` holds it: it stays whatever happens to the file.

        ``forgotten``: ids of chunks; ``forgotten_as``: other paths of the file that these ids are made of;
        ``forgotten_bytes``: SHA-256 of each content that is forgotten as a whole.
        """
        kept = {key: list(self.indexing[key]) for key in _FORGOTTEN_KEYS if self.indexing.get(key)}
        if self.left_out == FORGOTTEN and "forgotten_bytes" not in kept:  # as it was stored before there was that key
            kept["forgotten_bytes"] = [str(self.metadata.get(fields.FILE_HASH))]
        return kept

    def without_text(self, path: str, left_out: str) -> FileDocument:
        """The file without its text: why it has no chunks, and what is forgotten of it."""
        names = (fields.PATH, fields.DOC_TYPE, fields.MTIME, fields.DATE, fields.FILE_HASH)
        kept = {
            key: self.indexing[key]
            for key in ("stat", "seen", "readers", "strategy", "folders")
            if key in self.indexing
        }
        known = {key: self.metadata[key] for key in names}
        indexing = {**kept, **self.forgotten, "left_out": left_out}
        return FileDocument(id_=path, metadata={**known, fields.INDEXING: indexing})


def is_unchanged(found: ScannedFile, stored: StoredFile) -> bool:
    """Whether the file certainly is as it was read."""
    return (
        stored.indexing.get("stat") == list(found.stat)
        and looks_unchanged(found, stored)
        and not is_racy(stored.indexing)
    )


def looks_unchanged(found: ScannedFile, stored: StoredFile) -> bool:
    """Whether nothing that can be seen without reading the file has changed."""
    indexing, file_type = stored.indexing, found.file_type
    return (
        indexing.get("stat") in (list(found.stat), None)
        and indexing.get("readers") == READERS_VERSION
        and (stored.metadata.get(fields.DOC_TYPE), indexing.get("strategy")) == (file_type.doc_type, file_type.strategy)
    )


def is_racy(indexing: Mapping[str, Any]) -> bool:
    """Whether the file was changed so shortly before its scan that another change could look the same.

    The idea is git's (Documentation/technical/racy-git).
    """
    stat = indexing.get("stat")
    return stat is None or max(stat[0], stat[1]) + _COARSEST_CLOCK >= indexing.get("seen", 0)


def is_old_mail(metadata: Mapping[str, Any], days: int, now: float) -> bool:
    """Whether it is a mail of more than so many days; with 0 days none is."""
    date = fields.number(metadata, fields.DATE)
    return bool(days) and metadata.get(fields.DOC_TYPE) == "email" and date is not None and date < now - days * _DAY


def scan_metadata(found: ScannedFile, readable: bool, **more: Any) -> dict[str, Any]:
    """A document's ``metadata["indexing"]``. Without a ``stat``, as of an unreadable file, it is read again."""
    known = {"stat": list(found.stat) if readable else None, "seen": found.seen, "folders": list(found.folders)}
    return {**known, "readers": READERS_VERSION, "strategy": found.file_type.strategy, **more}
