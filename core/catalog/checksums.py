"""Checksums of chunks: a row that is not what was stored is found, and none of its text is quoted.

A checksum has two halves of 8 bytes (BLAKE2b): of what an answer quotes, headings and text, which is compared each time
a chunk is read; and of everything else in the row, which ``ragstone doctor`` and ``ragstone corpus check`` compare.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

#: What to do about damaged chunks.
RESTORE = "restore the database from a backup, or remove these documents and add them again"
_HALF = 8
_MOST_NAMED = 10


@dataclass(frozen=True)
class DamagedChunk:
    """A chunk whose row is not what was stored."""

    doc_id: str
    chunk_id: str


@dataclass
class ChunkCheck:
    """What comparing the chunks of a corpus with their checksums found."""

    #: Chunks that were compared.
    checked: int = 0
    #: Chunks without a checksum: an older Ragstone stored them.
    unsealed: int = 0
    damaged: list[DamagedChunk] = field(default_factory=list)
    #: ``False`` when the time was up before the last chunk.
    complete: bool = True

    @property
    def damage(self) -> str:
        """The damaged chunks with their documents, in words."""
        named = ", ".join(f"chunk {each.chunk_id} of document {each.doc_id}" for each in self.damaged[:_MOST_NAMED])
        more = f" and {len(self.damaged) - _MOST_NAMED} more" if len(self.damaged) > _MOST_NAMED else ""
        return f"{len(self.damaged)} damaged: {named}{more}"


def text_checksum(headings: str | bytes, text: str | bytes) -> bytes:
    """The first half: of what an answer quotes."""
    return _digest(_bytes(headings), _bytes(text))


def checksum(row: Mapping[Any, Any]) -> bytes:
    """Both halves of a row of the table ``chunk``, by its columns; JSON as bytes or values. Raises ``ValueError``."""
    rest = _digest(
        _bytes(row["chunk_id"]),
        str(row["position"]).encode(),
        _canonical(row["metadata"]),
        _canonical(row["node"]),
        row["vectors"],
        row["words"] or b"",
    )
    return text_checksum(row["headings"], row["text"]) + rest


def is_text_intact(stored: bytes | None, headings: str, text: str) -> bool:
    """Whether the text is what was stored, as far as the row has a checksum."""
    return stored is None or stored[:_HALF] == text_checksum(headings, text)


def _digest(*parts: bytes) -> bytes:
    total = blake2b(digest_size=_HALF)
    for part in parts:
        total.update(len(part).to_bytes(8, "little"))
        total.update(part)
    return total.digest()


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _canonical(value: Any) -> bytes:
    """JSON, as bytes or as a value, in one form: PostgreSQL orders keys anew and gives ``1e22`` as a whole number."""
    text = value if isinstance(value, bytes) else json.dumps(value)
    return json.dumps(json.loads(text, parse_float=_number), sort_keys=True).encode()


def _number(digits: str) -> float | int:
    number = float(digits)
    return int(number) if number.is_integer() else number
