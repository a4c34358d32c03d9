"""A corpus: a named set of documents with one fingerprint, that can be filled, searched, checked and rebuilt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from .retrieval.calibration import (
    CALIBRATION_TOP_K,
    MIN_CALIBRATION_CHUNKS,
    Calibration,
    bank,
    calibrate,
    calibration_of,
    threshold_of,
)
from .retrieval.contents import CorpusContents
from .retrieval.search_cache import RevisionSearch, SearchCache
from .runtime.forks import ForkSafeLock, lazily
from .text.stemming import ANALYSIS_VERSION

if TYPE_CHECKING:
    from llama_index.core.node_parser import NodeParser
    from llama_index.core.schema import Document

    from .catalog import Catalog, CorpusRow, VectorState
    from .embedding import Encoder
    from .ingestion.pipeline import IngestReport, OnProgress
    from .retrieval.models import Retrieval
    from .settings import RetrievalSettings


@dataclass(frozen=True)
class CorpusInfo:
    """What ``ragstone corpus list`` and ``/health`` show."""

    name: str
    documents: int
    chunks: int
    seq: int
    fingerprint: dict[str, Any]
    #: Why the corpus should be rebuilt; ``None`` when it is as the deployment would make it.
    stale: str | None
    #: Whether a rebuild is not complete: it is running, or was stopped.
    building: bool
    #: Evidence below which a question is refused.
    threshold: float
    #: Where the threshold comes from.
    calibration: Calibration | None


@dataclass(frozen=True)
class CorpusParts:
    """What makes a corpus's chunks and vectors; each is made when it is first needed."""

    encoder: Callable[[], Encoder]
    parser: Callable[[], NodeParser]


class Corpus:
    """Got from ``Host.corpus``. Safe to use from several threads."""

    def __init__(
        self,
        name: str,
        *,
        catalog: Catalog,
        parts: CorpusParts,
        options: RetrievalSettings,
        hint: str = "add something to it first",
    ) -> None:
        """``hint``: what to do while it is empty."""
        self.name = name
        self.catalog = catalog
        self.options = options
        #: What searching it keeps in memory.
        self.search_cache = SearchCache(lambda: self.encoder.dimension)
        #: Its documents and chunks.
        self.contents = CorpusContents(name, catalog, self.search_cache, hint)
        self._parts = parts
        self._lock = ForkSafeLock()
        self._rebuilding = ForkSafeLock()

    @lazily
    def encoder(self) -> Encoder:
        """The encoder; loaded when it is first needed. Raises ``EncoderError``."""
        return self._parts.encoder()

    @lazily
    def parser(self) -> NodeParser:
        """The node parser of this corpus's kind of documents."""
        return self._parts.parser()

    @lazily
    def fingerprint(self) -> dict[str, Any]:
        """What would make this corpus if it were made now."""
        return {
            "encoder": self.encoder.fingerprint,
            "parser": parser_fingerprint(self.parser),
            "words": f"english/{ANALYSIS_VERSION}",
        }

    def info(self) -> CorpusInfo:
        """Sizes and state."""
        with self.catalog.read() as snapshot:
            row = self.contents.row(snapshot)
            documents, chunks = snapshot.sizes(row.id)
            building = snapshot.corpus(self.name, state="building") is not None
        return CorpusInfo(
            name=self.name,
            documents=documents,
            chunks=chunks,
            seq=row.seq,
            fingerprint=row.fingerprint,
            stale=self._why_stale(row),
            building=building,
            threshold=threshold_of(row, self.options),
            calibration=calibration_of(row),
        )

    def ingest(
        self,
        documents: Iterable[Document],
        *,
        on_progress: OnProgress | None = None,
        prefix: str = "",
        calibrate: bool = True,
    ) -> IngestReport:
        """Store new and changed documents (by ``Document.hash``); see ``ingest.ingest``.

        ``prefix``: what all ids of the documents begin with, where they are a small part of a large corpus.
        ``calibrate``: ``False`` where many processes fill the corpus, and one calibrates it at the end.
        A stale corpus is rebuilt first: vectors that cannot be compared never stand side by side. One that was made
        by the same encoder in another precision is left for the rebuild that a server makes in the background.
        """
        row = self.catalog.create_corpus(self.name, self.fingerprint)
        in_this_precision = {**row.fingerprint, "encoder": self.encoder.fingerprint}
        if self._why_stale(row) and not (self.has_vectors(row) and in_this_precision == self.fingerprint):
            self.rebuild(on_progress=on_progress)
            row = self.catalog.create_corpus(self.name, self.fingerprint)
        from .ingestion.pipeline import ingest

        report = ingest(documents, self, row.id, on_progress, prefix)
        if calibrate:
            self.calibrate()
        return report

    def remove(self, doc_ids: Sequence[str]) -> int:
        """Remove documents; returns how many there were."""
        if not doc_ids:
            return 0
        with self.catalog.read() as snapshot:
            corpus_id = self.contents.row(snapshot).id
        count = self.catalog.documents.remove(corpus_id, doc_ids)
        self.calibrate()
        return count

    def index_vectors(
        self, on_filled: Callable[[int], None] | None = None, on_built: Callable[[float], None] | None = None
    ) -> VectorState | None:
        """Fill the catalog's own index of the corpus's vectors, if the deployment wants one; ``None`` if not.

        Can be resumed. ``on_filled`` gets the number of chunks of each batch, ``on_built`` the share of the HNSW index
        that is built, each second. A stale corpus is left for its rebuild.
        """
        filling = self.catalog.vector_filling
        if filling is None:
            return None
        with self.catalog.read() as snapshot:
            row = self.contents.row(snapshot)
        if self.has_vectors(row):
            filling.fill(row.id, self.encoder.dimension, on_filled)
            filling.build(row.id, on_built)
        return filling.state(row.id)

    def has_vectors(self, row: CorpusRow) -> bool:
        """Whether the stored vectors can be compared with those of the encoder in use."""
        return row.fingerprint.get("encoder") in self.encoder.comparable

    def calibrate(self) -> None:
        """Build the catalog's own index of vectors where it is due, and find out the threshold anew, if the corpus has
        outgrown the one that it has."""
        with self.catalog.read() as snapshot:
            row = self.contents.row(snapshot)
            chunks = RevisionSearch(self.search_cache, snapshot, row).size()
        if self.catalog.vector_filling is not None:
            self.catalog.vector_filling.build(row.id)
        known = calibration_of(row)
        if chunks < MIN_CALIBRATION_CHUNKS or not self.has_vectors(row) or (known is not None and known.fits(chunks)):
            return
        from .retrieval.search import HybridRetriever

        retriever = HybridRetriever(self, top_k=CALIBRATION_TOP_K)
        vectors = dict(zip(bank(), self.encoder.embed_queries(bank()), strict=True))  # at once: a tenth of the time

        def search(question: str) -> Retrieval:
            return retriever.search_embedded(question, vectors[question])

        self.catalog.set_calibration(row.id, calibrate(search, chunks).to_dict())

    def _why_stale(self, row: CorpusRow) -> str | None:
        other = [
            f"{part} {row.fingerprint.get(part)!r}, now {now!r}"
            for part, now in self.fingerprint.items()
            if row.fingerprint.get(part) != now
        ]
        return f"made with {'; '.join(other)}" if other else None

    def rebuild(self, *, on_progress: OnProgress | None = None) -> IngestReport:
        """Make the corpus anew from the catalog's documents, beside the old one, then let it take its place.

        The old one answers until then. A rebuild that was interrupted goes on where it was. Nothing is read again
        from outside.
        """
        with self._rebuilding:
            from .ingestion.rebuild import rebuild

            report = rebuild(self, on_progress)
            self.calibrate()
            return report


def parser_fingerprint(parser: NodeParser) -> str:
    """What shapes a parser's chunks, in one word: its own ``fingerprint``, else its class and options."""
    own = getattr(parser, "fingerprint", None)
    if isinstance(own, str):
        return own
    return f"{parser.class_name()}/{sha256(parser.to_json().encode()).hexdigest()[:12]}"
