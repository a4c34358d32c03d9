"""Leases of concepts: only one process at a time looks for a concept's sources, and any of them may be killed."""

from __future__ import annotations

import os
import platform
import time
import uuid
from collections.abc import Sequence

from sqlalchemy import select

from ragstone.core.catalog import PluginTables

from .. import tables
from ..records import SourceState


class Leases:
    """The leases of one process. A lease ends with its process, or after its time."""

    def __init__(self, plan_tables: PluginTables, seconds: float) -> None:
        """``seconds``: of a lease; more than looking for one concept's sources may take."""
        self._tables = plan_tables
        self._seconds = seconds
        self._name = f"{platform.node()}/{os.getpid()}/{uuid.uuid4().hex[:12]}"

    def request(self, slug: str, keys: Sequence[str]) -> None:
        """Request sources of these concepts: they wait, except those with a valid lease."""
        concept = tables.concept
        with self._tables.write() as connection:
            plan = tables.plan_row(connection, slug, lock=True)
            found = connection.execute(select(concept).where(concept.c.plan_id == plan.id, concept.c.key.in_(keys)))
            ids = [one.id for one in found if one.state != "running" or self._is_expired(one.holder, one.held_until)]
            tables.set_state(connection, ids, "waiting", wanted=1)

    def interrupted(self) -> dict[str, list[str]]:
        """The concepts, by plan, whose sources were requested and not yet looked for to the end."""
        concept, plan = tables.concept, tables.plan
        made: dict[str, list[str]] = {}
        with self._tables.read() as connection:
            asked = select(plan.c.slug, concept.c.key).join(concept, concept.c.plan_id == plan.c.id)
            for one in connection.execute(asked.where(concept.c.wanted == 1).order_by(plan.c.id, concept.c.position)):
                made.setdefault(one.slug, []).append(one.key)
        return made

    def acquire(self, slug: str, key: str) -> bool:
        """Lease the concept, whose state is then ``running``; returns whether no other process has it."""
        with self._tables.write() as connection:
            found = tables.concept_row(connection, tables.plan_row(connection, slug, lock=True), key)
            if found.state == "running" and not self._is_expired(found.holder, found.held_until):
                return False
            lease = {"wanted": found.wanted, "holder": self._name, "held_until": time.time() + self._seconds}
            tables.set_state(connection, [found.id], "running", **lease)
        return True

    def release(self, slug: str, key: str, state: SourceState, reason: str) -> None:
        """End the lease with this state; a concept that has chunks from earlier keeps them and stays ``found``."""
        use = tables.use
        with self._tables.write() as connection:
            found = tables.concept_row(connection, tables.plan_row(connection, slug, lock=True), key)
            if connection.execute(select(use.c.chunk_id).where(use.c.concept_id == found.id)).first():
                state = "found"
            tables.set_state(connection, [found.id], state, reason=reason[:500])

    def is_held(self, slug: str) -> bool:
        """Whether any process has a valid lease of one of the plan's concepts."""
        concept = tables.concept
        with self._tables.read() as connection:
            plan = tables.plan_row(connection, slug)
            asked = select(concept.c.holder, concept.c.held_until).where(concept.c.plan_id == plan.id)
            held = connection.execute(asked.where(concept.c.state == "running")).all()
        return any(not self._is_expired(*one) for one in held)

    def _is_expired(self, holder: str, until: float) -> bool:
        if holder == self._name:
            return False
        # After the clock was put back by hours no process waits for hours.
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
    except PermissionError:  # it is another user's
        pass
    return True
