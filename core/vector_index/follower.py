"""One corpus's vector index: it records the last change that it applied, and catches up with the catalog."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import BasePydanticVectorStore, MetadataFilters, VectorStoreQuery

from .index_state import IndexState, index_folders
from .nodes import sample, sample_mismatch, windows
from .probe import digest_of, store_damage

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..catalog import CorpusRow, Snapshot
    from ..corpus import Corpus
    from .chroma_store import ChromaStore

_log = logging.getLogger(__name__)

#: Rows that are added at once. Chroma accepts at most 5,461; a thousand of LlamaIndex's nodes take 30 MB.
_LEAST_BATCH, _MOST_BATCH = 128, 5_000
#: An addition takes Chroma 27 µs for each row that it has already, so a batch grows with the store: with a 16th of it,
#: 30,000 rows take 29 s; in batches of 128, 96 s.
_STORED_PER_BATCH_ROW = 16
#: Windows to query for each wanted chunk, because several windows of one chunk may be found.
_WINDOWS_PER_CHUNK = 3
#: Seconds until a retry after a failure, doubled by each further failure, because rebuilding a large index is costly.
_FIRST_DELAY, _MAX_DELAY = 1.0, 60.0


def batch_rows(stored: int) -> int:
    """How many rows to add at once to a store that has so many."""
    return min(max(stored // _STORED_PER_BATCH_ROW, _LEAST_BATCH), _MOST_BATCH)


class Stopped(Exception):
    """The host closes: the current work is interrupted and continues at the next start."""


class Follower:
    """Keeps one corpus's index up to date. Used by one thread, except for ``search``, which any thread may call."""

    def __init__(
        self,
        corpus: Corpus,
        folder: Path,
        plugin_store: BasePydanticVectorStore | None,
        stop: threading.Event | None = None,
    ) -> None:
        """``plugin_store``: used instead of Chroma in the folder. ``stop``: ends ``catch_up`` when set."""
        self.corpus = corpus
        self._stop = stop or threading.Event()
        self.failure: str | None = None
        self._folder = folder
        self._folders = index_folders(folder.parent)
        self._plugin_store = plugin_store
        self._store: BasePydanticVectorStore | None = None
        self._chroma: ChromaStore | None = None
        self._state = IndexState()
        #: Corpus id and change number that the store can answer for; ``None`` for none. Replaced by one assignment.
        self.current: tuple[int, int] | None = None
        self._retry_delay = _FIRST_DELAY
        self._retry_at = 0.0

    def search(
        self, row: CorpusRow, question: npt.NDArray[np.float32], limit: int, filters: MetadataFilters | None
    ) -> list[str] | None:
        """Ids of the most similar chunks; ``None`` if the index is not at the corpus's last change."""
        store = self._store
        if store is None or self.current != (row.id, row.seq):
            return None
        wanted = limit * _WINDOWS_PER_CHUNK
        try:
            query = VectorStoreQuery(query_embedding=question.tolist(), similarity_top_k=wanted, filters=filters)
            ids = store.query(query).ids
            return None if ids is None else list(dict.fromkeys(name.rpartition("#")[0] for name in ids))[:limit]
        except (Exception, SystemExit) as error:
            if self._store is store:  # otherwise it was closed meanwhile
                self._fail(f"a search failed: {error}")
            return None

    def catch_up(self) -> bool:
        """Apply the changes since the last call; returns whether there were any. Opens the store if necessary.

        Errors of the store or its disk are recorded as ``failure``; after a delay it is rebuilt. Raises ``Stopped``
        between two requests to the store once ``stop`` is set; the documents that were added stay in the index.
        """
        if time.monotonic() < self._retry_at:
            return False
        with self.corpus.catalog.read() as snapshot:
            row = snapshot.corpus(self.corpus.name)
            if row is None or not self.corpus.has_vectors(row):
                return False
            try:
                if self._store is None or self._state.corpus_id != row.id or self._state.applied > row.seq:
                    self._open(snapshot, row)
                if self.current == (row.id, row.seq):
                    return False
                self._apply(snapshot, row)
            except Stopped:
                raise
            except (Exception, SystemExit) as error:
                if self._stop.is_set():  # the store was closed meanwhile: no failure
                    self._close_store()
                    raise Stopped from error
                self._fail(f"it could not be brought up to date: {error}")
                self._close_store()
                self._retry_at = time.monotonic() + self._retry_delay
                self._retry_delay = min(2 * self._retry_delay, _MAX_DELAY)
                return False
        self._retry_delay = _FIRST_DELAY
        return True

    def close(self) -> None:
        """Close the store and record that it is in order; without that record it is rebuilt the next time."""
        chroma = self._chroma
        try:
            if self._store is not None:
                rows = self._state.vectors if chroma is None else chroma.client.count()
                self._close_store()
                digest = "" if chroma is None else digest_of(self._folder / self._state.store)
                replace(self._state, vectors=rows, clean=True, digest=digest).write(self._folder)
        except Exception as error:  # of the store or its disk
            _log.warning("the vector index of %s was not closed in order: %s", self.corpus.name, error)
        finally:
            self._close_store()

    def _close_store(self) -> None:
        self.current = None
        self._store = None
        chroma, self._chroma = self._chroma, None
        if chroma is not None:
            try:
                chroma.close()
            except Exception:
                _log.warning("the vector index of %s could not be closed", self.corpus.name, exc_info=True)

    def _open(self, snapshot: Snapshot, row: CorpusRow) -> None:
        self._close_store()
        self._folders.make(self._folder.name)
        state = IndexState.read(self._folder)
        why = self._rebuild_reason(snapshot, row, state)
        if why is None:
            self._state = state
        else:
            if state.corpus_id:
                _log.warning("the vector index of %s is rebuilt: %s", self.corpus.name, why)
            self._folders.clear(self._folder.name)
            self._state = IndexState(corpus_id=row.id, store=f"store-{secrets.token_hex(4)}")
        replace(self._state, clean=False).write(self._folder)
        if self._plugin_store is None:
            from .chroma import open_store

            self._store = self._chroma = open_store(self._folder / self._state.store)
            return
        if why is not None:
            self._plugin_store.clear()
        self._store = self._plugin_store

    def _rebuild_reason(self, snapshot: Snapshot, row: CorpusRow, state: IndexState) -> str | None:
        if state.corpus_id != row.id:
            return "it belongs to another corpus"
        if state.applied > row.seq:
            return "the catalog is older than it: a backup was restored"
        if not state.clean:
            return "the process that had it open did not close it"
        ids, vectors = sample(snapshot, row, state.applied, self.corpus.encoder.dimension)
        if not ids:
            return "all of its documents have changed"
        if self._plugin_store is not None:
            return sample_mismatch(self._plugin_store, ids, vectors, self._check_stop)
        return store_damage(self._folder / state.store, state.digest, ids, vectors, state.vectors)

    def _apply(self, snapshot: Snapshot, row: CorpusRow) -> None:
        store = self._store
        assert store is not None  # noqa: S101 - opened by the caller
        changed, removed = snapshot.changes(row.id, self._state.applied)
        self.current = None
        if self._state.applied:
            for doc_id in [*removed, *(doc_id for doc_id, _key, _seq in changed)]:
                self._check_stop()
                store.delete(doc_id)
        batch: list[TextNode] = []
        whole = self._state.applied
        for doc_id, key, seq in changed:
            for node in windows(snapshot, doc_id, key, self.corpus.encoder.dimension):
                batch.append(node)
                if len(batch) == batch_rows(self._state.vectors):
                    self._add(store, batch, whole)
                    batch = []
            whole = seq
        self._add(store, batch, row.seq)
        replace(self._state, clean=False).write(self._folder)
        self.current = (row.id, row.seq)
        self.failure = None

    def _add(self, store: BasePydanticVectorStore, batch: list[TextNode], applied: int) -> None:
        """``applied``: the last change of which all rows are in the store then. A document with only some of its rows
        there is deleted and added again where this is interrupted."""
        self._check_stop()
        if batch:
            store.add(batch)
        self._state = replace(self._state, applied=applied, vectors=self._state.vectors + len(batch))

    def _check_stop(self) -> None:
        if self._stop.is_set():
            raise Stopped

    def _fail(self, failure: str) -> None:
        """Stop answering; the next opening finds the store unclean and rebuilds it."""
        _log.error("the vector index of %s: %s; exact search answers", self.corpus.name, failure)
        self.failure = failure
        self.current = None
        self._store = None  # Chroma is closed later, by the thread that opened it: others may be searching
        self._state = IndexState()
