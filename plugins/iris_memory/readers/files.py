"""Reads one file; one that another process changes meanwhile is read again by the next update."""

from __future__ import annotations

import hashlib
import os
import re
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from ragstone.core import SourceError
from ragstone.core.runtime import open_regular

from .. import fields
from ..parsers.sections import front_matter

_VALIDITY = re.compile(r"""^(valid_from|valid_until):[ \t]*["']?([^"'#\n]{1,40}?)["']?[ \t]*(?:#.*)?$""", re.MULTILINE)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class ParsedFile:
    """What a reader makes of a file's bytes."""

    text: str
    metadata: dict[str, Any] = field(default_factory=dict)
    #: Lines of the file: their number for the whole text, one for each line of the text, or ``None`` where both have
    #: the same lines.
    lines: int | list[int] | None = None


class FileReader(BaseReader):
    """Reads one file as one document; subclasses parse its bytes."""

    def __init__(self, max_bytes: int = 10_000_000) -> None:
        self.max_bytes = max_bytes

    @abstractmethod
    def parse(self, data: bytes, path: Path, mtime: float) -> ParsedFile:
        """Parse the file's bytes. Raises ``SourceError``."""

    def load_data(self, file: Path | str, extra_info: dict[str, Any] | None = None) -> list[Document]:
        """One document with ``mtime``, ``date``, ``file_hash`` and ``extra_info``. Raises ``SourceError``."""
        path = Path(file)
        data, mtime = read_bytes(path, self.max_bytes)
        parsed = self.parse(data, path, mtime)
        if not parsed.text.strip():
            raise SourceError("holds no words", where=str(path))
        metadata = {
            fields.MTIME: mtime,
            fields.DATE: mtime,
            fields.FILE_HASH: hashlib.sha256(data).hexdigest(),
            **parsed.metadata,
            **(extra_info or {}),
        }
        if parsed.lines is not None:
            metadata[fields.INDEXING] = {**metadata.get(fields.INDEXING, {}), "lines": parsed.lines}
        return [Document(text=parsed.text, metadata=metadata)]


class TextReader(FileReader):
    """Plain text and Markdown, line for line."""

    def parse(self, data: bytes, path: Path, mtime: float) -> ParsedFile:  # noqa: ARG002
        """The text with line feeds only, and its validity. Raises ``SourceError`` for what is not UTF-8 text."""
        text = utf8(data, path)
        return ParsedFile(text, validity_in(text))


def validity_in(text: str) -> dict[str, float]:
    """``valid_from`` and ``valid_until`` of the front matter, seconds since 1970; what is no date counts as missing.

    A day counts whole, in UTC: from its first moment, until its last.
    """
    found = {}
    for name, value in _VALIDITY.findall(front_matter(text)):
        try:
            when = datetime.fromisoformat(value)
            if name == fields.VALID_UNTIL and _DAY.fullmatch(value):
                when += timedelta(days=1, seconds=-1)
            found[name] = fields.timestamp(when)
        except (ValueError, OverflowError):
            continue
    return found


def join_parts(parts: Iterable[tuple[str, dict[str, Any], list[int]]], metadata: dict[str, Any]) -> ParsedFile:
    """Texts of one file as one text, a blank line between two.

    ``parts``: each text with its own metadata, and the line of the file for each of its lines and the blank one.
    ``metadata["indexing"]["mails"]`` has of each text where it begins, and its metadata.
    """
    texts, known, places, at = list[str](), list[dict[str, Any]](), list[int](), 0
    for text, own, lines in parts:
        if text:
            known.append({"start": at, **own})
        texts.append(text)
        places += lines
        at += len(text) + 2
    return ParsedFile("\n\n".join(texts), {**metadata, fields.INDEXING: {"mails": known}}, places)


def utf8(data: bytes, path: Path) -> str:
    """The bytes as text with line feeds only. Raises ``SourceError``."""
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        if b"\0" in data:
            raise SourceError("is binary", where=str(path)) from error
        reason = f"is not UTF-8: byte {data[error.start]:#04x} in line {line}"
        raise SourceError(reason, where=str(path), hint="save it as UTF-8") from error
    if "\0" in text:
        raise SourceError("is binary", where=str(path))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_bytes(path: Path, max_bytes: int) -> tuple[bytes, float]:
    """The bytes and their time of change, seconds since 1970.

    A link is not followed, and a pipe does not block. Raises ``SourceError``.
    """
    try:
        with open_regular(path, follow_links=False) as file:
            found = os.fstat(file.fileno())
            data = file.read(min(found.st_size, max_bytes) + 1)
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror or error}", where=str(path)) from error
    if len(data) > max_bytes:
        raise SourceError(f"has more than {max_bytes:,} bytes", where=str(path))
    if os.path.realpath(path) != str(path.absolute()):
        raise SourceError("lies behind a link", where=str(path))
    return data, found.st_mtime
