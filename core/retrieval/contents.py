"""The documents and chunks of a corpus, as they are stored, as far as they are in the scope of the request."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ..errors import NotFound
from ..runtime.request import check_budget, current_scope, in_scope
from .search_cache import RevisionSearch, SearchCache

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from llama_index.core.schema import TextNode
    from llama_index.core.vector_stores.types import MetadataFilters

    from ..catalog import Catalog, ChunkCheck, CorpusRow, Facets, Snapshot, StoredDocument


#: Chunks of a document that ``samples`` takes.
_PIECES = 6
#: Chunks that are read between two looks at the request's processor time: some 0.1 s.
_CHUNKS_A_CHECK = 500


class CorpusContents:
    """What a corpus holds. Got from ``Corpus.contents``. Safe to use from several threads."""

    def __init__(self, name: str, catalog: Catalog, cache: SearchCache, hint: str) -> None:
        """``hint``: what to do while the corpus is empty."""
        self._name = name
        self._catalog = catalog
        self._cache = cache
        self._hint = hint

    def row(self, snapshot: Snapshot) -> CorpusRow:
        """The corpus's row as of this snapshot. Raises ``NotFound`` while nothing has been put into it."""
        row = snapshot.corpus(self._name)
        if row is None:
            raise NotFound(f"the corpus {self._name!r} is empty", hint=self._hint)
        return row

    @property
    def exists(self) -> bool:
        """Whether anything was ever put into it."""
        with self._catalog.read() as snapshot:
            return snapshot.corpus(self._name) is not None

    def documents(self, prefix: str = "") -> list[StoredDocument]:
        """The documents whose ids begin with the prefix, without their texts; none while nothing was put into it."""
        with self._catalog.read() as snapshot:
            row = snapshot.corpus(self._name)
            found = [] if row is None else snapshot.documents(row.id, prefix)
        return [document for document in found if in_scope(document.metadata)]

    def has_chunks(self, prefix: str) -> bool:
        """Whether a document whose id begins with the prefix has a chunk."""
        with self._catalog.read() as snapshot:
            row = snapshot.corpus(self._name)
            return row is not None and snapshot.chunks.has_any(row.id, prefix)

    def document_text(self, doc_id: str) -> str:
        """The document's text as its reader gave it. Raises ``NotFound``."""
        with self._catalog.read() as snapshot:
            found = snapshot.document_text(self.row(snapshot).id, doc_id)
        if found is None or (current_scope() and doc_id not in {each.doc_id for each in self.documents()}):
            raise NotFound("there is no such document", where=doc_id)
        return found

    def document_nodes(self, doc_id: str) -> list[TextNode]:
        """The document's chunks in order; none if there is no such document."""
        with self._catalog.read() as snapshot:
            row = self.row(snapshot)
            for document in snapshot.documents(row.id):
                if document.doc_id == doc_id and in_scope(document.metadata):
                    return list(snapshot.chunks.of_document(document.key))
        return []

    def samples(self, most: int, filters: MetadataFilters | None = None) -> list[str]:
        """Text of a few chunks of each document, or of ``most`` documents from all over the corpus.

        ``filters``: of the documents' chunks.
        """
        if filters is not None:
            nodes = self.find(filters)
            by_document = [list(each) for _, each in groupby(nodes, key=lambda node: node.ref_doc_id)]
        else:
            documents = self.documents()
            by_document = [
                self.document_nodes(each.doc_id) for each in documents[:: max(1, -(-len(documents) // most))]
            ]
        chosen = by_document[:: max(1, -(-len(by_document) // most))]
        return ["\n".join(node.text for node in each[:: max(1, len(each) // _PIECES)][:_PIECES]) for each in chosen]

    def node(self, chunk_id: str) -> TextNode:
        """The chunk. Raises ``NotFound``."""
        with self._catalog.read() as snapshot:
            keys = snapshot.chunks.keys_of(self.row(snapshot).id, [chunk_id])
            node = next(iter(snapshot.chunks.nodes(keys.values()).values()), None)
        if node is None or not in_scope(node.metadata):
            raise NotFound("there is no such passage; its document may have changed", where=chunk_id)
        return node

    def find(self, filters: MetadataFilters) -> list[TextNode]:
        """The chunks whose metadata pass the filters, in the order in which they were stored.

        Raises ``TooLarge`` where they take more than the request's processor time.
        """
        found: dict[int, TextNode] = {}
        with self._catalog.read() as snapshot:
            keys = sorted(snapshot.chunks.keys(self.row(snapshot).id, filters).tolist())
            for start in range(0, len(keys), _CHUNKS_A_CHECK):
                check_budget()
                found |= snapshot.chunks.nodes(keys[start : start + _CHUNKS_A_CHECK])
        return [found[key] for key in keys if key in found and in_scope(found[key].metadata)]

    def values(self, filters: MetadataFilters, *keys: str) -> list[tuple[Any, ...]]:
        """Chunk id, document id, and as text the values of these metadata keys, of the chunks that pass the filters; by
        document, in their order. Their texts are not read."""
        scoped, size = tuple(current_scope()), 2 + len(keys)
        with self._catalog.read() as snapshot:
            found = snapshot.chunks.values(self.row(snapshot).id, filters, (*keys, *scoped))
        return [row[:size] for row in found if in_scope(dict(zip(scoped, row[size:], strict=True)))]

    def facets(self, *keys: str) -> Facets:
        """How many chunks have which values under these metadata keys; counted once for each state of the corpus."""
        return self._counted(keys, RevisionSearch.facets)

    def document_facets(self, *keys: str) -> Facets:
        """The same of documents, without reading the chunks, which are a hundred times as many bytes."""
        return self._counted(keys, RevisionSearch.document_facets)

    def _counted(self, keys: tuple[str, ...], count: Callable[[RevisionSearch, tuple[str, ...]], Facets]) -> Facets:
        """The counts of what is in the scope; the cached list itself where that is everything."""
        with self._catalog.read() as snapshot:
            row = snapshot.corpus(self._name)
            if row is None:
                return []
            search, scoped = RevisionSearch(self._cache, snapshot, row), tuple(current_scope())
            if not scoped:
                return count(search, keys)
            found: Counter[tuple[Any, ...]] = Counter()
            for values, number in count(search, (*keys, *scoped)):
                if in_scope(dict(zip(scoped, values[len(keys) :], strict=True))):
                    found[values[: len(keys)]] += number
            return list(found.items())

    def annotate(self, metadata_by_id: Mapping[str, dict[str, Any]]) -> None:
        """Replace what is known of documents as a whole; their chunks, and what is found, stay as they are."""
        if metadata_by_id:
            with self._catalog.read() as snapshot:
                corpus_id = self.row(snapshot).id
            self._catalog.documents.annotate(corpus_id, metadata_by_id)

    def check_chunks(self) -> ChunkCheck:
        """Compare every chunk with its checksum. What an older Ragstone stored without one has one from then on."""
        with self._catalog.read() as snapshot:
            row = self.row(snapshot)
            found = snapshot.chunks.check(row.id)
        if found.unsealed:
            self._catalog.documents.add_checksums(row.id)
        return found
