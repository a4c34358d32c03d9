"""A corpus: a named set of documents with one fingerprint, that can be filled, searched, checked and rebuilt."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from llama_index.core.schema import Document

from .analysis import ANALYSIS_VERSION
from .calibration import DEFAULT_THRESHOLD, FEWEST_CHUNKS, OFFERED, Calibration, calibrate
from .errors import NotFound
from .forks import OwnLock
from .ingest import IngestReport, OnProgress, ingest
from .lazily import lazily
from .lexical import LexicalSearch
from .retrieval import HybridRetriever
from .vectors import ExactSearch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt
    from llama_index.core.node_parser import NodeParser
    from llama_index.core.schema import TextNode
    from llama_index.core.vector_stores.types import MetadataFilters

    from .catalog import Catalog, CorpusRow, Snapshot, StoredDocument
    from .encoder import Encoder
    from .index import Follower
    from .settings import RetrievalSettings
    from .together import Asked

#: Different filters that are remembered for a corpus that does not change: each book of a shelf, and some more.
_FILTERS_KEPT = 64
#: Chunks whose packed words are kept, some 800 bytes each.
_PACKED_KEPT = 10_000


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
    #: ``True`` while a rebuilt corpus is being made beside this one.
    building: bool
    #: Evidence below which a question is refused.
    threshold: float
    #: Where the threshold comes from.
    calibration: Calibration | None


class Corpus:
    """Got from ``Host.corpus``. Safe to use from several threads."""

    def __init__(
        self,
        name: str,
        *,
        catalog: Catalog,
        encoder: Callable[[], Encoder],
        parser: Callable[[], NodeParser],
        options: RetrievalSettings,
        hint: str = "add something to it first",
    ) -> None:
        """``hint``: what to do while it is empty."""
        self.name = name
        self._hint = hint
        self.catalog = catalog
        self.options = options
        #: The vector index that follows this corpus, in a host that lets one follow.
        self.follower: Follower | None = None
        self._get_encoder = encoder
        self._get_parser = parser
        self._passing: dict[tuple[int, int, str], npt.NDArray[np.int64]] = {}
        self._facets: dict[tuple[str, ...], tuple[tuple[int, int] | None, list[tuple[tuple[Any, ...], int]]]] = {}
        self._size: tuple[tuple[int, int] | None, int] = (None, 0)
        self.lexical = LexicalSearch()
        self._packed: dict[int, bytes] = {}
        self._lock = OwnLock()
        self._rebuilding = OwnLock()

    @lazily
    def encoder(self) -> Encoder:
        """The encoder; loaded when it is first needed. Raises ``EncoderError``."""
        return self._get_encoder()

    @lazily
    def parser(self) -> NodeParser:
        """The node parser of this corpus's kind of documents."""
        return self._get_parser()

    @lazily
    def fingerprint(self) -> dict[str, Any]:
        """What would make this corpus if it were made now."""
        return {
            "encoder": self.encoder.fingerprint,
            "parser": _parser_fingerprint(self.parser),
            "words": f"english/{ANALYSIS_VERSION}",
        }

    @lazily
    def _exact(self) -> ExactSearch:
        return ExactSearch(self.encoder.dimension)

    # What is in it

    def row(self, snapshot: Snapshot) -> CorpusRow:
        """The corpus's row as of this snapshot. Raises ``NotFound`` while nothing has been put into it."""
        row = snapshot.corpus(self.name)
        if row is None:
            raise NotFound(f"the corpus {self.name!r} is empty", hint=self._hint)
        return row

    @property
    def exists(self) -> bool:
        """Whether anything was ever put into it."""
        with self.catalog.read() as snapshot:
            return snapshot.corpus(self.name) is not None

    def info(self) -> CorpusInfo:
        """Sizes and state."""
        with self.catalog.read() as snapshot:
            row = self.row(snapshot)
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
            threshold=self.threshold_of(row),
            calibration=_calibration_of(row),
        )

    def documents(self) -> list[StoredDocument]:
        """The documents, without their texts; none while nothing has been put into it."""
        with self.catalog.read() as snapshot:
            row = snapshot.corpus(self.name)
            return [] if row is None else snapshot.documents(row.id)

    def facets(self, *keys: str) -> list[tuple[tuple[Any, ...], int]]:
        """How many chunks have which values under these metadata keys; counted once for each state of the corpus."""
        with self.catalog.read() as snapshot:
            row = snapshot.corpus(self.name)
            if row is None:
                return []
            at, found = self._facets.get(keys, (None, []))
            if at != (row.id, row.seq):
                found = snapshot.facets(row.id, keys)
                self._facets[keys] = (row.id, row.seq), found
            return found

    def document_text(self, doc_id: str) -> str:
        """The document's text as its reader gave it. Raises ``NotFound``."""
        with self.catalog.read() as snapshot:
            found = snapshot.document_text(self.row(snapshot).id, doc_id)
        if found is None:
            raise NotFound("there is no such document", where=doc_id)
        return found

    def node(self, chunk_id: str) -> TextNode:
        """The chunk. Raises ``NotFound``."""
        with self.catalog.read() as snapshot:
            key = snapshot.key_of(self.row(snapshot).id, chunk_id)
            if key is None:
                raise NotFound("there is no such passage; its document may have changed", where=chunk_id)
            return snapshot.nodes([key])[key]

    def find(self, filters: MetadataFilters) -> list[TextNode]:
        """The chunks whose metadata pass the filters, in the order in which they were stored."""
        with self.catalog.read() as snapshot:
            row = self.row(snapshot)
            found = snapshot.nodes(snapshot.chunk_keys(row.id, filters).tolist())
        return [found[key] for key in sorted(found)]

    def document_nodes(self, doc_id: str) -> list[TextNode]:
        """The document's chunks in order; none if there is no such document."""
        with self.catalog.read() as snapshot:
            row = self.row(snapshot)
            for document in snapshot.documents(row.id):
                if document.doc_id == doc_id:
                    return list(snapshot.document_nodes(document.key))
        return []

    # Filling it

    def ingest(self, documents: Iterable[Document], *, on_progress: OnProgress | None = None) -> IngestReport:
        """Store new and changed documents (by ``Document.hash``); see ``ingest.ingest``.

        A stale corpus is rebuilt first: vectors of two encoders never stand side by side.
        """
        row = self.catalog.create_corpus(self.name, self.fingerprint)
        if self._why_stale(row):
            self.rebuild(on_progress=on_progress)
            row = self.catalog.create_corpus(self.name, self.fingerprint)
        report = ingest(
            documents,
            catalog=self.catalog,
            corpus_id=row.id,
            parser=self.parser,
            encoder=self.encoder,
            on_progress=on_progress,
        )
        self._calibrate()
        return report

    def annotate(self, metadata_by_id: Mapping[str, dict[str, Any]]) -> None:
        """Replace what is known of documents as a whole; their chunks, and what is found, stay as they are."""
        if metadata_by_id:
            with self.catalog.read() as snapshot:
                corpus_id = self.row(snapshot).id
            self.catalog.annotate_documents(corpus_id, metadata_by_id)

    def remove(self, doc_ids: Sequence[str]) -> int:
        """Remove documents; returns how many there were."""
        if not doc_ids:
            return 0
        with self.catalog.read() as snapshot:
            corpus_id = self.row(snapshot).id
        count = self.catalog.remove_documents(corpus_id, doc_ids)
        self._calibrate()
        return count

    # Searching it

    def has_vectors(self, row: CorpusRow) -> bool:
        """Whether the stored vectors are those of the encoder in use."""
        return bool(row.fingerprint.get("encoder") == self.fingerprint["encoder"])

    def size(self, snapshot: Snapshot, row: CorpusRow) -> int:
        """How many chunks there are; counted once for each state of the corpus."""
        at, count = self._size
        if at != (row.id, row.seq):
            count = snapshot.sizes(row.id)[1]
            self._size = (row.id, row.seq), count
        return count

    def threshold_of(self, row: CorpusRow | None) -> float:
        """Evidence below which a question is refused: as the deployment says, else as the corpus found out."""
        if self.options.threshold is not None:
            return self.options.threshold
        calibration = None if row is None else _calibration_of(row)
        return DEFAULT_THRESHOLD if calibration is None else calibration.threshold

    def passing(
        self, snapshot: Snapshot, row: CorpusRow, filters: MetadataFilters | None
    ) -> npt.NDArray[np.int64] | None:
        """Keys of the chunks that pass the filters, ascending; ``None`` without filters."""
        if filters is None:
            return None
        # Of this moment only: any change to the corpus makes another key.
        at = (row.id, row.seq, filters.model_dump_json())
        found = self._passing.get(at)
        if found is None:
            found = snapshot.chunk_keys(row.id, filters)
            if len(self._passing) >= _FILTERS_KEPT:
                self._passing.clear()
            self._passing[at] = found
        return found

    def ahead(self, question: npt.NDArray[np.float32]) -> Asked | None:
        """Have the question multiplied along with others' that wait for their turn, where exact search is to answer."""
        return self._exact.ahead(question) if self.follower is None else None

    def nearest(
        self,
        snapshot: Snapshot,
        row: CorpusRow,
        question: npt.NDArray[np.float32],
        limit: int,
        keys: npt.NDArray[np.int64] | None,
        filters: MetadataFilters | None,
        ahead: Asked | None = None,
    ) -> list[tuple[int, float]]:
        """``(chunk key, cosine)``, best first: from the index while it is current, else by exact search.

        ``ahead``: what ``ahead`` gave for this question.
        """
        if self.follower is not None:
            ids = self.follower.search(row, question, limit, filters)
            if ids is not None:
                # The catalog's own vectors give the score: a damaged index can leave out, but not lie.
                found = self.cosines(snapshot, row, question, list(snapshot.keys_of(row.id, ids).values()))
                return sorted(found.items(), key=lambda item: (-item[1], item[0]))
        return self._exact.search(snapshot, row, question, limit, keys, ahead)

    def cosines(
        self, snapshot: Snapshot, row: CorpusRow, question: npt.NDArray[np.float32], keys: Sequence[int]
    ) -> dict[int, float]:
        """How near these chunks are, by key."""
        found = self._exact.cosines(row, question, keys)
        if found is None:
            stored = snapshot.chunk_vectors(keys, len(question))
            found = {key: float((windows @ question).max()) for key, windows in stored.items()}
        return found

    def packed_words(self, snapshot: Snapshot, keys: Sequence[int]) -> dict[int, bytes]:
        """As ``Snapshot.packed_words``, kept for a while: a chunk that changes gets another key."""
        found = {key: known for key in keys if (known := self._packed.get(key)) is not None}
        missing = [key for key in keys if key not in found]
        if missing:
            fresh = snapshot.packed_words(missing)
            if len(self._packed) > _PACKED_KEPT:
                self._packed.clear()
            self._packed |= fresh
            found |= fresh
        return found

    # Keeping it right

    def _calibrate(self) -> None:
        """Find out the threshold anew, if the corpus has outgrown the one that it has."""
        with self.catalog.read() as snapshot:
            row = self.row(snapshot)
            chunks = self.size(snapshot, row)
        known = _calibration_of(row)
        if chunks < FEWEST_CHUNKS or not self.has_vectors(row) or (known is not None and known.fits(chunks)):
            return
        search = HybridRetriever(self, top_k=OFFERED).search
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
            with self.catalog.read() as snapshot:
                unfinished = snapshot.corpus(self.name, state="building")
            if unfinished is not None and unfinished.fingerprint != self.fingerprint:
                self.catalog.drop_corpus(unfinished.id)
            while True:
                building = self.catalog.create_corpus(self.name, self.fingerprint, state="building")
                report, active = self._bring_up_to_date(building, on_progress)
                # Whatever another process changed meanwhile is brought over in the next round.
                if self.catalog.swap_in(building, active):
                    self._calibrate()
                    return report

    def _bring_up_to_date(self, building: CorpusRow, on_progress: OnProgress | None) -> tuple[IngestReport, CorpusRow]:
        with self.catalog.read() as snapshot:
            active = self.row(snapshot)
            stored = snapshot.documents(active.id)
            there = {row.doc_id for row in snapshot.documents(building.id)}
        gone = there - {row.doc_id for row in stored}
        if gone:
            self.catalog.remove_documents(building.id, sorted(gone))

        def documents() -> Iterable[Document]:
            for row in stored:
                with self.catalog.read() as snapshot:
                    text = snapshot.document_text(active.id, row.doc_id)
                if text is not None:
                    yield StoredAs(id_=row.doc_id, text=text, metadata=row.metadata, stored_hash=row.hash)

        report = ingest(
            documents(),
            catalog=self.catalog,
            corpus_id=building.id,
            parser=self.parser,
            encoder=self.encoder,
            on_progress=on_progress,
        )
        return report, active


class StoredAs(Document):
    """A document out of the catalog, which keeps the hash that it was stored with."""

    stored_hash: str

    @property
    def hash(self) -> str:
        """The hash of what its reader gave."""
        return self.stored_hash


def _calibration_of(row: CorpusRow) -> Calibration | None:
    return None if row.calibration is None else Calibration(**row.calibration)


def _parser_fingerprint(parser: NodeParser) -> str:
    own = getattr(parser, "fingerprint", None)
    if isinstance(own, str):
        return own
    return f"{parser.class_name()}/{sha256(parser.to_json().encode()).hexdigest()[:12]}"
