"""Side files in the cache whose shard is gone: they go too, with what they tell of its words."""

from __future__ import annotations

import json
import logging
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

_log = logging.getLogger(__name__)

#: Side files that are being made; what is this many seconds old was left by somebody who died.
MAKING = "making-"
_LONGEST_MAKING = 24 * 3600


def stamp(path: Path) -> list[Any]:
    """Changes whenever the file does. Raises ``OSError``."""
    about = path.stat()
    return [str(path), about.st_size, about.st_mtime_ns, about.st_ino]


def clear(cache: Path, record: str) -> None:
    """Remove what was made of files that are not there any more, or not as they were.

    ``record``: the file in each folder that tells what it was made of; its stamps come last. Who has such side files
    open reads on. What cannot be removed stays, and is tried again another time.
    """
    for path in cache.glob(f"*/{record}"):
        folder = path.parent
        with suppress(OSError, Timeout), FileLock(cache / f"{folder.name}.lock", timeout=0) as lock:
            if _is_stale(path):
                _log.info("removing the side files in %s: their shard is gone", folder)
                path.unlink()  # from here on they count no more, whatever happens
                shutil.rmtree(folder)
                Path(lock.lock_file).unlink()
    for scratch in cache.glob(f"{MAKING}*"):
        with suppress(OSError):
            if time.time() - scratch.stat().st_mtime > _LONGEST_MAKING:
                shutil.rmtree(scratch)


def _is_stale(record: Path) -> bool:
    try:
        stamps = [part for part in json.loads(record.read_bytes()) if isinstance(part, list)]
        return any(stamp(Path(str(each[0]))) != each for each in stamps)
    except FileNotFoundError:
        return True
    except (OSError, ValueError, TypeError, IndexError):
        return False  # nothing is known about it
