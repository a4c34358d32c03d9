"""Storage of keys in the catalog's database.

A key is ``ragstone_ID_SECRET``, the secret 256 random bits. Of it only a SHA-256 is kept: slow, salted hashes protect
what people choose and others guess; for a secret of 112 random bits or more a plain approved hash is enough (NIST SP
800-63B, section 5.1.2.2, look-up secrets), and checking one costs next to nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Column, Connection, MetaData, Row, Table, Text, delete, insert, select, text, update

from ragstone.core import Assistant, BadRequest, Host, NotFound
from ragstone.core.catalog import PluginTables

from .access import INTERFACES, NOTHING, Access

_log = logging.getLogger(__name__)

_LONGEST_NAME = 100
#: Characters of a key or a session's token.
LONGEST = 200
#: Compared with an unknown key, so that it takes as long as a known one.
_NO_HASH = hashlib.sha256(b"").hexdigest()
_NAMES = TypeAdapter(list[str])

_metadata = MetaData()
key = Table(
    "web_key",
    _metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("hash", Text, nullable=False),
    Column("doors", Text),
    Column("assistants", Text),
    Column("created", Text, nullable=False),
    Column("books", Text),
)


@dataclass(frozen=True)
class Key:
    """A stored key: its name and what it is for, not its secret."""

    name: str
    id: str
    access: Access
    #: In UTC, as ISO 8601 writes it.
    created: str

    def to_dict(self) -> dict[str, Any]:
        """As JSON; ``None`` means all."""
        return {
            "name": self.name,
            "id": self.id,
            "doors": _sorted(self.access.interfaces),
            "assistants": _sorted(self.access.assistants),
            "books": _sorted(self.access.books),
            "created": self.created,
        }


class Keys:
    """The deployment's keys; a removed one is refused from the next request on, by every process."""

    def __init__(self, host: Host) -> None:
        self._host = host

    @property
    def _tables(self) -> PluginTables:
        return self._host.catalog.tables("web", _metadata, version=2, upgrades={1: _add_books})

    def add(self, name: str, **limits: Collection[str]) -> str:
        """Make a key and return it, which is not possible later. ``limits``: as of ``change``.

        With ``books`` alone the key is for the assistants that answer from books. Raises ``BadRequest``, ``NotFound``,
        ``StorageError``.
        """
        if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
            raise BadRequest(f"a key's name has 1 to {_LONGEST_NAME} letters, digits or signs")
        values = self._checked(limits)
        number, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
        created = datetime.now(UTC).isoformat(timespec="seconds")
        row = {"id": number, "name": name, "hash": hash_of(secret).hex(), "created": created, **values}
        with self._tables.write() as connection:
            if connection.execute(select(key.c.id).where(key.c.name == name)).first():
                raise BadRequest(f"there is a key {name!r} already", hint=f"ragstone key remove {name}")
            connection.execute(insert(key).values(**row))
        return f"ragstone_{number}_{secret}"

    def change(self, name: str, **limits: Collection[str]) -> Key:
        """Change what a key is for from the next request on: ``doors``, ``assistants``, ``books``; an empty one: all.

        What is not named stays. Raises ``BadRequest``, ``NotFound``, ``StorageError``.
        """
        with self._tables.read() as connection:
            row = connection.execute(select(key).where(key.c.name == name)).first()
        if limits.get("books") and row is not None:
            limits = {"assistants": _key_of(row).access.assistants or (), **limits}
        values = self._checked(limits)
        with self._tables.write() as connection:
            if not connection.execute(update(key).where(key.c.name == name).values(**values)).rowcount:
                raise NotFound(f"there is no key {name!r}", hint="ragstone key list")
            return _key_of(connection.execute(select(key).where(key.c.name == name)).one())

    def _checked(self, limits: Mapping[str, Collection[str]]) -> dict[str, str | None]:
        """The limits as they are stored, each of what exists. Raises ``BadRequest``, ``NotFound``."""
        given = dict(limits)
        if unknown := sorted(set(given.get("doors", ())) - set(INTERFACES)):
            raise BadRequest(f"there is no interface {unknown[0]!r}", hint=f"known: {', '.join(INTERFACES)}")
        assistants = [self._host.assistant(assistant) for assistant in given.get("assistants", ())]
        if given.get("books"):
            of_books = self._of_books()
            if not of_books:
                raise BadRequest("no assistant of this deployment answers from books", hint="see ragstone plugins")
            filters = of_books[0].profile.filters
            for book in given["books"]:
                filters.metadata({filters.scope: book})  # raises NotFound
            if not assistants:
                given["assistants"] = [each.name for each in of_books]
        return {name: json.dumps(sorted(set(values))) if values else None for name, values in given.items()}

    def _of_books(self) -> Sequence[Assistant]:
        """The assistants whose documents a key can be limited to."""
        return [each for each in self._host.hooks.assistants.values() if each.profile.filters.scope]

    def _access(self, row: Row[Any]) -> Access:
        """What the key is for: nothing, where it is for some books and no assistant says which documents these are."""
        access = _key_of(row).access
        if access.books is None:
            return access
        scope = {each.profile.filters.scope: access.books for each in self._of_books()}
        return replace(access, scope=scope) if scope else NOTHING

    def list(self) -> list[Key]:
        with self._tables.read() as connection:
            return [_key_of(row) for row in connection.execute(select(key).order_by(key.c.name))]

    def remove(self, name: str) -> None:
        """Remove a key. Raises ``NotFound``."""
        with self._tables.write() as connection:
            if not connection.execute(delete(key).where(key.c.name == name)).rowcount:
                raise NotFound(f"there is no key {name!r}", hint="ragstone key list")

    def find(self, given: str) -> Access | None:
        """Return what the key is for; ``None`` for an unknown key. Compared in the same time, wherever it differs."""
        prefix, _, rest = given.partition("_")
        number, _, secret = rest.partition("_")
        row = None
        if prefix == "ragstone" and number.isascii() and number.isalnum():
            with self._tables.read() as connection:
                row = connection.execute(select(key).where(key.c.id == number)).first()
        kept = _NO_HASH if row is None else str(row.hash)  # SQLite gives damaged values of any type
        fits = hmac.compare_digest(hash_of(secret).hex().encode(), kept.encode())
        return self._access(row) if fits and row is not None else None

    def by_id(self, key_id: str) -> Access | None:
        """Return what the key of this id is for; ``None`` when it was removed."""
        with self._tables.read() as connection:
            row = connection.execute(select(key).where(key.c.id == key_id)).first()
        return None if row is None else self._access(row)


def hash_of(secret: str) -> bytes:
    """The hash of a secret that cannot be guessed."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()


def _key_of(row: Row[Any]) -> Key:
    doors, assistants, books = (_limit(row.name, kept) for kept in (row.doors, row.assistants, row.books))
    return Key(row.name, row.id, Access(doors, assistants, books, row.id), row.created)


def _limit(name: str, kept: str | None) -> frozenset[str] | None:
    """What a key is limited to: nothing, where that cannot be read."""
    try:
        return None if kept is None else frozenset(_NAMES.validate_json(kept))
    except ValueError:
        _log.error("the key %s opens nothing: its stored limits are damaged; ragstone key change %s", name, name)
        return frozenset()


def _add_books(connection: Connection) -> None:
    """Version 1 into version 2."""
    connection.execute(text("ALTER TABLE web_key ADD COLUMN books TEXT"))


def _sorted(limited: frozenset[str] | None) -> list[str] | None:
    return None if limited is None else sorted(limited)
