"""The documents and chunks of a corpus, as they are stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import NotFound
from .retrieval.search_cache import RevisionSearch

if TYPE_CHECKING:
    from llama_index.core.schema import TextNode
    from llama_index.core.vector_stores.types import MetadataFilters

    from .catalog import Catalog, ChunkCheck, CorpusRow, Facets, Snapshot, StoredDocument
    from .retrieval.search_cache import SearchCache


class CorpusContents:
    """Reads what a corpus holds. Got from ``Corpus.contents``. Safe to use from several threads."""

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

    def documents(self) -> list[StoredDocument]:
        """The documents, without their texts; none while nothing has been put into it."""
        with self._catalog.read() as snapshot:
            row = snapshot.corpus(self._name)
            return [] if row is None else snapshot.documents(row.id)

    def document_text(self, doc_id: str) -> str:
        """The document's text as its reader gave it. Raises ``NotFound``."""
        with self._catalog.read() as snapshot:
            found = snapshot.document_text(self.row(snapshot).id, doc_id)
        if found is None:
            raise NotFound("there is no such document", where=doc_id)
        return found

    def document_nodes(self, doc_id: str) -> list[TextNode]:
        """The document's chunks in order; none if there is no such document."""
        with self._catalog.read() as snapshot:
            row = self.row(snapshot)
            for document in snapshot.documents(row.id):
                if document.doc_id == doc_id:
                    return list(snapshot.document_nodes(document.key))
        return []

    def node(self, chunk_id: str) -> TextNode:
        """The chunk. Raises ``NotFound``."""
        with self._catalog.read() as snapshot:
            key = snapshot.key_of(self.row(snapshot).id, chunk_id)
            if key is None:
                raise NotFound("there is no such passage; its document may have changed", where=chunk_id)
            return snapshot.nodes([key])[key]

    def find(self, filters: MetadataFilters) -> list[TextNode]:
        """The chunks whose metadata pass the filters, in the order in which they were stored."""
        with self._catalog.read() as snapshot:
            row = self.row(snapshot)
            found = snapshot.nodes(snapshot.chunk_keys(row.id, filters).tolist())
        return [found[key] for key in sorted(found)]

    def facets(self, *keys: str) -> Facets:
        """How many chunks have which values under these metadata keys; counted once for each state of the corpus."""
        with self._catalog.read() as snapshot:
            row = snapshot.corpus(self._name)
            return [] if row is None else RevisionSearch(self._cache, snapshot, row).facets(keys)

    def document_facets(self, *keys: str) -> Facets:
        """The same of documents, without reading the chunks, which are a hundred times as many bytes."""
        with self._catalog.read() as snapshot:
            row = snapshot.corpus(self._name)
            return [] if row is None else RevisionSearch(self._cache, snapshot, row).document_facets(keys)

    def check_chunks(self) -> ChunkCheck:
        """Compare every chunk with its checksum. What an older Ragstone stored without one has one from then on."""
        with self._catalog.read() as snapshot:
            row = self.row(snapshot)
            found = snapshot.check_chunks(row.id)
        if found.unsealed:
            self._catalog.add_checksums(row.id)
        return found
