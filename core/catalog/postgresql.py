"""The catalog in PostgreSQL, in a schema of its own, through psycopg 3."""

from __future__ import annotations

from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from sqlalchemy import (
    JSON,
    URL,
    ColumnElement,
    Connection,
    Double,
    Engine,
    case,
    cast,
    create_engine,
    event,
    func,
    text,
    type_coerce,
)
from sqlalchemy.exc import DataError, DBAPIError

from ..errors import (
    BadRequest,
    RagstoneError,
    StorageAway,
    StorageBusy,
    StorageDenied,
    StorageError,
    StorageFull,
    require_extra,
)
from . import postings
from .database import Database, redact
from .schema import JsonObject, chunk

if TYPE_CHECKING:
    from .pgvector import VectorTables

#: Settings of each session, times in milliseconds, so that nothing waits for ever. Another writer's transaction is one
#: document long; only removing a large corpus takes minutes.
_SESSION = {
    "lock_timeout": "20000",
    "statement_timeout": "300000",
    "idle_in_transaction_session_timeout": "300000",
    "timezone": "UTC",
}
#: Of each connection: a lost one is detected within half a minute instead of the default of hours.
_CONNECTION: dict[str, str | int] = {
    "connect_timeout": 10,
    "application_name": "ragstone",
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
}
#: Connections that stay open, and additional ones under load.
_POOL_SIZE, _POOL_OVERFLOW = 5, 25
_POOL_SECONDS = 20
#: "ragstone" as a number: PostgreSQL's advisory locks have no names.
_LOCK = 0x726167_73746F6E65 & 0x7FFFFFFF_FFFFFFFF
#: How SQLite reads a number at the beginning of a text.
_NUMBER = r"^\s*[-+]?(?:[0-9]{1,200}(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,2})?"
_AGAIN = "try again in a moment"
_CHECK_URL = "check `database` in the settings, and that its user may connect and create a schema"


class _Columns:
    def raw(self, column: ColumnElement[Any]) -> ColumnElement[Any]:
        """The value: the server returns no text that cannot be decoded."""
        return type_coerce(column, JSON()) if isinstance(column.type, JsonObject) else column

    def text(self, key: str) -> ColumnElement[str]:
        """As in SQLite: ``true`` is "1"."""
        value = chunk.c.metadata[key]
        plain = value.as_string()
        found: ColumnElement[str] = case(
            (func.jsonb_typeof(value) != "boolean", plain), (plain == "true", "1"), (plain == "false", "0")
        ).collate("C")
        return found

    def number(self, key: str) -> ColumnElement[float]:
        """As in SQLite: a text counts as the number that it begins with, otherwise as 0."""
        plain = self.text(key)
        first = func.substring(plain, _NUMBER)
        return case((plain.is_not(None), cast(func.coalesce(first, "0"), Double)))


class PostgreSQL(Database):
    """A database on a server, for the processes of several machines."""

    full_text = postings
    columns = _Columns()
    #: A snapshot as of the transaction's first statement.
    _reading: ClassVar = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    #: Writers wait for the row of the corpus that they advance, and then see its new state.
    _writing: ClassVar = {"isolation_level": "READ COMMITTED"}

    def __init__(self, url: URL, schema: str, folder: Path, vectors: VectorTables) -> None:
        """Raises ``MissingExtra``."""
        self.vectors = vectors
        require_extra("postgresql", "psycopg")
        self._url = url.set(drivername="postgresql+psycopg")
        self._schema = schema
        place = f"{url.host or url.query.get('host', '')}{f':{url.port}' if url.port else ''}"
        # Built from its parts, not rendered: the query string may hold a password too.
        self.where = f"postgresql://{place}/{url.database or ''}"
        named = sha256(f"{self.where} {schema}".encode()).hexdigest()[:12]
        self.marker = folder / f"postgresql-{named}.id"

    @cached_property
    def engine(self) -> Engine:
        """See ``Database``: connections that the server has closed are replaced."""
        engine = create_engine(
            self._url,
            pool_pre_ping=True,
            pool_size=_POOL_SIZE,
            max_overflow=_POOL_OVERFLOW,
            pool_timeout=_POOL_SECONDS,
            hide_parameters=True,
            connect_args=_CONNECTION,
        )

        @event.listens_for(engine, "connect")
        def _connect(connection: Any, _record: object) -> None:
            settings = {**_SESSION, "search_path": '"' + self._schema.replace('"', '""') + '"'}
            with connection.cursor() as cursor:
                for name, value in settings.items():
                    cursor.execute("SELECT set_config(%s, %s, false)", (name, value))
                # Acknowledged changes survive a loss of power, whatever the server's default is.
                cursor.execute(
                    "SELECT set_config('synchronous_commit', 'on', false) "
                    "WHERE current_setting('synchronous_commit') = 'off'"
                )
            connection.commit()

        return engine

    def lock_catalog(self, connection: Connection) -> None:
        """See ``Database``: an advisory lock on this schema, which works before there is a table to lock."""
        connection.execute(
            text("SELECT pg_advisory_xact_lock(:lock # hashtext(:schema)::bigint)"),
            {"lock": _LOCK, "schema": self._schema},
        )
        quoted = connection.dialect.identifier_preparer.quote_identifier(self._schema)
        connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {quoted}"))

    def prepare(self, connection: Connection) -> None:
        """The postings; and vectors are stored uncompressed, because they are incompressible."""
        encoding = connection.execute(text("SHOW server_encoding")).scalar_one()
        if encoding != "UTF8":
            raise StorageDenied(
                f"the database is in {encoding} and cannot hold every text",
                where=self.where,
                hint="make it with ENCODING 'UTF8' TEMPLATE template0",
            )
        postings.metadata.create_all(connection)
        connection.execute(text("ALTER TABLE chunk ALTER COLUMN vectors SET STORAGE EXTERNAL"))
        connection.execute(text("ALTER TABLE chunk ALTER COLUMN sentences SET STORAGE EXTERNAL"))

    def translate_error(self, error: DBAPIError) -> RagstoneError:
        message = getattr(getattr(error.orig, "diag", None), "message_primary", None) or error.orig
        return _translate(error, self.where, redact(message, self._url.password))

    def server(self) -> tuple[str, str]:
        """See ``Database``: connections of that string end waiting for a lost server as the engine's do."""
        from psycopg.conninfo import make_conninfo

        url = self._url.set(drivername="postgresql").render_as_string(hide_password=False)
        return make_conninfo(url, **_CONNECTION), self._schema


def _translate(error: DBAPIError, where: str, message: str) -> RagstoneError:
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
        return StorageDenied("the database may not be used", where=f"{where}: {message}", hint=_CHECK_URL)
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
    # The message names the server's host, user and folders, which HTTP does not show: it belongs to the place.
    if "FATAL" in message and "starting up" not in message and "shutting down" not in message:
        return StorageDenied("the database may not be used", where=f"{where}: {message}", hint=_CHECK_URL)
    if "connection option" in message:
        return StorageDenied("the database URL cannot be used", where=f"{where}: {message}", hint=_CHECK_URL)
    return _unreachable(where, message)


def _unreachable(where: str, message: str) -> StorageAway:
    return StorageAway(
        "the database server does not answer",
        where=f"{where}: {message}",
        hint="see that it runs and that `database` names it, then try again",
    )
