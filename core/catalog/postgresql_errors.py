"""Translates the errors of PostgreSQL and its client library into Ragstone's."""

from __future__ import annotations

from sqlalchemy.exc import DataError, DBAPIError

from ..errors import BadRequest, RagstoneError, StorageAway, StorageBusy, StorageDenied, StorageError, StorageFull

_AGAIN = "try again in a moment"
_CHECK_URL = "check `database` in the settings, and that its user may connect and create a schema"


def translate_error(error: DBAPIError, where: str, message: str) -> RagstoneError:
    """Translate the error. ``message``: the driver's, without the password. Codes: PostgreSQL's manual, appendix A."""
    code = getattr(error.orig, "sqlstate", None) or ""
    if code in ("53100", "53400") or "No space left on device" in message:
        return StorageFull("no space is left on the database server", where=where, hint="make space and try again")
    if code.startswith("53"):
        return StorageBusy(f"the database server has no more to give: {message}", where=where, hint=_AGAIN)
    if code == "55P03":
        return StorageBusy("another process holds the database", where=where, hint=_AGAIN)
    if code in ("40001", "40P01"):
        return StorageBusy("another process changed the same", where=where, hint=_AGAIN)
    if code == "57014":
        return StorageBusy("the database took too long and was stopped", where=where, hint=_AGAIN)
    if code in ("25006", "42501") or code.startswith("28"):
        return StorageDenied(f"the database may not be used: {message}", where=where, hint=_CHECK_URL)
    if code == "25P03" or code.startswith(("08", "57P")) or error.connection_invalidated:
        return _unreachable(where, message)
    if code.startswith("22") or (isinstance(error, DataError) and "NUL" in message):
        return BadRequest(
            f"the database cannot hold this: {message}",
            hint="a text must not hold a NUL character, nor half of one",
        )
    if not code:
        return _not_connected(where, message)
    if code.startswith("XX"):
        return StorageError(f"the database is damaged: {message}", where=where, hint="restore it from a backup")
    return StorageError(f"the database refused: {message}", where=where)


def _not_connected(where: str, message: str) -> StorageError:
    """Translate an error before there is a connection, for which libpq has no code."""
    if "too many clients" in message or "remaining connection slots" in message or "too many connections" in message:
        return StorageBusy("the database server has no free connection", where=where, hint=_AGAIN)
    if "FATAL" in message and "starting up" not in message and "shutting down" not in message:
        return StorageDenied(f"the database may not be used: {message}", where=where, hint=_CHECK_URL)
    if "connection option" in message:
        return StorageDenied(f"the database URL cannot be used: {message}", where=where, hint=_CHECK_URL)
    return _unreachable(where, message)


def _unreachable(where: str, message: str) -> StorageAway:
    return StorageAway(
        f"the database server does not answer: {message}",
        where=where,
        hint="see that it runs and that `database` names it, then try again",
    )
