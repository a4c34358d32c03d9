"""The driver's and the system's errors as ours."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError

from ..errors import StorageBusy, StorageDenied, StorageError, StorageFull

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def told(where: str) -> Iterator[None]:
    """Turn what the driver or the system raises within into a ``StorageError`` that names the place."""
    try:
        yield
    except OSError as error:
        raise _storage_error(error, where) from error
    except DBAPIError as error:
        raise _database_error(error, where) from error


def _database_error(error: DBAPIError, where: str) -> StorageError:
    original = error.orig
    name = getattr(original, "sqlite_errorname", "") or ""
    said = str(original)
    if name.startswith("SQLITE_FULL") or "disk is full" in said:
        return StorageFull("no space is left on the disk", where=where, hint="make space and try again")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StorageBusy("another process holds the database", where=where, hint="try again in a moment")
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        return StorageDenied(
            f"the database cannot be opened or written: {said}",
            where=where,
            hint="check the folder's owner and permissions, or set RAGSTONE_DATA_DIR",
        )
    if name.startswith("SQLITE_IOERR"):
        # SQLite reports a full disk under its journal as an input/output error.
        if _is_full(where):
            return StorageFull("no space is left on the disk", where=where, hint="make space and try again")
        return StorageError(f"the disk failed: {said}", where=where)
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return StorageError(f"is not a readable database: {said}", where=where, hint="restore it from a backup")
    return StorageError(f"the database refused: {said}", where=where)


def _is_full(where: str) -> bool:
    try:
        return os.statvfs(os.path.dirname(where) or ".").f_bavail < 16  # noqa: PTH120 - it may be no path at all
    except OSError:
        return False


def _storage_error(error: OSError, where: str) -> StorageError:
    said = error.strerror or str(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageFull("no space is left on the disk", where=where, hint="make space and try again")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.ENOENT):
        return StorageDenied(
            f"the data folder cannot be used: {said}",
            where=error.filename or where,
            hint="check its owner and permissions, or set RAGSTONE_DATA_DIR",
        )
    return StorageError(f"the storage failed: {said}", where=where)
