"""The planner's files: their locks, JSON objects in them, and the system's errors as ``StorageError``."""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import contextmanager, suppress
from errno import EDQUOT, ENOSPC
from typing import TYPE_CHECKING, Any

from ragstone.core import StorageError, StorageFull

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Raise ``StorageError`` for an ``OSError``; it names the error's own file, or else ``path``."""
    try:
        yield
    except OSError as error:
        kind = StorageFull if error.errno in (ENOSPC, EDQUOT) else StorageError
        raise kind(f"cannot be used: {error.strerror or error}", where=str(error.filename or path)) from error


def lock_file(path: Path, flags: int = 0) -> int:
    """A descriptor that holds the file's lock until it is closed or its process ends. Raises ``OSError``."""
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | flags, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def is_locked(path: Path) -> bool:
    """Whether a process holds the file's lock."""
    with suppress(OSError):
        try:
            os.close(lock_file(path))
        except BlockingIOError:
            return True
    return False


def read_object(path: Path) -> dict[str, Any] | None:
    """The JSON object in the file; ``None`` where there is none."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
