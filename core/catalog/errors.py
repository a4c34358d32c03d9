"""Translates the errors of database drivers and of the system into Ragstone's."""

from __future__ import annotations

import errno
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from ..errors import BadRequest, StorageBusy, StorageDenied, StorageError, StorageFull
from ..runtime.files import is_full

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .database import Database


@contextmanager
def translate_db_errors(database: Database) -> Iterator[None]:
    """Raise errors of the driver and the system as a ``RagstoneError`` that names the database."""
    try:
        yield
    except OSError as error:
        raise _storage_error(error, database.where) from error
    except DBAPIError as error:
        raise database.translate_error(error) from error
    except PoolTimeoutError as error:
        raise StorageBusy(
            "every connection to the database is in use", where=database.where, hint="try again in a moment"
        ) from error
    except UnicodeEncodeError as error:
        raise BadRequest(
            f"a text holds half of a character: {error.object[error.start : error.end]!r}",
            hint="no database stores what is no text",
        ) from error


def _storage_error(error: OSError, where: str) -> StorageError:
    message = error.strerror or str(error)
    if is_full(error):
        return StorageFull("no space is left on the disk", where=where, hint="make space and try again")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.ENOENT):
        return StorageDenied(
            f"the data folder cannot be used: {message}",
            where=error.filename or where,
            hint="check its owner and permissions, or set RAGSTONE_DATA_DIR",
        )
    return StorageError(f"the storage failed: {message}", where=where)
