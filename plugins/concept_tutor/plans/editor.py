"""Changes of a stored plan: its title, its concepts and their prerequisites. Each is stored whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from ragstone.core import BadRequest, Host

from . import tables
from .corpus import Chunks
from .graph import break_cycles
from .importers.assembly import free_slug, slug_of
from .records import Concept, Edge, NewConcept, NewPlan, Plan
from .store import PlanStore
from .validation import check


@dataclass(frozen=True)
class ConceptChange:
    """What a concept is to be; ``needs``: keys of what is to be learned before it."""

    name: str
    summary: str = ""
    needs: tuple[str, ...] = ()


class PlanEditor:
    """Changes the plans of a host: ``host.once(PlanEditor)``.

    Slugs and keys stay what they were: addresses, answers and sources go by them. Raises ``NotFound``, ``BadRequest``
    and ``TooLarge`` as ``PlanStore.add`` does, and what the catalog raises.
    """

    def __init__(self, host: Host) -> None:
        self._store = host.once(PlanStore)
        self._chunks = host.once(Chunks)

    def rename(self, slug: str, title: str, description: str) -> Plan:
        """Give the plan another title and description."""
        title = _line(title)
        with self._change(slug) as (connection, row):
            check(replace(self._as_new(slug), title=title, description=description))
            values = {"title": title, "description": description}
            connection.execute(update(tables.plan).where(tables.plan.c.id == row.id).values(**values))
        return self._store.plan(slug)

    def add_concept(self, slug: str, change: ConceptChange) -> Concept:
        """Add a concept behind the others; it waits for sources."""
        with self._change(slug) as (connection, row):
            plan = self._as_new(slug)
            key = free_slug(slug_of(change.name, "concept"), {one.key for one in plan.concepts})
            added, edges = NewConcept(key, _line(change.name), change.summary), _edges(key, change, ())
            _check(plan, added, edges)
            last = select(func.max(tables.concept.c.position)).where(tables.concept.c.plan_id == row.id)
            position = (connection.execute(last).scalar() or 0) + 1
            values = {"key": key, "name": added.name, "summary": added.summary}
            connection.execute(insert(tables.concept).values(plan_id=row.id, position=position, **values))
            _put_needs(connection, row.id, key, edges)
        return self._store.concept(slug, key)

    def change_concept(self, slug: str, key: str, change: ConceptChange) -> Concept:
        """Change a concept; a prerequisite that stays keeps its reason and its weight."""
        changed = NewConcept(key, _line(change.name), change.summary)
        with self._change(slug) as (connection, row):
            concept = tables.concept_row(connection, row, key)
            plan = self._as_new(slug)
            edges = _edges(key, change, plan.edges)
            _check(plan, changed, edges)
            values = {"name": changed.name, "summary": changed.summary}
            connection.execute(update(tables.concept).where(tables.concept.c.id == concept.id).values(**values))
            _put_needs(connection, row.id, key, edges)
        return self._store.concept(slug, key)

    def remove_concept(self, slug: str, key: str) -> None:
        """Remove a concept with its chunks; what needed it then needs what it needed itself."""
        with self._chunks.write(slug) as connection:
            row = tables.plan_row(connection, slug, lock=True)
            concept = tables.concept_row(connection, row, key)
            if len(tables.concept_ids(connection, row.id)) == 1:
                raise BadRequest("a plan has one concept or more", hint="delete the plan instead")
            edges = self._store.edges(slug)
            before = [edge.prerequisite for edge in edges if edge.concept == key]
            after = [edge.concept for edge in edges if edge.prerequisite == key]
            pairs = {(edge.prerequisite, edge.concept) for edge in edges}
            former = tables.remove_uses(connection, tables.use.c.concept_id == concept.id)
            of = (tables.edge.c.concept_id == concept.id) | (tables.edge.c.prerequisite_id == concept.id)
            connection.execute(delete(tables.edge).where(of))
            connection.execute(delete(tables.concept).where(tables.concept.c.id == concept.id))
            across = (Edge(one, other) for one in before for other in after if (one, other) not in pairs)
            tables.put_edges(connection, row.id, across)
            self._chunks.remove(connection, former)

    @contextmanager
    def _change(self, slug: str) -> Iterator[tuple[Connection, Row[Any]]]:
        """A transaction that changes the plan, and the plan's row."""
        with self._store.tables.write() as connection:
            yield connection, tables.plan_row(connection, slug, lock=True)

    def _as_new(self, slug: str) -> NewPlan:
        plan = self._store.plan(slug)
        concepts = tuple(NewConcept(one.key, one.name, one.summary) for one in self._store.concepts(slug))
        edges = tuple(self._store.edges(slug))
        return NewPlan(slug, plan.title, concepts, edges, plan.description, plan.language, plan.origin)


def _check(plan: NewPlan, concept: NewConcept, needs: tuple[Edge, ...]) -> None:
    """Raise ``BadRequest`` where the plan with this concept, new or changed, would be none."""
    others = {one.key: one for one in plan.concepts}
    if any(one.name.casefold() == concept.name.casefold() for one in plan.concepts if one.key != concept.key):
        raise BadRequest(f"the plan has a concept {concept.name[:80]!r} already")
    concepts = tuple(({**others, concept.key: concept}).values())
    edges = (*(edge for edge in plan.edges if edge.concept != concept.key), *needs)
    names = {one.key: one.name for one in concepts}
    if missing := next((edge.prerequisite for edge in needs if edge.prerequisite not in names), None):
        raise BadRequest(f"{missing[:80]!r} is no concept of the plan", hint=f"it has {', '.join(names)}"[:500])
    if circles := break_cycles(list(names), edges)[1]:
        named = " → ".join(names[key] for key in (*circles[0].keys, circles[0].keys[0]))
        raise BadRequest(f"each would have to be learned before the next: {named}", hint="take one of them out")
    check(replace(plan, concepts=concepts, edges=edges))


def _edges(key: str, change: ConceptChange, known: Sequence[Edge]) -> tuple[Edge, ...]:
    former = {edge.prerequisite: edge for edge in known if edge.concept == key}
    return tuple(former.get(need, Edge(need, key)) for need in dict.fromkeys(change.needs))


def _put_needs(connection: Connection, plan_id: int, key: str, edges: Sequence[Edge]) -> None:
    ids = tables.concept_ids(connection, plan_id)
    connection.execute(delete(tables.edge).where(tables.edge.c.concept_id == ids[key]))
    tables.put_edges(connection, plan_id, edges)


def _line(text: str) -> str:
    return " ".join(text.split())
