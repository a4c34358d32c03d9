"""The tables of study plans in the catalog's database, their queries, and their rows as values.

What looks for one row raises ``NotFound``.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    Row,
    Select,
    Table,
    Text,
    UniqueConstraint,
    delete,
    func,
    insert,
    select,
    text,
    update,
)

from ragstone.core import NotFound
from ragstone.core.catalog import translate_damage
from ragstone.core.runtime import current_scope, in_scope

from .records import Concept, Edge, Plan, PlanSize, SourceState

#: Every name begins with it; see ``Catalog.tables``.
PREFIX = "concept_tutor"
VERSION = 3
_BOOKS = TypeAdapter(list[str])

metadata = MetaData()


def texts(*names: str) -> list[Column[str]]:
    """Columns of texts, each of which a row must have."""
    return [Column(name, Text, nullable=False) for name in names]


plan = Table(
    "concept_tutor_plan",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("slug", Text, nullable=False, unique=True),
    *texts("title", "description", "language", "origin"),
    #: ISO 8601 in UTC, as every time here: SQLite forgets the zone.
    Column("created", Text, nullable=False),
    #: JSON: the slugs of the books that its chunks are from; ``null`` for a plan from elsewhere.
    Column("books", Text),
    sqlite_autoincrement=True,
)

concept = Table(
    "concept_tutor_concept",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("plan_id", ForeignKey("concept_tutor_plan.id", ondelete="CASCADE"), nullable=False),
    *texts("key", "name", "summary"),
    Column("position", Integer, nullable=False),
    #: See ``records.SourceState``.
    Column("state", Text, nullable=False, default="waiting"),
    Column("reason", Text, nullable=False, default=""),
    #: 1 from the request for its sources to the end of the search: what was interrupted is resumed.
    Column("wanted", Integer, nullable=False, default=0),
    #: Who looks for its sources while that is ``running``, and until when it is believed, in seconds of the epoch.
    Column("holder", Text, nullable=False, default=""),
    Column("held_until", Float, nullable=False, default=0.0),
    UniqueConstraint("plan_id", "key"),
    sqlite_autoincrement=True,
)

edge = Table(
    "concept_tutor_edge",
    metadata,
    Column("prerequisite_id", ForeignKey("concept_tutor_concept.id", ondelete="CASCADE"), primary_key=True),
    Column("concept_id", ForeignKey("concept_tutor_concept.id", ondelete="CASCADE"), primary_key=True, index=True),
    Column("plan_id", ForeignKey("concept_tutor_plan.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("reason", Text, nullable=False),
    Column("weight", Float, nullable=False),
)

#: Which concept uses which chunk. The chunk itself is a document of the corpus, with this id.
use = Table(
    "concept_tutor_uses",
    metadata,
    Column("concept_id", ForeignKey("concept_tutor_concept.id", ondelete="CASCADE"), primary_key=True),
    Column("chunk_id", Text, primary_key=True, index=True),
    #: From 1, the most relevant first.
    Column("rank", Integer, nullable=False),
    Column("relevance", Float, nullable=False),
)

#: One row as soon as there ever was a plan: a deployment whose plans were removed stays empty. Every transaction that
#: adds or removes uses keeps the row from others until its end.
seen = Table("concept_tutor_seen", metadata, Column("id", Integer, primary_key=True))

#: Version 1 kept the chunks here; ``Chunks`` moves them into the corpus and removes the table.
CHUNKS_1 = "concept_tutor_chunk"


def upgrade_1(connection: Connection) -> None:
    """Version 1 into version 2, but for the chunks."""
    use.create(connection)
    connection.execute(
        text(
            "INSERT INTO concept_tutor_uses (concept_id, chunk_id, rank, relevance) "
            "SELECT r.concept_id, c.chunk_id, r.rank, r.relevance "
            "FROM concept_tutor_rests_on r JOIN concept_tutor_chunk c ON c.id = r.chunk_id"
        )
    )
    connection.execute(text("DROP TABLE concept_tutor_rests_on"))
    if connection.execute(select(plan.c.id)).first() and not connection.execute(select(seen.c.id)).first():
        connection.execute(insert(seen).values(id=1))


def upgrade_2(connection: Connection) -> None:
    """Version 2 into version 3. Of a plan from a corpus the books are not known: it is for keys that see all books."""
    connection.execute(text("ALTER TABLE concept_tutor_plan ADD COLUMN books TEXT"))
    of_corpus = plan.c.origin.startswith("from the corpus ")
    connection.execute(update(plan).where(of_corpus).values(books="[]"))


def lock_uses(connection: Connection) -> None:
    """Keep others from adding and removing uses until the transaction ends."""
    connection.execute(select(seen.c.id).with_for_update())


def plan_row(connection: Connection, slug: str, *, lock: bool = False) -> Row[Any]:
    """The plan's row; ``lock``: kept from other writers until the transaction ends."""
    asked = select(plan).where(plan.c.slug == slug)
    found = connection.execute(asked.with_for_update() if lock else asked).first()
    if found is None or not is_visible(found):
        raise NotFound(f"there is no plan {slug[:80]!r}", hint="ragstone tutor plan list names them")
    return found


def is_visible(found: Row[Any]) -> bool:
    """Whether the request may read all books that the plan of this row is made of."""
    if found.books is None or not current_scope():
        return True
    with translate_damage(f"the plan {found.slug!r}"):
        books = _BOOKS.validate_json(found.books)
    return bool(books) and all(in_scope({"book": book}) for book in books)


def to_plan(found: Row[Any]) -> Plan:
    """The plan of its row."""
    with translate_damage(f"the plan {found.slug!r}", removal_hint(found.slug)):
        created = datetime.fromisoformat(found.created)
    return Plan(found.slug, found.title, found.description, found.language, found.origin, created)


def removal_hint(slug: str) -> str:
    """What to do about a damaged plan."""
    return f"restore a backup, or remove the plan: ragstone tutor plan remove {slug}"


def to_plan_size(connection: Connection, found: Row[Any]) -> PlanSize:
    """The plan of its row, with its numbers."""
    state = concept.c.state
    states = connection.execute(
        select(state, func.count()).where(concept.c.plan_id == found.id).group_by(state).order_by(state)
    ).all()

    edges = select(func.count()).select_from(edge).where(edge.c.plan_id == found.id)
    chunks = select(func.count(use.c.chunk_id.distinct())).join(concept, concept.c.id == use.c.concept_id)
    return PlanSize(
        plan=to_plan(found),
        concepts=sum(number for _, number in states),
        edges=connection.execute(edges).scalar_one(),
        chunks=connection.execute(chunks.where(concept.c.plan_id == found.id)).scalar_one(),
        states={name: number for name, number in states},  # noqa: C416 - typed
    )


def concept_row(connection: Connection, of: Row[Any], key: str) -> Row[Any]:
    """The row of one concept of the plan."""
    found = connection.execute(select(concept).where(concept.c.plan_id == of.id, concept.c.key == key)).first()
    if found is None:
        raise NotFound(f"the plan {of.slug!r} has no concept {key[:80]!r}", hint=f"ragstone tutor plan show {of.slug}")
    return found


def to_concept(slug: str, found: Row[Any]) -> Concept:
    """The concept of its row."""
    return Concept(slug, found.key, found.name, found.summary, found.position, found.state, found.reason)


def concept_ids(connection: Connection, plan_id: int) -> dict[str, int]:
    """The ids of a plan's concepts by their keys, in the plan's order."""
    asked = select(concept.c.key, concept.c.id).where(concept.c.plan_id == plan_id)
    return {each.key: each.id for each in connection.execute(asked.order_by(concept.c.position))}


def set_state(connection: Connection, concept_ids: Iterable[int], state: SourceState, **lease: Any) -> None:
    """Change the state of concepts' sources; ``lease``: what else is not as it is after a search."""
    after = {"reason": "", "wanted": 0, "holder": "", "held_until": 0.0}
    connection.execute(update(concept).where(concept.c.id.in_(concept_ids)).values(state=state, **after | lease))


def put_edges(connection: Connection, plan_id: int, edges: Iterable[Edge]) -> None:
    """Store prerequisites of concepts that are stored."""
    ids = concept_ids(connection, plan_id)
    rows = [
        {
            "plan_id": plan_id,
            "prerequisite_id": ids[one.prerequisite],
            "concept_id": ids[one.concept],
            "reason": one.reason,
            "weight": one.weight,
        }
        for one in edges
    ]
    if rows:
        connection.execute(insert(edge), rows)


def remove_uses(connection: Connection, where: ColumnElement[bool]) -> set[str]:
    """Remove uses of chunks; returns the chunks' ids."""
    return set(connection.execute(delete(use).where(where).returning(use.c.chunk_id)).scalars())


def select_uses(where: ColumnElement[bool]) -> Select[Any]:
    """Which concepts use which chunks, by the concepts' positions and then by rank."""
    return (
        select(use, plan.c.slug, plan.c.books, concept.c.key)
        .join(concept, concept.c.id == use.c.concept_id)
        .join(plan, plan.c.id == concept.c.plan_id)
        .where(where)
        .order_by(concept.c.position, use.c.rank)
    )
