"""Removes side files from the cache whose shard is gone."""

from __future__ import annotations

import json
import logging
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from ragstone.core.runtime import OwnedFolders

_log = logging.getLogger(__name__)

#: Side files that are being made; older ones were left by a process that died.
MAKING = "making-"
_LONGEST_MAKING = 24 * 3600


def stamp(path: Path) -> list[Any]:
    """Changes whenever the file does. Raises ``OSError``."""
    about = path.stat()
    return [str(path), about.st_size, about.st_mtime_ns, about.st_ino]


def clear(cache: Path, record: str) -> None:
    """Remove what was made of files that are not there any more, or not as they were.

    ``record``: the file in each folder with the stamps of what it was made of. A process that has them open reads on.
    What cannot be removed is tried again another time.
    """
    folders = side_file_folders(cache)
    for path in cache.glob(f"*/{record}"):
        folder = path.parent
        if not folders.owns(folder.name):
            continue
        with suppress(OSError, Timeout), FileLock(cache / f"{folder.name}.lock", timeout=0) as lock:
            if _is_stale(path):
                _log.info("removing the side files in %s: their shard is gone", folder)
                path.unlink()  # from here on they count no more, whatever happens
                folders.remove(folder.name)
                Path(lock.lock_file).unlink()
    for scratch in cache.glob(f"{MAKING}*"):
        with suppress(OSError):
            if folders.owns(scratch.name) and time.time() - scratch.stat().st_mtime > _LONGEST_MAKING:
                folders.remove(scratch.name)


def side_file_folders(cache: Path) -> OwnedFolders:
    """The folders of side files in the cache."""
    return OwnedFolders(
        cache, "side files", r"(made-of|domains)\.json|[a-z-]+\.npy|postings-\d+\.part", home=cache.parent
    )


def _is_stale(record: Path) -> bool:
    try:
        stamps = [part for part in json.loads(record.read_bytes()) if isinstance(part, list)]
        return any(stamp(Path(str(each[0]))) != each for each in stamps)
    except FileNotFoundError:
        return True
    except (OSError, ValueError):
        return False  # nothing is known about it
