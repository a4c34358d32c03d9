"""Checksums of chunks: they detect damaged rows, whose text is never quoted.

A checksum has two halves of 8 bytes (BLAKE2b): of headings and text, verified each time that a chunk is read; and of
the rest of the row, verified by ``ragstone doctor`` and ``ragstone corpus check``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

#: The hint for damaged chunks.
RESTORE = "restore the database from a backup, or remove these documents and add them again"
_HALF = 8
_MAX_NAMED = 10


@dataclass(frozen=True)
class DamagedChunk:
    """A chunk whose row does not match its checksum, or a document whose own metadata cannot be read."""

    doc_id: str
    #: Empty for a document.
    chunk_id: str = ""

    def __str__(self) -> str:
        return f"chunk {self.chunk_id} of document {self.doc_id}" if self.chunk_id else f"document {self.doc_id}"


@dataclass
class ChunkCheck:
    """The result of comparing the chunks of a corpus with their checksums."""

    #: Number of chunks that were compared.
    checked: int = 0
    #: Number of chunks without a checksum: an older Ragstone stored them.
    unsealed: int = 0
    damaged: list[DamagedChunk] = field(default_factory=list)
    #: ``False`` if the time was over before the last chunk.
    complete: bool = True

    @property
    def damage(self) -> str:
        """A message that names the damaged chunks and their documents."""
        named = ", ".join(map(str, self.damaged[:_MAX_NAMED]))
        more = f" and {len(self.damaged) - _MAX_NAMED} more" if len(self.damaged) > _MAX_NAMED else ""
        return f"{len(self.damaged)} damaged: {named}{more}"


def text_checksum(headings: str | bytes, text: str | bytes) -> bytes:
    """The first half of the checksum: of headings and text."""
    return _digest(_bytes(headings), _bytes(text))


def checksum(row: Mapping[Any, Any]) -> bytes:
    """The checksum of a row of the table ``chunk``, with JSON as bytes or values. Raises ``ValueError``."""
    # A row of an older Ragstone has no vectors of sentences, and its checksum has no part for them.
    sentences = () if row["sentences"] is None else (row["sentences"],)
    rest = _digest(
        _bytes(row["chunk_id"]),
        str(row["position"]).encode(),
        _canonical(row["metadata"]),
        _canonical(row["node"]),
        row["vectors"],
        row["words"] or b"",
        *sentences,
    )
    return text_checksum(row["headings"], row["text"]) + rest


def is_text_intact(stored: Any, headings: Any, text: Any) -> bool:
    """Whether the text matches the stored checksum, if there is one; SQLite gives damaged values of any type."""
    if not (isinstance(text, str) and isinstance(headings, str)):
        return False
    return stored is None or (isinstance(stored, bytes) and stored[:_HALF] == text_checksum(headings, text))


def is_intact(row: Mapping[Any, Any]) -> bool:
    """Whether the row matches its checksum."""
    try:
        return bool(checksum(row) == row["checksum"])
    except (ValueError, TypeError, RecursionError):
        return False


def is_object(stored: Any) -> bool:
    """Whether the JSON, as bytes or a value, is an object."""
    try:
        return isinstance(json.loads(stored) if isinstance(stored, bytes) else stored, dict)
    except (ValueError, RecursionError):
        return False


def _digest(*parts: bytes) -> bytes:
    total = blake2b(digest_size=_HALF)
    for part in parts:
        total.update(len(part).to_bytes(8, "little"))
        total.update(part)
    return total.digest()


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _canonical(value: Any) -> bytes:
    """JSON in one canonical form: PostgreSQL reorders keys and returns ``1e22`` as a whole number."""
    text = value if isinstance(value, bytes) else json.dumps(value)
    return json.dumps(json.loads(text, parse_float=_number), sort_keys=True).encode()


def _number(digits: str) -> float | int:
    number = float(digits)
    return int(number) if number.is_integer() else number
