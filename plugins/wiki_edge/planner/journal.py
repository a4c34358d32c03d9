"""An append-only file of checksummed lines. What was acknowledged stays; a torn end was never acknowledged.

Each line is the CRC-32 of its JSON in eight hexadecimal digits, a space, the JSON. The first one tells from which
number on it counts. Lines are written by whoever holds the lock beside it, and read by anybody at any time.
"""

from __future__ import annotations

import json
import logging
import os
import zlib
from contextlib import contextmanager, suppress
from errno import EDQUOT, ENOSPC
from typing import TYPE_CHECKING, Any, BinaryIO

from ragstone.core import StorageBusy, StorageError, StorageFull
from ragstone.core.runtime import sync_folder, write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_log = logging.getLogger(__name__)

_LOCK_SECONDS = 30.0


class Journal:
    """The file, and the part of it that was read already."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = path.with_suffix(".lock")
        self._file: tuple[int, bytes] | None = None
        self._read = 0
        self._known: list[dict[str, Any]] = []
        #: Number of the last record that came before the file's first.
        self.base = 0

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Be the only one who writes. Raises ``StorageBusy``, ``StorageError``."""
        from filelock import FileLock, Timeout

        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(str(self._lock), timeout=_LOCK_SECONDS):
                yield
        except Timeout as error:
            raise StorageBusy("another process writes here", where=str(self._path), hint="try again") from error
        except OSError as error:
            raise explained(error, self._path) from error

    def records(self) -> list[dict[str, Any]]:
        """Every whole record so far, in order; the file is read on from where it was read to."""
        try:
            with self._path.open("rb") as file:
                status = os.fstat(file.fileno())
                # Its inode alone would not do: a new file may well get that of the one before the last. No two of
                # them count from the same number.
                which = (status.st_ino, file.readline())
                if which != self._file or status.st_size < self._read:
                    self._file, self._read, self._known, self.base = which, 0, [], 0
                file.seek(self._read)
                rest = file.read()
        except FileNotFoundError:
            self._file, self._read, self._known, self.base = None, 0, [], 0
            return []
        except OSError as error:
            raise explained(error, self._path) from error
        end = rest.rfind(b"\n") + 1
        for line in rest[:end].splitlines():
            record = _record(line)
            if record is None:
                _log.warning("%s holds a damaged record, which is passed over", self._path)
            elif "from" in record:
                self.base = max(self.base, int(record["from"]))
            else:
                self._known.append(record)
        self._read += end
        return self._known

    def append(self, record: Mapping[str, Any]) -> None:
        """Write a record, for good when this returns; only under the lock. Raises ``StorageError``."""
        if not self._path.exists():
            self.begin(0)
        try:
            with os.fdopen(os.open(self._path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC), "r+b") as file:
                if "from" not in (_record(file.readline().rstrip(b"\n")) or {}):
                    raise StorageError(
                        "is no journal of memories", where=str(self._path), hint="move it away, or restore it"
                    )
                whole = _whole(file)
                file.truncate(whole)  # what a death left behind
                file.seek(whole)
                try:
                    file.write(_line(record))
                    file.flush()
                    os.fsync(file.fileno())
                except OSError:
                    with suppress(OSError):
                        file.truncate(whole)
                    raise
        except OSError as error:
            raise explained(error, self._path) from error

    def begin(self, base: int) -> None:
        """A new file in the place of the old one, whose records have all gone elsewhere; only under the lock."""
        try:
            write_atomically(self._path, _line({"from": base}), mode=0o600)
            sync_folder(self._path.parent)
        except OSError as error:
            raise explained(error, self._path) from error


def _whole(file: BinaryIO) -> int:
    """Bytes up to the end of the last line that was written to its end."""
    size = file.seek(0, os.SEEK_END)
    if size:
        file.seek(size - 1)
        if file.read(1) != b"\n":
            file.seek(0)
            return file.read().rfind(b"\n") + 1
    return size


def _line(record: Mapping[str, Any]) -> bytes:
    told = json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode()
    return b"%08x %s\n" % (zlib.crc32(told), told)


def _record(line: bytes) -> dict[str, Any] | None:
    checksum, _, told = line.partition(b" ")
    try:
        if int(checksum, 16) != zlib.crc32(told) or len(checksum) != 8:
            return None
        record = json.loads(told)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def explained(error: OSError, path: Path) -> StorageError:
    """What the system says of the disk, as ours."""
    kind = StorageFull if error.errno in (ENOSPC, EDQUOT) else StorageError
    return kind(f"cannot be used: {error.strerror or error}", where=str(error.filename or path))
