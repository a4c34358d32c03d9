"""Ingestion: parses, embeds and stores documents, one transaction for each."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import closing
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, Protocol

from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import Document, NodeRelationship, TextNode

from ..catalog import NewChunk, NewDocument
from ..embedding import ChunkVectors, Encoder
from ..errors import PluginError, RagstoneError, failures
from ..retrieval.models import SearchableCorpus
from ..text.chunk_terms import headings_of

#: Documents with their nodes.
Group = list[tuple[Document, list[TextNode]]]

#: Chunks that are embedded as a group: enough that sorting by length fills the encoder's runs, few enough that a
#: document is acknowledged within seconds of being read.
_GROUP_CHUNKS = 192
#: Chunks of the first group, while which is read nothing is embedded; each next one may have twice as many.
_FIRST_CHUNKS = 24
#: Seconds between two reports of what is being embedded.
_REPORT_SECONDS = 1.0
#: Chunks after which embedding checks whether it must stop: some seconds on a small machine.
_SLICE_CHUNKS = 16


@dataclass(frozen=True)
class IngestProgress:
    """Progress of an ingestion."""

    documents: int
    chunks: int
    #: The document that was stored or found unchanged; empty while the next ones are embedded.
    doc_id: str
    #: Of the documents that are stored next: their chunks, and how many of these are embedded.
    unstored: int = 0
    embedded: int = 0
    #: Documents in all, where they are counted before.
    total: int | None = None


@dataclass
class IngestReport:
    """The result of an ingestion, by document id."""

    added: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    chunks: int = 0


#: Called after every document, and about each second while one is embedded.
OnProgress = Callable[[IngestProgress], None]


class IngestingCorpus(SearchableCorpus, Protocol):
    """The part of a corpus that ingestion and a rebuild need."""

    @property
    def fingerprint(self) -> dict[str, Any]: ...
    @property
    def parser(self) -> NodeParser: ...


def ingest(
    documents: Iterable[Document],
    corpus: IngestingCorpus,
    corpus_id: int,
    on_progress: OnProgress | None = None,
    prefix: str = "",
) -> IngestReport:
    """Store the documents that are new or changed, by their ``hash``, in the corpus of that id: the active one, or the
    one that is being rebuilt.

    A document is completely in the catalog when its progress is reported. If reading, parsing or embedding raises, the
    reported documents stay, and all others are unchanged. Chunks of a changed document whose text and headings are the
    same keep their vectors. ``prefix``: what all ids of the documents begin with, so that fewer are compared.
    """
    report, catalog, encoder = IngestReport(), corpus.catalog, corpus.encoder
    with catalog.read() as snapshot:
        known = snapshot.document_hashes(corpus_id, prefix)

    def report_progress(doc_id: str = "", unstored: int = 0, embedded: int = 0) -> None:
        if on_progress is not None:
            done = len(report.added) + len(report.updated) + len(report.unchanged)
            on_progress(IngestProgress(done, report.chunks, doc_id, unstored, embedded))

    def changed() -> Iterator[Document]:
        for document in documents:
            if known.get(document.doc_id) == document.hash:
                report.unchanged.append(document.doc_id)
                report_progress(document.doc_id)
            else:
                yield document

    def embed(group: Group, stopped: threading.Event, fresh: list[ChunkVectors]) -> list[ChunkVectors]:
        with catalog.read() as snapshot:
            older = {
                document.doc_id: {
                    key: ChunkVectors(*vectors)
                    for key, vectors in snapshot.vectors.by_text(corpus_id, document.doc_id, encoder.dimension).items()
                }
                for document, _ in group
                if document.doc_id in known
            }
        return _embed_group(group, older, encoder, stopped, fresh)

    pipeline = IngestionPipeline(transformations=[corpus.parser], disable_cache=True)
    with closing(_embed_ahead(_groups(changed(), pipeline), embed)) as ahead:
        for embedding in ahead:
            while wait([embedding.vectors], _REPORT_SECONDS).not_done:
                unstored = sum(len(nodes) for _, nodes in embedding.group)
                report_progress(unstored=unstored, embedded=len(embedding.fresh))
            vectors = iter(embedding.vectors.result())
            for document, nodes in embedding.group:
                chunks = [_chunk(node, next(vectors)) for node in nodes]
                catalog.documents.put(
                    corpus_id,
                    NewDocument(document.doc_id, document.hash, document.text, document.metadata, chunks),
                )
                (report.updated if document.doc_id in known else report.added).append(document.doc_id)
                report.chunks += len(chunks)
                report_progress(document.doc_id)
    return report


@dataclass(frozen=True)
class _Embedding:
    """A group whose chunks a thread embeds."""

    group: Group
    #: The vectors of chunks that are new, as soon as they are made.
    fresh: list[ChunkVectors]
    #: Those of all chunks, in order.
    vectors: Future[list[ChunkVectors]]


def _embed_ahead(
    groups: Iterable[Group], embed: Callable[[Group, threading.Event, list[ChunkVectors]], list[ChunkVectors]]
) -> Generator[_Embedding, None, None]:
    """The groups, each while it is embedded and the next one is read already: reading uses one processor, embedding all
    of them. An early end, for example by Ctrl+C, stops the embedding."""
    stopped = threading.Event()
    with ThreadPoolExecutor(1, "embedding") as pool:
        before: _Embedding | None = None
        unread: Exception | None = None
        try:
            try:
                for group in groups:
                    fresh: list[ChunkVectors] = []
                    begun = _Embedding(group, fresh, pool.submit(copy_context().run, embed, group, stopped, fresh))
                    if before is not None:
                        yield before
                    before = begun
            except Exception as error:  # what was read before it is stored first
                unread = error
            if before is not None:
                yield before
            if unread is not None:
                raise unread
        finally:
            stopped.set()


def _embed_group(
    group: Group,
    older: Mapping[str, Mapping[tuple[str, str], ChunkVectors]],
    encoder: Encoder,
    stopped: threading.Event,
    fresh: list[ChunkVectors],
) -> list[ChunkVectors]:
    """The vectors of all the group's nodes in order; chunks of the document's older version keep theirs. The others'
    are in ``fresh`` as soon as they are made."""
    keys = [(document.doc_id, (headings_of(node), node.text)) for document, nodes in group for node in nodes]
    found = [older.get(doc_id, {}).get(key) for doc_id, key in keys]
    missing = [key for (_, key), vectors in zip(keys, found, strict=True) if vectors is None]
    # In slices, because one document may be as long as a hundred books.
    for first in range(0, len(missing), _SLICE_CHUNKS):
        if stopped.is_set():
            raise CancelledError
        fresh += encoder.embed_chunks(missing[first : first + _SLICE_CHUNKS])
    made = iter(fresh)
    return [next(made) if vectors is None else vectors for vectors in found]


def _groups(documents: Iterable[Document], pipeline: IngestionPipeline) -> Iterator[Group]:
    """Consecutive documents with their nodes, in groups of about ``_GROUP_CHUNKS`` chunks, the first ones of fewer."""
    group: Group = []
    count, most = 0, _FIRST_CHUNKS
    for document in documents:
        nodes = _parse(document, pipeline)
        group.append((document, nodes))
        count += len(nodes)
        if count >= most:
            yield group
            group, count, most = [], 0, min(2 * most, _GROUP_CHUNKS)
    if group:
        yield group


def _parse(document: Document, pipeline: IngestionPipeline) -> list[TextNode]:
    """The document's nodes. Raises ``PluginError`` if the node parser fails."""
    try:
        nodes = pipeline.run(documents=[document])
        # An empty node can neither be found nor cited.
        return [node for node in nodes if isinstance(node, TextNode) and node.text.strip()]
    except RagstoneError:
        raise
    except failures() as error:
        (parser,) = pipeline.transformations
        what = f"the node parser {type(parser).__name__} raised {type(error).__name__}: {error}"
        raise PluginError(what, where=document.doc_id) from error


def _chunk(node: TextNode, vectors: ChunkVectors) -> NewChunk:
    stored = node.to_dict()
    for key in ("text", "metadata", "embedding"):
        stored.pop(key, None)
    for side in (NodeRelationship.PREVIOUS, NodeRelationship.NEXT):
        neighbour = stored["relationships"].get(side)
        if isinstance(neighbour, dict):  # a plugin's parser may give a list
            neighbour["metadata"] = {}  # the neighbour's row has it; this was a third of a chunk's row
    text = (node.node_id, headings_of(node), node.text)
    return NewChunk(*text, node.metadata, stored, vectors.windows, vectors.sentences)
