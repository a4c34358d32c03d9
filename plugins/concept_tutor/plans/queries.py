"""Queries of the tables, and their rows as records. What looks for one row raises ``NotFound``."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, func, insert, select

from ragstone.core import NotFound
from ragstone.core.runtime import current_scope, in_scope

from . import tables
from .records import Concept, Plan, PlanSize

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import ColumnElement, Connection, Row, Select

    from .records import Edge


def lock_uses(connection: Connection) -> None:
    """Keep others from adding and removing uses until the transaction ends."""
    connection.execute(select(tables.seen.c.id).with_for_update())


def plan_row(connection: Connection, slug: str, *, lock: bool = False) -> Row[Any]:
    """The plan's row; ``lock``: kept from other writers until the transaction ends."""
    asked = select(tables.plan).where(tables.plan.c.slug == slug)
    found = connection.execute(asked.with_for_update() if lock else asked).first()
    if found is None or not is_visible(found):
        raise NotFound(f"there is no plan {slug[:80]!r}", hint="ragstone tutor plan list names them")
    return found


def is_visible(found: Row[Any]) -> bool:
    """Whether the request may read all books that the plan of this row is made of."""
    if found.books is None or not current_scope():
        return True
    books = json.loads(found.books)
    return bool(books) and all(in_scope({"book": book}) for book in books)


def to_plan(found: Row[Any]) -> Plan:
    """The plan of its row."""
    created = datetime.fromisoformat(found.created)
    return Plan(found.slug, found.title, found.description, found.language, found.origin, created)


def to_plan_size(connection: Connection, found: Row[Any]) -> PlanSize:
    """The plan of its row, with its numbers."""
    state = tables.concept.c.state
    states = connection.execute(
        select(state, func.count()).where(tables.concept.c.plan_id == found.id).group_by(state).order_by(state)
    ).all()

    edges = select(func.count()).select_from(tables.edge).where(tables.edge.c.plan_id == found.id)
    chunks = select(func.count(tables.use.c.chunk_id.distinct())).join(
        tables.concept, tables.concept.c.id == tables.use.c.concept_id
    )
    return PlanSize(
        plan=to_plan(found),
        concepts=sum(number for _, number in states),
        edges=connection.execute(edges).scalar_one(),
        chunks=connection.execute(chunks.where(tables.concept.c.plan_id == found.id)).scalar_one(),
        states={name: number for name, number in states},  # noqa: C416 - typed
    )


def concept_row(connection: Connection, of: Row[Any], key: str) -> Row[Any]:
    """The row of one concept of the plan."""
    found = connection.execute(
        select(tables.concept).where(tables.concept.c.plan_id == of.id, tables.concept.c.key == key)
    ).first()
    if found is None:
        raise NotFound(f"the plan {of.slug!r} has no concept {key[:80]!r}", hint=f"ragstone tutor plan show {of.slug}")
    return found


def to_concept(slug: str, found: Row[Any]) -> Concept:
    """The concept of its row."""
    return Concept(slug, found.key, found.name, found.summary, found.position, found.state, found.reason)


def concept_ids(connection: Connection, plan_id: int) -> dict[str, int]:
    """The ids of a plan's concepts by their keys, in the plan's order."""
    asked = select(tables.concept.c.key, tables.concept.c.id).where(tables.concept.c.plan_id == plan_id)
    return {each.key: each.id for each in connection.execute(asked.order_by(tables.concept.c.position))}


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
        connection.execute(insert(tables.edge), rows)


def remove_uses(connection: Connection, where: ColumnElement[bool]) -> set[str]:
    """Remove uses of passages; returns the passages' ids."""
    return set(connection.execute(delete(tables.use).where(where).returning(tables.use.c.chunk_id)).scalars())


def select_uses(where: ColumnElement[bool]) -> Select[Any]:
    """Which concepts use which passages, by the concepts' positions and then by rank."""
    return (
        select(tables.use, tables.plan.c.slug, tables.plan.c.books, tables.concept.c.key)
        .join(tables.concept, tables.concept.c.id == tables.use.c.concept_id)
        .join(tables.plan, tables.plan.c.id == tables.concept.c.plan_id)
        .where(where)
        .order_by(tables.concept.c.position, tables.use.c.rank)
    )
