"""Writes a concept's passages into the tables, within the caller's transaction."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, insert, select, update

from ragstone.core import BadRequest

from . import tables
from .addresses import stored_copy
from .queries import PASSAGE_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection, Row

    from .records import NewChunk

_NAMESPACE = uuid.UUID("7e1d4b1e-5b53-53d7-8d6e-0a4d0fb8f3c1")


def chunk_id_of(slug: str, chunk: NewChunk) -> str:
    """The same for the same words under the same address in the same plan, whatever the revision."""
    place = chunk.page_url or f"{chunk.page_title}\n{chunk.section}"
    return chunk.chunk_id or str(uuid.uuid5(_NAMESPACE, f"{slug}\n{place}\n{chunk.content}"))


def put_sources(
    connection: Connection, plan: Row[Any], concept_id: int, chunks: Sequence[NewChunk], reason: str = ""
) -> None:
    """Replace the concept's passages by these, in this order; passages that no concept of the plan uses are removed.

    ``plan``: its row. ``reason``: what failed nevertheless, such as a wiki that did not answer.
    """
    connection.execute(delete(tables.rests_on).where(tables.rests_on.c.concept_id == concept_id))
    taken = set[int]()
    for chunk in chunks:
        at = _put(connection, plan.id, chunk_id_of(plan.slug, chunk), chunk)
        if at in taken:
            continue
        taken.add(at)
        connection.execute(
            insert(tables.rests_on).values(
                concept_id=concept_id, chunk_id=at, rank=len(taken), relevance=chunk.relevance
            )
        )
    used = select(tables.rests_on.c.chunk_id)
    connection.execute(delete(tables.chunk).where(tables.chunk.c.plan_id == plan.id, tables.chunk.c.id.not_in(used)))
    connection.execute(
        update(tables.concept)
        .where(tables.concept.c.id == concept_id)
        .values(state="found" if taken else "none", reason=reason, wanted=0, holder="", held_until=0.0)
    )


def _put(connection: Connection, plan_id: int, chunk_id: str, chunk: NewChunk) -> int:
    facts: dict[str, Any] = {name: getattr(chunk, name) for name in PASSAGE_COLUMNS}
    facts["page_url"] = chunk.page_url or stored_copy(chunk_id)
    facts["retrieved"] = chunk.retrieved.isoformat(timespec="seconds")
    known = connection.execute(select(tables.chunk).where(tables.chunk.c.chunk_id == chunk_id)).first()
    if known is None:
        made = insert(tables.chunk).values(plan_id=plan_id, chunk_id=chunk_id, **facts).returning(tables.chunk.c.id)
        return int(connection.execute(made).scalar_one())
    if known.plan_id != plan_id:
        raise BadRequest(f"the passage {chunk_id[:80]!r} belongs to another plan", hint="give it another id")
    connection.execute(update(tables.chunk).where(tables.chunk.c.id == known.id).values(**facts))
    return int(known.id)
