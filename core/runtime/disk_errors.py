"""The system's errors about files, as Ragstone's."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import StorageDenied, StorageError, StorageFull

_FULL = {errno.ENOSPC, errno.EDQUOT}
_DENIED = {errno.EACCES, errno.EPERM, errno.EROFS}


def is_full(error: OSError) -> bool:
    """Whether the disk, or the user's part of it, is full."""
    return error.errno in _FULL


def storage_error(error: OSError, where: Path | str, *, what: str = "cannot be used", hint: str = "") -> StorageError:
    """``StorageFull``, ``StorageDenied`` or ``StorageError``, which names the error's own file, or else ``where``."""
    kind = StorageFull if is_full(error) else StorageDenied if error.errno in _DENIED else StorageError
    message = f"{what}: {error.strerror or error}"
    return kind(message, where=str(error.filename or where), hint=hint or None)


@contextmanager
def storage_errors(where: Path | str, *, hint: str = "") -> Iterator[None]:
    """Raise each ``OSError`` as ``storage_error`` says."""
    try:
        yield
    except OSError as error:
        raise storage_error(error, where, hint=hint) from error
