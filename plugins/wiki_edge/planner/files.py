"""The planner's files: their locks, and JSON objects in them."""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


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
