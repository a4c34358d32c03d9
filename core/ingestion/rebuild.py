"""Rebuilds a corpus from the catalog's documents beside the old one, and swaps them when it is complete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from llama_index.core.schema import Document

from .pipeline import ingest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from llama_index.core.node_parser import NodeParser

    from ..catalog import Catalog, CorpusRow, Snapshot
    from ..embedding import Encoder
    from .pipeline import IngestReport, OnProgress


class RebuiltCorpus(Protocol):
    """A corpus as its rebuild sees it."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def catalog(self) -> Catalog:
        """Where its documents are."""

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What it is made with."""

    @property
    def parser(self) -> NodeParser:
        """What cuts its documents."""

    @property
    def encoder(self) -> Encoder:
        """What embeds its chunks."""

    def row(self, snapshot: Snapshot) -> CorpusRow:
        """Its row in the catalog. Raises ``NotFound``."""


def rebuild(corpus: RebuiltCorpus, on_progress: OnProgress | None = None) -> IngestReport:
    """Rounds, until nothing was changed while the last one was under way."""
    catalog = corpus.catalog
    with catalog.read() as snapshot:
        unfinished = snapshot.corpus(corpus.name, state="building")
    if unfinished is not None and unfinished.fingerprint != corpus.fingerprint:
        catalog.drop_corpus(unfinished.id)
    while True:
        building = catalog.create_corpus(corpus.name, corpus.fingerprint, state="building")
        report, active = bring_up_to_date(corpus, building, on_progress)
        # Whatever another process changed meanwhile is brought over in the next round.
        if catalog.swap_in(building, active):
            return report


def bring_up_to_date(
    corpus: RebuiltCorpus, building: CorpusRow, on_progress: OnProgress | None
) -> tuple[IngestReport, CorpusRow]:
    """Bring to the corpus that is being built what the active one has and it has not; the active one as it was then."""
    catalog = corpus.catalog
    with catalog.read() as snapshot:
        active = corpus.row(snapshot)
        stored = snapshot.documents(active.id)
        there = {row.doc_id for row in snapshot.documents(building.id)}
    gone = there - {row.doc_id for row in stored}
    if gone:
        catalog.remove_documents(building.id, sorted(gone))

    def documents() -> Iterable[Document]:
        for row in stored:
            with catalog.read() as snapshot:
                text = snapshot.document_text(active.id, row.doc_id)
            if text is not None:
                yield RestoredDocument(id_=row.doc_id, text=text, metadata=row.metadata, stored_hash=row.hash)

    report = ingest(
        documents(),
        catalog=catalog,
        corpus_id=building.id,
        parser=corpus.parser,
        encoder=corpus.encoder,
        on_progress=on_progress,
    )
    return report, active


class RestoredDocument(Document):
    """A document out of the catalog, which keeps the hash that it was stored with."""

    stored_hash: str

    @property
    def hash(self) -> str:
        """The hash of what its reader gave."""
        return self.stored_hash
