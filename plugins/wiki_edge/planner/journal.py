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
from typing import Any

from ragstone.core import StorageError
from ragstone.core.runtime import file_lock, storage_errors, sync_folder, write_atomically

_log = logging.getLogger(__name__)

_LOCK_SECONDS = 30.0
#: The key of the first line.
_FIRST = "from"
#: A key of each record; its value increases. Only older Ragstones read it.
_NUMBER = "seq"


class Journal:
    """The file. It is short: now and then its records are stored elsewhere, and it begins anew."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = path.with_suffix(".lock")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of writers. Raises ``StorageBusy``, ``StorageError``."""
        with storage_errors(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with file_lock(self._lock, "another process writes here", hint="try again", seconds=_LOCK_SECONDS):
                yield

    def records(self) -> list[dict[str, Any]]:
        """Every whole record, in order. Raises ``StorageError``."""
        with storage_errors(self._path):
            raw = self._path.read_bytes() if self._path.exists() else b""
        found = []
        for line in raw[: raw.rfind(b"\n") + 1].splitlines():
            record = _parse(line)
            if record is None:
                _log.warning("%s holds a damaged record, which is passed over", self._path)
            elif _FIRST not in record:
                found.append(record)
        return found

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
            file.seek(0)
            end = file.read().rfind(b"\n") + 1
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
