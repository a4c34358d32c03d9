"""Builds the parts of a plan that are not built yet, in this process, beside any number of other workers."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from ragstone.core import Host

from .parts import PartBuilder, PartRecord, finished, record_of
from .plan import Plan

#: Seconds between two looks at parts that other workers build.
_LOOK_S = 0.5


@dataclass(frozen=True)
class BuildProgress:
    """Progress of a build."""

    articles: int = 0
    chunks: int = 0
    #: Chunks of an earlier run.
    resumed: int = 0
    #: Share of the parts that are built.
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

    def look(self) -> None:
        """Read the records of parts that are new."""
        new = finished(self.plan) - self._records.keys()
        self._records |= {number: record_of(self.plan, number) for number in new}

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

    @property
    def missing(self) -> list[int]:
        """Those of them that are not finished."""
        return [number for number in self.wanted if number not in self._records]

    def progress(self, rows: int = 0) -> BuildProgress:
        """The progress, with so many rows of a part that is not finished."""
        known, limit, parts = self._records.values(), self.plan.options.limit, len(self.plan.parts)
        articles = sum(record.articles for record in known)
        chunks = sum(record.rows for record in known) + rows
        share = min(1.0, max(len(known) / parts, articles / limit if limit else 0))
        return BuildProgress(articles, chunks, self.resumed, share, len(known), parts)


def work(plan: Plan, host: Host, on_progress: Callable[[BuildProgress], None] = lambda _: None) -> None:
    """Build parts until all are built, by this worker or another one.

    Raises ``BadRequest`` where this deployment is another than the plan's, ``SourceError``, ``EncoderError``,
    ``OSError``.
    """
    counts, builder = PartCounts(plan), PartBuilder(plan, host)

    def report(rows: int = 0) -> None:
        counts.look()
        on_progress(counts.progress(rows))

    while missing := counts.missing:
        if not builder.build_free(missing, report):
            time.sleep(_LOOK_S)
        report()
