"""The bytes of a file that anybody may change, swap or take away while it is read."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from abc import abstractmethod
from pathlib import Path
from typing import Any

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from ragstone.core import SourceError

from ..indexing import fields
from ..parsers.node_parser import OWN

#: A file that somebody is writing is read again, this often, after this many seconds.
_TRIES = 3
_PAUSE = 0.02


class FileReader(BaseReader):
    """Reads one file as one document; how its bytes are understood is for the subclass."""

    def __init__(self, max_bytes: int = 10_000_000) -> None:
        self.max_bytes = max_bytes

    @abstractmethod
    def understand(self, data: bytes, path: Path, mtime: float) -> tuple[str, dict[str, Any], Any]:
        """The text; further metadata; lines of the file: a number for all, one for each line of the text, or ``None``
        where the text has the file's own lines. Raises ``SourceError``."""

    def load_data(self, file: Path | str, extra_info: dict[str, Any] | None = None) -> list[Document]:
        """One document with ``mtime``, ``date``, ``file_hash`` and ``extra_info``. Raises ``SourceError``."""
        path = Path(file)
        data, mtime = read_whole(path, self.max_bytes)
        text, known, lines = self.understand(data, path, mtime)
        if not text.strip():
            raise SourceError("holds no words", where=str(path))
        metadata = {
            fields.MTIME: mtime,
            fields.DATE: mtime,
            fields.FILE_HASH: hashlib.sha256(data).hexdigest(),
            **known,
            **(extra_info or {}),
        }
        if lines is not None:
            metadata[OWN] = {**metadata.get(OWN, {}), "lines": lines}
        return [Document(text=text, metadata=metadata)]


class TextReader(FileReader):
    """Plain text and Markdown, line for line."""

    def understand(self, data: bytes, path: Path, mtime: float) -> tuple[str, dict[str, Any], Any]:  # noqa: ARG002
        """The text with line feeds alone. Raises ``SourceError`` for what is not UTF-8 text."""
        return utf8(data, path), {}, None


def utf8(data: bytes, path: Path) -> str:
    """The bytes as text with line feeds alone. Raises ``SourceError``."""
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


def without_surrogates(text: str) -> str:
    """The text without halves of characters and NULs, which no database takes."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")


def read_whole(path: Path, max_bytes: int) -> tuple[bytes, float]:
    """The bytes, and when they were last changed (seconds since 1970); read again while somebody writes.

    A link is not followed, and a pipe is not waited for. Raises ``SourceError``.
    """
    try:
        for last in (False,) * (_TRIES - 1) + (True,):
            data, before, after = _read_once(path, max_bytes)
            if before == after or last:
                break
            time.sleep(_PAUSE)
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror or error}", where=str(path)) from error
    if len(data) > max_bytes:
        raise SourceError(f"has more than {max_bytes:,} bytes", where=str(path))
    if os.path.realpath(path) != str(path.absolute()):
        raise SourceError("lies behind a link", where=str(path))
    return data, after[0] / 1e9


def _read_once(path: Path, max_bytes: int) -> tuple[bytes, tuple[int, int], tuple[int, int]]:
    # O_NONBLOCK: what was a file when it was listed may be a pipe by now, and opening one waits for its other end.
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(handle, "rb", buffering=0) as file:  # noqa: PTH123 - it is open already
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise SourceError("is no file", where=str(path))
        parts, left = [], max_bytes + 1
        while left > 0 and (part := file.read(min(left, 1 << 20))):
            parts.append(part)
            left -= len(part)
        now = os.fstat(handle)
    return b"".join(parts), (found.st_mtime_ns, found.st_size), (now.st_mtime_ns, now.st_size)
