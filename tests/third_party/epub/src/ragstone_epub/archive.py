"""The ZIP archive that a book is, read in memory and within limits, whatever its headers say."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from .errors import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Bytes: of the file, of its table of files (which costs Python ten times as much), of one part, of all that are read.
MAX_FILE, MAX_TABLE, MAX_PART, MAX_IN_ALL = 100_000_000, 4_000_000, 5_000_000, 30_000_000

#: The record at an archive's end: signature, disks, counts, size and place of the table, length of the comment.
_END = struct.Struct("<4s4H2LH")
_LONGEST_COMMENT = 1 << 16
_LOCATOR = b"PK\x06\x07"  # of the larger form of that record, which no book needs


class Archive:
    """Got from ``opened``."""

    def __init__(self, parts: zipfile.ZipFile) -> None:
        self._parts = parts
        self._names = frozenset(parts.namelist())
        self._left = MAX_IN_ALL

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def read(self, name: str) -> bytes:
        """What the part holds. Raises ``Refused``."""
        if name not in self._names:
            raise Refused("broken", f"lacks its part {name!r}")
        info = self._parts.getinfo(name)
        if info.flag_bits & 1:
            raise Refused("encrypted", f"its part {name!r} is encrypted")
        if info.compress_type not in (
            zipfile.ZIP_STORED,
            zipfile.ZIP_DEFLATED,
        ):
            # Python would unpack others without a limit.
            raise Refused("broken", f"its part {name!r} is packed in a way that no book may have")
        limit = min(MAX_PART, self._left)
        try:
            with self._parts.open(info) as part:
                data = part.read(limit + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError) as error:
            raise Refused("broken", f"its part {name!r} cannot be unpacked: {error}") from error
        if len(data) > limit:
            raise Refused("bomb", f"its part {name!r} unpacks to more than {limit:,} bytes")
        self._left -= len(data)
        return data


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """The file's archive. Raises ``Refused``."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):  # opening a pipe would wait for somebody to write into it
            raise Refused("broken", "is not a file")
        file = path.open("rb")
    except OSError as error:
        raise Refused("broken", f"cannot be read: {error.strerror or error}") from error
    with file:
        try:
            _check_size(file)
            parts = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, struct.error) as error:
            raise Refused("broken", f"is no archive: {error}") from error
        with parts:
            yield Archive(parts)


def _check_size(file: IO[bytes]) -> None:
    """Look at the archive's end before ``zipfile`` reads the whole table of files into memory."""
    size = file.seek(0, 2)
    if size > MAX_FILE:
        raise Refused("too_large", f"has {size:,} bytes, more than {MAX_FILE:,}")
    start = file.seek(max(0, size - _LONGEST_COMMENT - _END.size - len(_LOCATOR) - 16))
    tail = file.read(size - start)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END.size:
        raise Refused("broken", "is no archive")
    table = _END.unpack_from(tail, at)[5]
    if table > MAX_TABLE or _LOCATOR in tail[max(0, at - 20) : at]:
        raise Refused("too_large", f"its table of files is larger than {MAX_TABLE:,} bytes")
    file.seek(0)
