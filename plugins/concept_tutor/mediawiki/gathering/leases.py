"""Who looks for which concept's sources, so that several processes do not all do the same, and one may die."""

from __future__ import annotations

import os
import platform
import time
import uuid
from typing import TYPE_CHECKING

from sqlalchemy import select, update

from ...plans import queries, tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragstone.core.catalog import PluginTables

    from ...plans.records import SourceState


class Claims:
    """One process's hold on concepts. Whoever died, or is silent for too long, has lost its own."""

    def __init__(self, of: PluginTables, seconds: float) -> None:
        """``seconds``: for which a hold is believed; more than looking for one concept's sources may take."""
        self._tables = of
        self._seconds = seconds
        self._name = f"{platform.node()}/{os.getpid()}/{uuid.uuid4().hex[:12]}"

    def want(self, slug: str, keys: Sequence[str]) -> None:
        """From now on sources of these concepts are wanted, and they wait, unless somebody is at it already."""
        concept = tables.concept
        with self._tables.write() as connection:
            plan = queries.row(connection, slug, lock=True)
            found = connection.execute(select(concept).where(concept.c.plan_id == plan.id, concept.c.key.in_(keys)))
            ids = [one.id for one in found if one.state != "running" or self._is_lost(one.holder, one.held_until)]
            values = {"wanted": 1, "state": "waiting", "reason": "", "holder": "", "held_until": 0.0}
            connection.execute(update(concept).where(concept.c.id.in_(ids)).values(**values))

    def interrupted(self) -> dict[str, list[str]]:
        """Concepts, by their plans, whose sources are wanted and have not been seen to."""
        concept, plan = tables.concept, tables.plan
        made: dict[str, list[str]] = {}
        with self._tables.read() as connection:
            asked = select(plan.c.slug, concept.c.key).join(concept, concept.c.plan_id == plan.c.id)
            for one in connection.execute(asked.where(concept.c.wanted == 1).order_by(plan.c.id, concept.c.position)):
                made.setdefault(one.slug, []).append(one.key)
        return made

    def take(self, slug: str, key: str) -> bool:
        """Whether it is this process that looks for the concept's sources from now on; its state is ``running``."""
        concept = tables.concept
        with self._tables.write() as connection:
            found = queries.concept_row(connection, queries.row(connection, slug, lock=True), key)
            if found.state == "running" and not self._is_lost(found.holder, found.held_until):
                return False
            connection.execute(
                update(concept)
                .where(concept.c.id == found.id)
                .values(state="running", reason="", holder=self._name, held_until=time.time() + self._seconds)
            )
        return True

    def give_up(self, slug: str, key: str, state: SourceState, reason: str) -> None:
        """What was held ends in this state; a concept that has passages from earlier keeps them and stays ``found``."""
        concept, rests_on = tables.concept, tables.rests_on
        with self._tables.write() as connection:
            found = queries.concept_row(connection, queries.row(connection, slug, lock=True), key)
            if connection.execute(select(rests_on.c.chunk_id).where(rests_on.c.concept_id == found.id)).first():
                state = "found"
            values = {"wanted": 0, "state": state, "reason": reason[:500], "holder": "", "held_until": 0.0}
            connection.execute(update(concept).where(concept.c.id == found.id).values(**values))

    def someone_is_at_it(self, slug: str) -> bool:
        """Whether any process, this one too, looks for sources of the plan now."""
        concept = tables.concept
        with self._tables.read() as connection:
            plan = queries.row(connection, slug)
            held = connection.execute(
                select(concept.c.holder, concept.c.held_until).where(
                    concept.c.plan_id == plan.id, concept.c.state == "running"
                )
            ).all()
        return any(not self._is_lost(*one) for one in held)

    def _is_lost(self, holder: str, until: float) -> bool:
        if holder == self._name:
            return False
        # A clock that went back by hours must not make anybody wait for hours.
        if not 0 <= until - time.time() <= self._seconds * 2:
            return True
        node, _, rest = holder.rpartition("/")[0].rpartition("/")
        if node != platform.node() or not rest.isdigit():
            return False
        # The same number again is this process's, and the one that had it before is gone: so it is in containers.
        return int(rest) == os.getpid() or not _is_alive(int(rest))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
