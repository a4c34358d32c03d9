"""What the system says of the disk, as the errors that everybody knows."""

from __future__ import annotations

import errno
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ragstone.core import StorageDenied, StorageError, StorageFull

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def storage(folder: Path) -> Iterator[None]:
    """Raise ``StorageFull``, ``StorageDenied`` or ``StorageError`` in the place of ``OSError``."""
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            kind: type[StorageError] = StorageFull
        elif error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
            kind = StorageDenied
        else:
            kind = StorageError
        again = "the same command goes on where it was" if kind is StorageFull else None
        raise kind(error.strerror or str(error), where=str(error.filename or folder), hint=again) from error
