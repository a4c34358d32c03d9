"""Sessions in the catalog's database: what was asked in each, and how it went."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Column, Index, Integer, MetaData, Table, Text, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from ragstone.core import NotFound

from ..records import Session, Step

if TYPE_CHECKING:
    from sqlalchemy import Connection, Row

    from ragstone.core import Host
    from ragstone.core.catalog import PluginTables

#: Tables of their own beside those of the answers: a Ragstone that knows no sessions still opens the data folder.
PREFIX = "concept_tutor_session"
VERSION = 1

metadata = MetaData()

session = Table(
    "concept_tutor_session_begun",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("session_id", Text, nullable=False, unique=True),
    Column("learner", Text, nullable=False),
    Column("plan", Text, nullable=False),
    #: The only concept; empty for the whole plan.
    Column("concept", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("length", Integer, nullable=False),
    Column("room", Integer, nullable=False),
    #: Mean mastery of the plan at the beginning, in per cent.
    Column("percent", Integer, nullable=False),
    #: ISO 8601 in UTC; ``ended`` is empty while the session goes on.
    Column("begun", Text, nullable=False),
    Column("ended", Text, nullable=False),
    Index("concept_tutor_session_by_learner", "learner", "plan", "id"),
    sqlite_autoincrement=True,
)

step = Table(
    "concept_tutor_session_step",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("session_id", Text, nullable=False),
    #: The answer's; of what was skipped the one that it would have had.
    Column("attempt_id", Text, nullable=False, unique=True),
    Column("question_id", Text, nullable=False),
    Column("concept", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Index("concept_tutor_session_steps", "session_id", "id"),
    sqlite_autoincrement=True,
)


class SessionStore:
    """The sessions of a host. Safe to use from several threads and processes."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._made: PluginTables | None = None

    @property
    def tables(self) -> PluginTables:
        """The tables, made when they are first needed."""
        if self._made is None:
            self._made = self._host.catalog.tables(PREFIX, metadata, version=VERSION)
        return self._made

    def add(self, new: Session) -> None:
        """Store a session that begins; whatever the learner had begun in this plan before is ended with it."""
        begun = new.begun.isoformat(timespec="seconds")
        other = (session.c.learner == new.learner, session.c.plan == new.plan, session.c.ended == "")
        facts = {
            name: getattr(new, name) for name in ("session_id", "learner", "plan", "kind", "length", "room", "percent")
        }
        with self.tables.write() as connection:
            connection.execute(update(session).where(*other).values(ended=begun))
            connection.execute(insert(session).values(**facts, concept=new.concept or "", begun=begun, ended=""))

    def get(self, session_id: str) -> Session:
        """The session of that id. Raises ``NotFound``."""
        with self.tables.read() as connection:
            row = connection.execute(select(session).where(session.c.session_id == session_id)).first()
            if row is None:
                raise NotFound("there is no such session", hint="begin a new one")
            return _session(connection, row)

    def current(self, learner: str, plan: str) -> Session | None:
        """The learner's session of this plan that has not ended."""
        mine = (session.c.learner == learner, session.c.plan == plan, session.c.ended == "")
        with self.tables.read() as connection:
            row = connection.execute(select(session).where(*mine).order_by(session.c.id.desc()).limit(1)).first()
            return None if row is None else _session(connection, row)

    def put_step(self, session_id: str, new: Step) -> None:
        """Keep how a question went; the same attempt counts once."""
        with self.tables.write() as connection:
            of = postgresql if connection.dialect.name == "postgresql" else sqlite
            values = {name: getattr(new, name) for name in ("attempt_id", "question_id", "concept", "outcome")}
            made = of.insert(step).values(session_id=session_id, **values)
            connection.execute(made.on_conflict_do_nothing())

    def end(self, session_id: str, at: datetime) -> None:
        """End a session; it stays ended at the moment of the first time."""
        going = (session.c.session_id == session_id, session.c.ended == "")
        with self.tables.write() as connection:
            connection.execute(update(session).where(*going).values(ended=at.isoformat(timespec="seconds")))


def _session(connection: Connection, row: Row[Any]) -> Session:
    steps = connection.execute(select(step).where(step.c.session_id == row.session_id).order_by(step.c.id))
    return Session(
        session_id=row.session_id,
        learner=row.learner,
        plan=row.plan,
        concept=row.concept or None,
        kind=row.kind,
        length=row.length,
        room=row.room,
        percent=row.percent,
        begun=datetime.fromisoformat(row.begun),
        ended=datetime.fromisoformat(row.ended) if row.ended else None,
        steps=tuple(Step(one.attempt_id, one.question_id, one.concept, one.outcome) for one in steps),
    )
