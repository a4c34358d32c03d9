"""What a query of the memory gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True)
class MemoryChunk:
    """A passage of one file, as it stands there."""

    text: str
    #: Relative to the root, with ``/``.
    path: str
    #: The last heading above it, a state's key, a mail's subject; may be "".
    section: str
    #: ``prompt``, ``note``, ``procedure``, ``exploration``, ``email``, ``state`` or ``log``.
    doc_type: str
    #: Cosine of the query and the passage's nearest window, -1 to 1.
    relevance: float
    #: First and last line in the file, from 1, both included.
    lines: tuple[int, int] | None = None
    #: 16 hex digits; ``ragstone memory forget`` takes it, and ``/memory/source/<chunk_id>`` shows its place.
    chunk_id: str = ""
    #: When what it tells happened, in UTC: a mail's or a log entry's date, else when the file was changed.
    date: datetime | None = None
    #: Of a mail: who wrote it and to whom, as its headers read.
    sender: str = ""
    recipients: str = ""
