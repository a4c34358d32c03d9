"""Gathers the sources of a plan, in the foreground or the background, and resumes what was interrupted."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from ragstone.core import Host, RagstoneError, StorageError
from ragstone.core.runtime import JobQueue

from ...mediawiki.wikis import Wikis, run_in_threads
from ..corpus import Chunks
from ..records import Concept, SourceState
from ..store import PlanStore
from .finder import SourceFinder
from .leases import Leases

_log = logging.getLogger(__name__)

#: Concepts at once: while three requests are under way, pages of others are read.
_AT_ONCE = 6
#: Seconds between two looks at the progress of another process.
_POLL = 1.0
#: Of the messages to other processes.
_TOPIC = "concept_tutor/sources"
_NEW: tuple[Literal["waiting"], ...] = ("waiting",)
_SETTLED = ("found", "none", "failed")


@dataclass(frozen=True)
class Progress:
    """The state of one concept's sources; of the plan's ``of`` concepts ``done`` are finished.

    Two are equal if nothing has changed for this concept itself.
    """

    plan: str
    #: The concept's key and name.
    concept: str
    name: str
    state: SourceState
    reason: str
    #: Chunks that it uses.
    chunks: int = field(compare=False)
    done: int = field(compare=False)
    of: int = field(compare=False)


class Gathering:
    """One for each host: ``host.once(Gathering)``. Safe to use from several threads."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._store = host.once(PlanStore)
        #: Plans that this process works on in the background, and their concepts.
        self._queue: JobQueue[tuple[str, tuple[str, ...]]] = JobQueue("ragstone-sources", self._work)
        self._notices = host.catalog.shared.notices
        self._notices.subscribe(_TOPIC, lambda _slug: self._queue.notify())

    @cached_property
    def _wikis(self) -> Wikis:
        return self._host.once(Wikis)

    @cached_property
    def _leases(self) -> Leases:
        options = self._wikis.options
        pages = options.sources.pages_a_concept
        longest = options.wikis.seconds * (len(self._wikis.searched) + pages) + options.pages.seconds * pages + 30
        return Leases(self._store.tables, longest)

    def run(
        self,
        slug: str,
        *,
        states: Collection[SourceState] = _NEW,
        concepts: Sequence[str] | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        """Gather sources for the plan's concepts in these states, or for these concepts; returns when all is done.

        The ``reason`` of a concept that fails has the error, and the others go on. Raises ``NotFound``,
        ``SettingsError`` when no wiki may be asked, ``StorageError``.
        """
        wanted = self._keys_of(slug, states, concepts)
        self._leases.request(slug, wanted)
        self._gather(slug, wanted, on_progress)

    def start(self, slug: str, *, states: Collection[SourceState] = _NEW, concepts: Sequence[str] | None = None) -> int:
        """Begin to gather, as ``run`` does, in a thread of its own; returns for how many concepts.

        Raises ``NotFound`` and ``SettingsError``. Whatever else goes wrong is in the concepts' ``reason`` and the log.
        """
        wanted = self._keys_of(slug, states, concepts)
        if wanted:
            self._add(slug, wanted)
        return len(wanted)

    def resume(self) -> None:
        """Resume in the background what a kill or the server's end interrupted."""
        self._host.once(Chunks).remove_unused()
        for slug, keys in self._leases.interrupted().items():
            self._add(slug, tuple(keys))

    def close(self) -> None:
        """Begin nothing more; what is under way is resumed the next time."""
        self._queue.stop()

    def is_busy(self, slug: str) -> bool:
        """Whether this process gathers for the plan or is about to."""
        return any(slug == busy for busy, _ in self._queue.jobs())

    def follow(self, slug: str, pause: float) -> Iterator[Progress | None]:
        """The progress of each concept, then every change, until no process looks for sources of the plan any more.

        ``None`` when nothing has happened for ``pause`` seconds. Raises ``NotFound`` once the plan is not there.
        """

        def look() -> tuple[dict[str, Progress], bool]:
            # Before the states are read: what is found between the two would not be reported.
            is_busy = self.is_busy(slug) or self._leases.is_held(slug)
            concepts = self._store.concepts(slug)
            is_over = all(one.state in _SETTLED for one in concepts) or not is_busy
            return {one.concept: one for one in self._progress(slug, concepts)}, is_over

        return self._queue.follow(look, pause, _POLL)

    def _keys_of(self, slug: str, states: Collection[SourceState], concepts: Sequence[str] | None) -> tuple[str, ...]:
        SourceFinder(self._wikis).check()
        if concepts is not None:
            return tuple(self._store.concept(slug, key).key for key in concepts)
        # A concept that is ``running`` may have been left so by a process that was killed.
        return tuple(one.key for one in self._store.concepts(slug) if one.state in states or one.state == "running")

    def _add(self, slug: str, wanted: tuple[str, ...]) -> None:
        self._leases.request(slug, wanted)
        self._queue.add((slug, wanted))

    def _work(self, job: tuple[str, tuple[str, ...]]) -> None:
        slug, wanted = job
        try:
            self._gather(slug, wanted, None)
        except RagstoneError as error:
            _log.warning("the sources of the plan %r were not gathered: %s", slug, error)
        except Exception:
            _log.exception("gathering the sources of the plan %r failed", slug)

    def _gather(self, slug: str, wanted: Sequence[str], on_progress: Callable[[Progress], None] | None) -> None:
        finder = SourceFinder(self._wikis)  # with a store of pages of its own: the next time they are read anew
        run_in_threads(
            wanted,
            lambda key: self._gather_concept(finder, slug, key, on_progress),
            min(_AT_ONCE, len(wanted)),
            lambda: self._queue.is_stopped,
        )

    def _gather_concept(
        self, finder: SourceFinder, slug: str, key: str, on_progress: Callable[[Progress], None] | None
    ) -> None:
        if not self._leases.acquire(slug, key):
            return
        self._report(slug, key, on_progress)
        name = self._store.concept(slug, key).name
        try:
            chunks, failed = finder.find(name)
            if chunks:
                self._store.put_sources(slug, key, chunks, failed)
            else:
                self._leases.release(slug, key, "none", "no page of the wikis is about it")
        except StorageError:  # it would be the same for every other concept
            raise
        except RagstoneError as error:
            self._leases.release(slug, key, "failed", str(error))
        except Exception as error:
            _log.exception("looking for sources of %r failed", name)
            self._leases.release(slug, key, "failed", f"it failed ({type(error).__name__}); see the log")
        self._report(slug, key, on_progress)

    def _report(self, slug: str, key: str, on_progress: Callable[[Progress], None] | None) -> None:
        self._queue.notify()
        self._notices.send(_TOPIC, slug)
        if on_progress is not None:
            for progress in self._progress(slug, self._store.concepts(slug)):
                if progress.concept == key:
                    on_progress(progress)

    def _progress(self, slug: str, concepts: Sequence[Concept]) -> list[Progress]:
        done = sum(1 for one in concepts if one.state in _SETTLED)
        chunks = self._store.chunk_ids(slug)
        return [
            Progress(slug, one.key, one.name, one.state, one.reason, len(chunks[one.key]), done, len(concepts))
            for one in concepts
        ]
