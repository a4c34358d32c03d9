"""Rebuilds a corpus from the catalog's documents into a second one, which replaces the old one when it is complete."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from llama_index.core.schema import Document

from .pipeline import IngestingCorpus, IngestReport, OnProgress, ingest

if TYPE_CHECKING:
    from ..catalog import CorpusRow


def rebuild(corpus: IngestingCorpus, on_progress: OnProgress | None = None) -> IngestReport:
    """Synchronize in rounds, until no document has changed during the last round; then swap."""
    catalog = corpus.catalog
    with catalog.read() as snapshot:
        unfinished = snapshot.corpus(corpus.name, state="building")
    if unfinished is not None and unfinished.fingerprint != corpus.fingerprint:
        catalog.drop_corpus(unfinished.id)
    while True:
        building = catalog.create_corpus(corpus.name, corpus.fingerprint, state="building")
        report, active = bring_up_to_date(corpus, building, on_progress)
        if catalog.vector_filling is not None:
            catalog.vector_filling.build(building.id)
        # Changes that another process made meanwhile are copied in the next round.
        if catalog.swap_in(building, active):
            return report


def bring_up_to_date(
    corpus: IngestingCorpus, building: CorpusRow, on_progress: OnProgress | None
) -> tuple[IngestReport, CorpusRow]:
    """Copy the active corpus's changes to the ``building`` one; also returns the active corpus at the beginning."""
    catalog = corpus.catalog
    with catalog.read() as snapshot:
        active = corpus.contents.row(snapshot)
        stored = snapshot.documents(active.id)
        copied = {row.doc_id for row in snapshot.documents(building.id)}
    removed = copied - {row.doc_id for row in stored}
    if removed:
        catalog.documents.remove(building.id, sorted(removed))

    def documents() -> Iterable[Document]:
        for row in stored:
            with catalog.read() as snapshot:
                text = snapshot.document_text(active.id, row.doc_id)
            if text is not None:
                yield RestoredDocument(id_=row.doc_id, text=text, metadata=row.metadata, stored_hash=row.hash)

    return ingest(documents(), corpus, building.id, on_progress), active


class RestoredDocument(Document):
    """A document from the catalog, with the hash that it was stored with."""

    stored_hash: str

    @property
    def hash(self) -> str:
        return self.stored_hash
