"""An append-only file of checksummed lines. What was acknowledged stays; a torn end was never acknowledged.

A line is the CRC-32 of its JSON in eight hexadecimal digits, a space, the JSON. The first line differs in every file.
Lines are written under the lock beside the file, and read by any process at any time.
"""

from __future__ import annotations

import json
import logging
import os
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from ragstone.core import StorageError
from ragstone.core.runtime import file_lock, storage_errors, sync_folder, write_atomically

_log = logging.getLogger(__name__)

_LOCK_SECONDS = 30.0
#: The key of the first line.
_FIRST = "from"
#: A key of each record; its value increases. Only older Ragstones read it.
_NUMBER = "seq"


class Journal:
    """The file, and the records that were read from it so far."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = path.with_suffix(".lock")
        #: Inode and first line of the file that was read.
        self._file: tuple[int, bytes] | None = None
        self._read = 0
        self._records: list[dict[str, Any]] = []

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of writers. Raises ``StorageBusy``, ``StorageError``."""
        with storage_errors(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with file_lock(self._lock, "another process writes here", hint="try again", seconds=_LOCK_SECONDS):
                yield

    def records(self) -> list[dict[str, Any]]:
        """Every whole record, in order; only what was appended since the last call is read. Raises ``StorageError``."""
        with storage_errors(self._path):
            try:
                with self._path.open("rb") as file:
                    status = os.fstat(file.fileno())
                    identity = (status.st_ino, file.readline())  # the inode of a removed file may be given out again
                    if identity != self._file or status.st_size < self._read:
                        self._file, self._read, self._records = identity, 0, []
                    file.seek(self._read)
                    rest = file.read()
            except FileNotFoundError:
                self._file, self._read, self._records = None, 0, []
                return []
        end = rest.rfind(b"\n") + 1
        for line in rest[:end].splitlines():
            record = _parse(line)
            if record is None:
                _log.warning("%s holds a damaged record, which is passed over", self._path)
            elif _FIRST not in record:
                self._records.append(record)
        self._read += end
        return self._records

    def append(self, record: Mapping[str, Any]) -> None:
        """Write a record; it is on the disk when this returns. Only under the lock. Raises ``StorageError``."""
        if not self._path.exists():
            self.begin()
        with (
            storage_errors(self._path),
            os.fdopen(os.open(self._path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC), "r+b") as file,
        ):
            if _FIRST not in (_parse(file.readline().rstrip(b"\n")) or {}):
                raise StorageError(
                    "is no journal of memories", where=str(self._path), hint="move it away, or restore it"
                )
            end = _end_of_lines(file)
            file.truncate(end)  # a torn line of a process that was killed
            file.seek(end)
            try:
                file.write(_line({_NUMBER: time.time_ns(), **record}))
                file.flush()
                os.fsync(file.fileno())
            except OSError:
                with suppress(OSError):
                    file.truncate(end)
                raise

    def begin(self) -> None:
        """Replace the file by an empty one, when its records are stored elsewhere. Only under the lock."""
        with storage_errors(self._path):
            write_atomically(self._path, _line({_FIRST: time.time_ns()}), mode=0o600)
            sync_folder(self._path.parent)


def _end_of_lines(file: BinaryIO) -> int:
    """Bytes up to the end of the last whole line."""
    size = file.seek(0, os.SEEK_END)
    if size:
        file.seek(size - 1)
        if file.read(1) != b"\n":
            file.seek(0)
            return file.read().rfind(b"\n") + 1
    return size


def _line(record: Mapping[str, Any]) -> bytes:
    text = json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _parse(line: bytes) -> dict[str, Any] | None:
    checksum, _, text = line.partition(b" ")
    try:
        if int(checksum, 16) != zlib.crc32(text) or len(checksum) != 8:
            return None
        record = json.loads(text)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None
