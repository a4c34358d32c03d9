"""Untrusted files that are opened, own files and databases that are written, and the system's errors about files."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, BinaryIO

from ..errors import SourceError, StorageBusy, StorageDenied, StorageError, StorageFull

if TYPE_CHECKING:
    import sqlite3

#: Prefix of files and folders that are being written.
TEMPORARY = ".ragstone-"
_WAL_RETRY_SECONDS = 0.01
_FULL = {errno.ENOSPC, errno.EDQUOT}
_DENIED = {errno.EACCES, errno.EPERM, errno.EROFS}


def open_regular(path: Path, longest: int | None = None, *, follow_links: bool = True) -> BinaryIO:
    """The file, open for reading; opening a pipe does not block.

    Raises ``SourceError`` for what is not a regular file, is longer than ``longest`` bytes, or cannot be opened.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow_links else os.O_NOFOLLOW)
    try:
        descriptor = os.open(path, flags)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise SourceError(f"cannot be read: {getattr(error, 'strerror', None) or error}", where=str(path)) from error
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode) and (longest is None or found.st_size <= longest):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    if not stat.S_ISREG(found.st_mode):
        raise SourceError("is not a file", where=str(path))
    raise SourceError(
        f"has {found.st_size:,} bytes, more than {longest:,}", where=str(path), hint="split it into smaller files"
    )


def write_atomically(path: Path, content: bytes, *, mode: int = 0o644) -> None:
    """Replace the file's content, as ``new_file`` does."""
    with new_file(path, mode=mode) as file:
        file.write(content)


@contextmanager
def new_file(path: Path, *, mode: int = 0o644) -> Iterator[BinaryIO]:
    """A file to be written, which takes its name at the end: a crash leaves the complete old or the complete new one.

    A link is replaced; its target is not touched. Raises ``OSError``.
    """
    temporary = path.with_name(f"{TEMPORARY}{path.name[:100]}-{token_hex(8)}")
    descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(descriptor, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    sync_folder(path.parent)


@contextmanager
def file_lock(path: Path, busy: str, *, hint: str | None = None, seconds: float = 0) -> Iterator[None]:
    """Hold the lock in that file; it ends with the process too.

    Raises ``StorageBusy`` with the words ``busy`` if it is held elsewhere for so many seconds, ``OSError``.
    """
    from filelock import FileLock, Timeout

    try:
        lock = FileLock(path, timeout=seconds).acquire()
    except Timeout as error:
        raise StorageBusy(busy, where=str(path.parent), hint=hint) from error
    with lock:
        yield


def sync_folder(folder: Path) -> None:
    """Write the folder's entries to the disk, so that they survive a loss of power."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def is_full(error: OSError) -> bool:
    """Whether the disk, or the user's part of it, is full."""
    return error.errno in _FULL


def storage_error(error: OSError, where: Path | str, *, what: str = "cannot be used", hint: str = "") -> StorageError:
    """``StorageFull``, ``StorageDenied`` or ``StorageError``, which names the error's own file, or else ``where``."""
    kind = StorageFull if is_full(error) else StorageDenied if error.errno in _DENIED else StorageError
    message = f"{what}: {error.strerror or error}"
    return kind(message, where=str(error.filename or where), hint=hint or None)


@contextmanager
def storage_errors(where: Path | str, *, what: str = "cannot be used", hint: str = "") -> Iterator[None]:
    """Raise each ``OSError`` as ``storage_error`` says."""
    try:
        yield
    except OSError as error:
        raise storage_error(error, where, what=what, hint=hint) from error


def enable_wal(connection: sqlite3.Connection, patience: float) -> None:
    """Switch the database to WAL, retrying for ``patience`` seconds while it is locked. Raises ``OperationalError``.

    SQLite's busy timeout does not apply to this switch: of two processes that make the same new database, one would
    fail at once.
    """
    import sqlite3

    ends = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > ends:
                raise
            time.sleep(_WAL_RETRY_SECONDS)
        else:
            return
