"""Chooses the database for a deployment's database URL."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from ..errors import SettingsError
from .database import SCHEMA, Database
from .sqlite import SQLite


def database_from_url(url: str | None, folder: Path, schema: str = SCHEMA, *, pgvector: bool = False) -> Database:
    """The database of the URL; without a URL SQLite in the folder.

    ``schema``: the catalog's own schema in PostgreSQL. ``pgvector``: whether new corpora get a table of vectors. Raises
    ``SettingsError``, and ``MissingExtra`` for PostgreSQL without its driver.
    """
    if pgvector and not is_server(url):
        raise SettingsError(
            "pgvector keeps vectors in PostgreSQL, and this catalog is in SQLite",
            where="[index] store",
            hint='set `database` to a PostgreSQL URL, or store to "auto"',
        )
    if url is None:
        return SQLite.in_folder(folder)
    try:
        parsed = make_url(url)
        kind = parsed.drivername
    except (ArgumentError, ValueError):
        # Without its cause, which may quote a part of the URL with a password.
        raise _unusable("is not a database URL") from None
    if kind.split("+")[0] == "sqlite":
        return SQLite(parsed)
    if kind in ("postgresql+psycopg", "postgresql", "postgres"):
        from .pgvector import VectorTables
        from .postgresql import PostgreSQL

        return PostgreSQL(parsed, schema, folder, VectorTables(wanted=pgvector))
    raise _unusable(f"the catalog cannot be kept in {kind}")


def is_server(url: str | None) -> bool:
    """Whether the URL names a database server, not a file."""
    return url is not None and not url.startswith("sqlite")


def _unusable(what: str) -> SettingsError:
    return SettingsError(
        what, where="database", hint="postgresql+psycopg://USER:PASSWORD@HOST/NAME, or leave it unset for SQLite"
    )
