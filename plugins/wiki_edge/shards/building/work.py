"""Builds the parts of a plan that are not built yet, in this process, beside any number of other workers."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .leases import Leases
from .parts import PartBuilder, finished, record_of
from .plan import reader_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragstone.core import Host

    from .batches import Batch
    from .parts import PartRecord
    from .plan import Part, Plan

#: Seconds between two looks at parts that other workers build.
_LOOK_S = 0.5


@dataclass(frozen=True)
class BuildProgress:
    """Progress of a build."""

    articles: int = 0
    chunks: int = 0
    #: Chunks of an earlier run.
    resumed: int = 0
    #: Share of the source that is embedded.
    share: float = 0.0
    #: Parts that are built, and all of them.
    parts: int = 0
    all_parts: int = 0
    #: What is done now.
    step: str = "embedding"


class PartCounts:
    """Counts of the finished parts, which are looked at again and again."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._records: dict[int, PartRecord] = {}
        self.look()
        #: Rows that were there at first.
        self.resumed = sum(record.rows for record in self._records.values())

    def look(self) -> set[int]:
        """Read the records of parts that are new; returns the finished parts."""
        done = finished(self.plan)
        self._records |= {number: record_of(self.plan, number) for number in done - self._records.keys()}
        return self.done

    @property
    def done(self) -> set[int]:
        """The finished parts."""
        return set(self._records)

    @property
    def wanted(self) -> range:
        """The parts that the shard is made of: all, or the first ones with as many articles as are wanted."""
        limit, articles = self.plan.options.limit, 0
        for number in range(len(self.plan.parts) if limit is not None else 0):
            if number not in self._records:
                break
            articles += self._records[number].articles
            if articles >= (limit or 0):
                return range(number + 1)
        return range(len(self.plan.parts))

    def progress(self, part: Part | None = None, batch: Batch | None = None, rows: int = 0) -> BuildProgress:
        """The progress with a batch of a part that is not finished, of which ``rows`` are embedded."""
        plan, known = self.plan, self._records
        articles = sum(record.articles for record in known.values())
        chunks = sum(record.rows for record in known.values())
        size = float(sum(plan.parts[number].bytes for number in known))
        if part is not None and batch is not None and part.number not in known:
            articles, chunks = articles + batch.articles, chunks + rows
            size += min(part.bytes, max(0, batch.done - part.at))
        share = size / plan.size
        if plan.options.limit:
            share = max(share, articles / plan.options.limit)
        return BuildProgress(articles, chunks, self.resumed, min(1.0, share), len(known), len(plan.parts))


def work(plan: Plan, host: Host, on_progress: Callable[[BuildProgress], None] = lambda _: None) -> None:
    """Build parts until all are built, by this worker or another one.

    Raises ``BadRequest`` where this deployment is another than the plan's, ``SourceError``, ``EncoderError``,
    ``OSError``.
    """
    reader = reader_of(plan, host)
    leases, counts = Leases(plan.folder), PartCounts(plan)
    builder = PartBuilder(plan, host.hooks.encoder, reader, leases.worker)
    while not (done := counts.done).issuperset(wanted := counts.wanted):
        taken = leases.take(number for number in wanted if number not in done)
        if taken is None:
            time.sleep(_LOOK_S)
            counts.look()
            on_progress(counts.progress())
            continue
        part = plan.parts[taken[0]]

        def report(batch: Batch, rows: int, part: Part = part) -> None:
            counts.look()
            on_progress(counts.progress(part, batch, rows))

        with taken[1]:
            if part.number not in counts.look():
                builder.build(part, report)
                counts.look()
