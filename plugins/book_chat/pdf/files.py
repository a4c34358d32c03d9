"""PDFs as files: opened without waiting, and told apart by what they hold."""

from __future__ import annotations

import os
import stat
from hashlib import sha256
from typing import IO, TYPE_CHECKING

from ragstone.core import SourceError

from .limits import MAX_BYTES

if TYPE_CHECKING:
    from pathlib import Path


def open_plain(path: Path) -> IO[bytes]:
    """The file, open for reading. Raises ``SourceError`` for what is no plain file, or too large."""
    try:
        # Without O_NONBLOCK a pipe would wait for somebody to write into it.
        opened = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror or error}", where=str(path)) from error
    found = os.fstat(opened.fileno())
    if stat.S_ISREG(found.st_mode) and found.st_size <= MAX_BYTES:
        return opened
    opened.close()
    if not stat.S_ISREG(found.st_mode):
        raise SourceError("is not a file", where=str(path))
    raise SourceError(f"has {found.st_size:,} bytes, more than {MAX_BYTES:,}", where=str(path))


def digest_of(file: IO[bytes]) -> str:
    """SHA-256 of an open file, in hex."""
    file.seek(0)
    digest = sha256()
    while part := file.read(1 << 20):
        digest.update(part)
    return digest.hexdigest()
