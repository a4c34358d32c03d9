"""The corpus ``concept_tutor``: the plans' passages for the host's retrieval, evidence gate and citation check.

The tables of ``store`` are the truth about a plan; ``update_corpus`` makes the corpus follow them. It may be killed at
any moment, and goes on where it was.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from llama_index.core.schema import Document

from . import KIND, NAME
from .store import PlanStore

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragstone.core import Corpus, Host
    from ragstone.core.ingestion import IngestProgress

    from .importers import ImportedPlan
    from .records import Plan, SourceChunk

_PLANS_KEPT = 256


def corpus_of(host: Host) -> Corpus:
    """The passages of all plans. A chunk's id is its ``chunk_id``; its metadata are those of ``document_of``."""
    return host.corpus(NAME, kind=KIND, hint="ragstone tutor plan add, then ragstone tutor sources PLAN")


def document_of(chunk: SourceChunk) -> Document:
    """A passage as a document: ``plan``, ``chunk`` (its id), and what a citation shows of it."""
    return Document(
        id_=chunk.chunk_id,
        text=chunk.content,
        metadata={
            "plan": chunk.plan,
            "chunk": chunk.chunk_id,
            "page_title": chunk.page_title,
            "section": chunk.section,
            "url": chunk.page_url,
            "source": chunk.source,
            "revision": chunk.revision,
            "licence": chunk.licence,
            "language": chunk.language,
        },
    )


def add_plan(host: Host, made: ImportedPlan, on_embedded: Callable[[IngestProgress], None] | None = None) -> Plan:
    """Store a plan with the passages that came with it, and embed these for the chat.

    Raises ``BadRequest`` where there is a plan of that slug.
    """
    plan = host.once(PlanStore).add(made.plan, made.sources)
    if made.sources:
        update_corpus(host, [plan.slug], on_embedded)
    return plan


def update_corpus(
    host: Host, slugs: Sequence[str] | None = None, on_progress: Callable[[IngestProgress], None] | None = None
) -> int:
    """Put the passages of these plans, or of all, into the corpus, and take out those that are in no plan.

    Returns how many were embedded. ``on_progress`` as for ``Corpus.ingest``.
    """
    store, corpus = host.once(PlanStore), corpus_of(host)
    done = 0
    for slug in [size.plan.slug for size in store.plans()] if slugs is None else slugs:
        known = {chunk.chunk_id: chunk for chunks in store.all_sources(slug).values() for chunk in chunks}
        if known:
            report = corpus.ingest([document_of(chunk) for chunk in known.values()], on_progress=on_progress)
            done += len(report.added) + len(report.updated)
    if stored := {row.doc_id for row in corpus.contents.documents()}:
        corpus.remove(sorted(stored - store.chunk_ids()))
    return done


def outdated_plans(host: Host) -> list[str]:
    """Plans with passages that are not in the corpus: a process ended before it had embedded them."""
    store = host.once(PlanStore)
    known = {row.doc_id for row in corpus_of(host).contents.documents()}
    return [size.plan.slug for size in store.plans() if size.chunks and not store.chunk_ids(size.plan.slug) <= known]


class CorpusUpdates:
    """Updates the corpus before it is searched; by one thread at a time. One for each host."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._lock = threading.Lock()
        #: The passages of the tables and of the corpus after the last update for these plans.
        self._last: dict[tuple[str, ...], tuple[frozenset[str], frozenset[str]]] = {}

    def ensure(self, slugs: Sequence[str]) -> None:
        """Update the corpus for these plans if it is outdated; most often gathering has done it already."""
        store, corpus = self._host.once(PlanStore), corpus_of(self._host)
        with self._lock:
            wanted = frozenset(store.chunk_ids())
            stored = frozenset(row.doc_id for row in corpus.contents.documents())
            if wanted == stored or self._last.get(tuple(slugs)) == (wanted, stored):
                return  # what is missing belongs to other plans
            update_corpus(self._host, slugs)
            if len(self._last) >= _PLANS_KEPT:
                self._last.clear()
            self._last[tuple(slugs)] = wanted, frozenset(row.doc_id for row in corpus.contents.documents())
