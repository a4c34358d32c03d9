"""Sessions in the catalog's database: what was asked in each, and how it went."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from sqlalchemy import insert, select, update

from ragstone.core import NotFound

from ..records import Session, Step
from . import tables
from .tables import session, step

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement

    from ragstone.core import Host
    from ragstone.core.catalog import PluginTables

_COLUMNS = [session.c[one.name] for one in fields(Session) if one.name != "steps"]
_STEP_COLUMNS = [step.c[one.name] for one in fields(Step)]


class SessionStore:
    """The sessions of a host. Safe to use from several threads and processes."""

    def __init__(self, host: Host) -> None:
        self._host = host

    @cached_property
    def tables(self) -> PluginTables:
        """The tables, made when they are first needed."""
        return self._host.catalog.tables(tables.SESSION_PREFIX, tables.session_metadata)

    def add(self, new: Session) -> None:
        """Store a session that begins; whatever the learner had begun in this plan before is ended with it."""
        begun = new.begun.isoformat(timespec="seconds")
        values = {column.name: getattr(new, column.name) for column in _COLUMNS}
        values |= {"concept": new.concept or "", "begun": begun, "ended": ""}
        with self.tables.write() as connection:
            connection.execute(update(session).where(*_going(new.learner, new.plan)).values(ended=begun))
            connection.execute(insert(session).values(**values))

    def get(self, session_id: str) -> Session:
        """The session of that id. Raises ``NotFound``."""
        found = self._first(session.c.session_id == session_id)
        if found is None:
            raise NotFound("there is no such session", hint="begin a new one")
        return found

    def current(self, learner: str, plan: str) -> Session | None:
        """The learner's session of this plan that has not ended."""
        return self._first(*_going(learner, plan))

    def put_step(self, session_id: str, new: Step) -> None:
        """Keep how a question went; the same attempt counts once."""
        with self.tables.write() as connection:
            tables.insert_once(connection, step, session_id=session_id, **vars(new))

    def end(self, session_id: str, at: datetime) -> None:
        """End a session; it stays ended at the moment of the first time."""
        going = (session.c.session_id == session_id, session.c.ended == "")
        with self.tables.write() as connection:
            connection.execute(update(session).where(*going).values(ended=at.isoformat(timespec="seconds")))

    def _first(self, *where: ColumnElement[bool]) -> Session | None:
        """The last one that was begun of those."""
        chosen = select(*_COLUMNS).where(*where).order_by(session.c.id.desc()).limit(1)
        with self.tables.read() as connection:
            row = connection.execute(chosen).mappings().first()
            if row is None:
                return None
            of = step.c.session_id == row["session_id"]
            steps = connection.execute(select(*_STEP_COLUMNS).where(of).order_by(step.c.id)).all()
        begun, ended = (datetime.fromisoformat(row[name]) if row[name] else None for name in ("begun", "ended"))
        values = {**row, "concept": row["concept"] or None, "begun": begun, "ended": ended}
        return Session(**values, steps=tuple(Step(*one) for one in steps))


def _going(learner: str, plan: str) -> tuple[ColumnElement[bool], ...]:
    return session.c.learner == learner, session.c.plan == plan, session.c.ended == ""
