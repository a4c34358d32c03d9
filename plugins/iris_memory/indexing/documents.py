"""What is remembered of a file beside its chunks, and whether the file must be read again."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from llama_index.core.schema import Document

from ..parsers.node_parser import OWN
from ..readers import READERS_VERSION
from . import fields

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .scan import Found

#: Nanoseconds in which a file can change twice under one time of change: the coarsest clock of a file system, FAT's.
_COARSEST_CLOCK = 2_000_000_000
_DAY = 86_400
_FORGOTTEN_KEYS = ("forgotten", "forgotten_as", "forgotten_bytes")
TOO_OLD = "is older than mail_days"
FORGOTTEN = "forgotten until it changes"
GONE = "is gone"


class FileDocument(Document):
    """A file as a document. It is the same document as long as its words and what its chunks tell are the same."""

    @property
    def hash(self) -> str:
        """Of the file's bytes and everything known of it but when it was looked at."""
        known = {key: value for key, value in self.metadata.items() if key != OWN}
        own = {
            key: value
            for key, value in (self.metadata.get(OWN) or {}).items()
            if key not in ("stat", "seen", "folders")
        }
        return sha256(json.dumps([known, own], sort_keys=True, default=str).encode()).hexdigest()


@dataclass(frozen=True)
class Stored:
    """What the catalog knows of a file."""

    hash: str
    metadata: dict[str, Any]
    own: Mapping[str, Any] = field(default_factory=dict)

    @property
    def left_out(self) -> str | None:
        """Why it has no chunks, if it has none for a reason."""
        reason: str | None = self.own.get("left_out")
        return reason

    @property
    def forgotten(self) -> dict[str, list[str]]:
        """What the user had forgotten of it, as ``own`` keeps it: nothing that happens to the file deletes this.

        ``forgotten``: ids of chunks; ``forgotten_as``: other paths of the file that these ids are made of;
        ``forgotten_bytes``: SHA-256 of each content that is forgotten as a whole.
        """
        kept = {key: list(self.own[key]) for key in _FORGOTTEN_KEYS if self.own.get(key)}
        if self.left_out == FORGOTTEN and "forgotten_bytes" not in kept:  # as it was stored before there was that key
            kept["forgotten_bytes"] = [str(self.metadata.get(fields.FILE_HASH))]
        return kept

    def without_words(self, path: str, left_out: str) -> FileDocument:
        """The file with nothing but why it has no chunks, and what is forgotten of it."""
        names = (fields.PATH, fields.DOC_TYPE, fields.MTIME, fields.DATE, fields.FILE_HASH)
        own = {key: self.own[key] for key in ("stat", "seen", "readers", "strategy", "folders") if key in self.own}
        known = {key: self.metadata[key] for key in names}
        return FileDocument(id_=path, metadata={**known, OWN: {**own, **self.forgotten, "left_out": left_out}})


def same_file(found: Found, stored: Stored) -> bool:
    """Whether the file certainly is as it was read."""
    return stored.own.get("stat") == list(found.stat) and looks_same(found, stored) and not is_racy(stored.own)


def looks_same(found: Found, stored: Stored) -> bool:
    """Whether nothing tells that the file is another by now."""
    own = stored.own
    return (
        own.get("stat") in (list(found.stat), None)
        and own.get("readers") == READERS_VERSION
        and (stored.metadata.get(fields.DOC_TYPE), own.get("strategy")) == (found.kind.doc_type, found.kind.strategy)
    )


def is_racy(own: Mapping[str, Any]) -> bool:
    """Whether the file was changed so shortly before it was looked at that another change could look the same.

    The idea is git's (Documentation/technical/racy-git).
    """
    known = own.get("stat")
    return known is None or max(known[0], known[1]) + _COARSEST_CLOCK >= own.get("seen", 0)


def too_old(metadata: Mapping[str, Any], mail_days: int, now: float) -> bool:
    """Whether it is a mail whose days in memory are over."""
    if metadata.get(fields.DOC_TYPE) != "email" or mail_days == 0:
        return False
    return float(metadata.get(fields.DATE, now)) < now - mail_days * _DAY


def about(found: Found, readable: bool, **more: Any) -> dict[str, Any]:
    """What the indexing keeps for itself. What could not be read is looked at again each time."""
    known = {"stat": list(found.stat) if readable else None, "seen": found.seen, "folders": list(found.folders)}
    return {**known, "readers": READERS_VERSION, "strategy": found.kind.strategy, **more}
