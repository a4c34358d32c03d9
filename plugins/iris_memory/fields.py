"""The names of a chunk's metadata. Their values come from files: they are untrusted input."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

#: Of the file: relative to the root, with ``/``.
PATH = "path"
#: The filter that names the moment for which is asked; no chunk has it.
AS_OF = "as_of"
#: One of ``settings.DOC_TYPES``.
DOC_TYPE = "doc_type"
#: The last heading above the text as it is written (``## Reply timing``), a state's key, a mail's subject; may be "".
SECTION = "section"
#: All headings above the text, from the file's title down, joined by SEPARATOR. It is embedded with the text.
HEADING_PATH = "heading_path"
#: Of chats and transcripts: the turns before the chunk's, embedded and in full text with it, but not quoted;
#: missing for the first, or its speaker if that is "User" or its like in a chat.
#: Of a short mail: the one question that it answers.
CONTEXT = "context"
#: The file's own title: first heading, subject, else its name.
TITLE = "title"
#: When the file was changed, seconds since 1970 (float).
MTIME = "mtime"
#: Seconds since 1970 (float): a mail's ``Date``, a log entry's date, else ``MTIME``.
DATE = "date"
#: Of a mail, and of a text whose heading or file's name has a date: the day in words, embedded with the text.
DAY = "day"
#: From 0, in the file.
CHUNK_INDEX = "chunk_index"
#: SHA-256 of the file's bytes, 64 hex digits.
FILE_HASH = "file_hash"
#: Lines of the file, from 1, both included.
LINE_FIRST = "line_first"
LINE_LAST = "line_last"
#: Transcripts alone: who speaks in the turn, such as ``user`` or ``agent``.
SPEAKER = "speaker"
#: Of a file whose front matter says so: seconds since 1970 (float), both included; missing: without that end.
VALID_FROM = "valid_from"
VALID_UNTIL = "valid_until"
#: Mail alone: as the header reads, decoded, one line each; "" if there is none.
FROM = "from"
TO = "to"
CC = "cc"
SUBJECT = "subject"
MESSAGE_ID = "message_id"
IN_REPLY_TO = "in_reply_to"
#: Mail alone: the bare addresses of ``from`` and of ``to`` and ``cc``, lower case, joined by a space.
SENDER = "sender"
RECIPIENTS = "recipients"
#: Mail alone: names of what is attached, joined by ", ".
ATTACHMENTS = "attachments"

#: "open" for a chunk with a task that is not ticked off, "done" for one with no other tasks than those that are.
TASKS = "tasks"
#: Of a chunk without a day: "2026-10 2026-11" for lines that begin with days of these months.
MONTHS = "months"

SEPARATOR = " › "

#: Of a document alone, not of its chunks: what updates and the node parser know of the file.
INDEXING = "indexing"


def chunk_id(path: str, text: str, before: int = 0) -> str:
    """The first 16 hex digits of SHA-256 over path and text.

    ``before``: how many earlier chunks of the file have the same text; hashed too, unless it is 0.
    """
    again = f"\0{before}" if before else ""
    return sha256(f"{path}\0{text}{again}".encode()).hexdigest()[:16]


def timestamp(when: datetime) -> float:
    """Seconds since 1970; a time without a zone is in UTC."""
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


def number(metadata: Mapping[str, Any], key: str) -> float | None:
    """The value under the key, if it is a number."""
    value = metadata.get(key)
    return float(value) if isinstance(value, int | float) else None
