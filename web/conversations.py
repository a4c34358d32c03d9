"""Conversations that the server keeps for the readers who have a key, where the settings say so."""

from __future__ import annotations

import json
import re
import time
from typing import Any

from flask import Blueprint, Response, current_app, url_for
from sqlalchemy import Column, ColumnElement, Float, MetaData, Table, Text, delete, insert, select

from ragstone.core import Assistant, BadRequest, Host, NotFound
from ragstone.core.catalog import PluginTables, translate_damage
from ragstone.core.pages import ViewOptions

from .json_body import json_response, read_object
from .keys import store
from .keys.access import access

_NAME = "ragstone_conversations"
_ID = re.compile(r"[0-9a-zA-Z-]{8,64}")
_LONGEST_TITLE, _MOST_TURNS = 200, 200

_metadata = MetaData()
_kept = Table(
    "web_conversation_kept",
    _metadata,
    Column("key_id", Text, primary_key=True),
    Column("assistant", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("title", Text, nullable=False),
    Column("at", Float, nullable=False),
    Column("turns", Text, nullable=False),
)


class Conversations:
    """The conversations of every key. A key sees its own alone, and they go when it is removed."""

    def __init__(self, host: Host) -> None:
        self._host = host

    @property
    def _tables(self) -> PluginTables:
        store.Keys(self._host).list()  # makes the table of keys, which is read below
        return self._host.catalog.tables("web_conversation", _metadata)

    def list(self, key_id: str, assistant: str) -> list[dict[str, Any]]:
        """Return id, title and time of each, the latest first."""
        wanted = select(_kept.c.id, _kept.c.title, _kept.c.at).order_by(_kept.c.at.desc())
        with self._tables.read() as connection:
            rows = connection.execute(wanted.where(_kept.c.key_id == key_id, _kept.c.assistant == assistant))
            return [dict(row) for row in rows.mappings()]

    def read(self, key_id: str, assistant: str, number: str) -> dict[str, Any]:
        """Return one with its turns. Raises ``NotFound``."""
        with self._tables.read() as connection:
            row = connection.execute(select(_kept).where(*_of(key_id, assistant, number))).first()
        if row is None:
            raise NotFound("there is no such conversation")
        with translate_damage(f"the conversation {row.id!r}"):
            return {"id": row.id, "title": row.title, "at": row.at, "turns": json.loads(row.turns)}

    def write(self, row: dict[str, Any], most: int) -> None:
        """Keep one, in place of the one with its id, and of all its key's no more than the ``most`` latest."""
        mine = _kept.c.key_id == row["key_id"]
        with self._tables.write() as connection:
            connection.execute(delete(_kept).where(*_of(row["key_id"], row["assistant"], row["id"])))
            connection.execute(insert(_kept).values(**row))
            latest = select(_kept.c.at).where(mine).order_by(_kept.c.at.desc()).offset(most).limit(1)
            oldest = connection.execute(latest).scalar()
            if oldest is not None:
                connection.execute(delete(_kept).where(mine, _kept.c.at <= oldest))

    def remove(self, key_id: str, assistant: str, number: str) -> None:
        self._delete(*_of(key_id, assistant, number))

    def forget(self, key_id: str) -> None:
        """Remove those of a key, which may quote what it is no longer for."""
        self._delete(_kept.c.key_id == key_id)

    def forget_removed(self) -> None:
        """Remove those of keys that were removed."""
        self._delete(_kept.c.key_id.not_in(select(store.key.c.id)))

    def _delete(self, *conditions: ColumnElement[bool]) -> None:
        with self._tables.write() as connection:
            connection.execute(delete(_kept).where(*conditions))


def _of(key_id: str, assistant: str, number: str) -> tuple[ColumnElement[bool], ...]:
    return _kept.c.key_id == key_id, _kept.c.assistant == assistant, _kept.c.id == number


def address_for(assistant: Assistant) -> str:
    """Return the address below which the request's conversations are kept; empty where the browser keeps them."""
    if _NAME not in current_app.blueprints or not access().key:
        return ""
    return url_for(f"{_NAME}.listed", assistant=assistant.name)


def blueprint(host: Host, most: int) -> Blueprint:
    """Return the addresses of a key's conversations, of which at most ``most`` are kept."""
    pages, kept = Blueprint(_NAME, __name__, url_prefix="/conversations"), Conversations(host)

    def mine(assistant: str, number: str = "conversation") -> str:
        if not access().key or not _ID.fullmatch(number):
            raise NotFound("there is no such conversation")
        host.assistant(assistant)
        return access().key

    # each of them has the assistant in its address, for which the key must be
    @pages.get("/<assistant>/")
    @ViewOptions()
    def listed(assistant: str) -> Response:
        return json_response({"conversations": kept.list(mine(assistant), assistant)})

    @pages.get("/<assistant>/<number>")
    @ViewOptions()
    def read(assistant: str, number: str) -> Response:
        return json_response(kept.read(mine(assistant, number), assistant, number))

    @pages.put("/<assistant>/<number>")
    @ViewOptions()
    def write(assistant: str, number: str) -> Response:
        key_id, body = mine(assistant, number), read_object('{"title": "…", "turns": […]}')
        title, turns = body.get("title"), body.get("turns")
        if not isinstance(title, str) or not isinstance(turns, list) or len(turns) > _MOST_TURNS:
            raise BadRequest("a conversation has a title and a list of turns", hint=f"at most {_MOST_TURNS}")
        line = "".join(sign for sign in title if sign.isprintable())[:_LONGEST_TITLE]
        row = {"key_id": key_id, "assistant": assistant, "id": number, "title": line}
        kept.write(row | {"at": time.time(), "turns": json.dumps(turns)}, most)
        return Response(status=204)

    @pages.delete("/<assistant>/<number>")
    @ViewOptions()
    def remove(assistant: str, number: str) -> Response:
        kept.remove(mine(assistant, number), assistant, number)
        return Response(status=204)

    return pages
