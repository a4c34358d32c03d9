"""Translates what PostgreSQL and its client library report into our errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy.exc import DataError

from ..errors import BadRequest, RagstoneError, StorageAway, StorageBusy, StorageDenied, StorageError, StorageFull

if TYPE_CHECKING:
    from sqlalchemy.exc import DBAPIError

_AGAIN = "try again in a moment"
_CHECK_URL = "check `database` in the settings, and that its user may connect and create a schema"


def translate_error(error: DBAPIError, where: str, said: str) -> RagstoneError:
    """The error as ours.

    ``said``: the driver's words without the password. Codes: PostgreSQL's manual, appendix A.
    """
    code = getattr(error.orig, "sqlstate", None) or ""
    if code in ("53100", "53400") or "No space left on device" in said:
        return StorageFull("no space is left on the database server", where=where, hint="make space and try again")
    if code.startswith("53"):
        return StorageBusy(f"the database server has no more to give: {said}", where=where, hint=_AGAIN)
    if code == "55P03":
        return StorageBusy("another process holds the database", where=where, hint=_AGAIN)
    if code in ("40001", "40P01"):
        return StorageBusy("another process changed the same", where=where, hint=_AGAIN)
    if code == "57014":
        return StorageBusy("the database took too long and was stopped", where=where, hint=_AGAIN)
    if code in ("25006", "42501") or code.startswith("28"):
        return StorageDenied(f"the database may not be used: {said}", where=where, hint=_CHECK_URL)
    if code == "25P03" or code.startswith(("08", "57P")) or error.connection_invalidated:
        return _away(where, said)
    if code.startswith("22") or (isinstance(error, DataError) and "NUL" in said):
        return BadRequest(
            f"the database cannot hold this: {said}",
            hint="a text must not hold a NUL character, nor half of one",
        )
    if not code:
        return _not_connected(where, said)
    if code.startswith("XX"):
        return StorageError(f"the database is damaged: {said}", where=where, hint="restore it from a backup")
    return StorageError(f"the database refused: {said}", where=where)


def _not_connected(where: str, said: str) -> StorageError:
    """libpq gives no code for what happens before there is a connection."""
    if "too many clients" in said or "remaining connection slots" in said or "too many connections" in said:
        return StorageBusy("the database server has no free connection", where=where, hint=_AGAIN)
    if "FATAL" in said and "starting up" not in said and "shutting down" not in said:
        return StorageDenied(f"the database may not be used: {said}", where=where, hint=_CHECK_URL)
    if "connection option" in said:
        return StorageDenied(f"the database URL cannot be used: {said}", where=where, hint=_CHECK_URL)
    return _away(where, said)


def _away(where: str, said: str) -> StorageAway:
    return StorageAway(
        f"the database server does not answer: {said}",
        where=where,
        hint="see that it runs and that `database` names it, then try again",
    )
