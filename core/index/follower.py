"""One corpus's vector index: it remembers the last change that it applied, and catches up."""

from __future__ import annotations

import json
import logging
import os
import secrets
import shutil
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.types import VectorStoreQuery

from .chroma import ChromaIndex
from .probe import why_unsound

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt
    from llama_index.core.vector_stores.types import BasePydanticVectorStore, MetadataFilters

    from ..catalog import CorpusRow, Snapshot
    from ..corpus import Corpus

_log = logging.getLogger(__name__)

#: Chroma takes 5,461 rows at once at most.
_ROWS_A_BATCH = 1000
_PROBED = 64
#: Windows asked for each wanted chunk: neighbours of one chunk crowd each other out.
_WINDOWS_A_CHUNK = 3


@dataclass(frozen=True)
class _State:
    """What the index's folder says of itself; written in one piece, last of all."""

    corpus_id: int = 0
    applied: int = 0
    vectors: int = 0
    #: Folder of the store beside this file. A new store gets a new one: Chroma keeps what it once opened at a path.
    store: str = ""
    #: ``False`` while a process has the store open: one that was killed leaves it so.
    clean: bool = True


class Follower:
    """Used by one thread, except for ``search``, which any thread may call."""

    def __init__(self, corpus: Corpus, folder: Path, given: BasePydanticVectorStore | None) -> None:
        """``given``: a plugin's store; without one it is Chroma in the folder."""
        self.corpus = corpus
        self.trouble: str | None = None
        self._folder = folder
        self._given = given
        self._store: BasePydanticVectorStore | None = None
        self._chroma: ChromaIndex | None = None
        self._state = _State()
        #: What the store can answer for: a corpus and its change number. Swapped in one assignment.
        self._current: tuple[int, int] | None = None

    @property
    def current(self) -> tuple[int, int] | None:
        """The corpus id and change number that the index stands at; ``None`` while it cannot answer."""
        return self._current

    def search(
        self, row: CorpusRow, question: npt.NDArray[np.float32], limit: int, filters: MetadataFilters | None
    ) -> list[str] | None:
        """Ids of the nearest chunks; ``None`` when the index is not at the corpus's last change."""
        store = self._store
        if store is None or self._current != (row.id, row.seq):
            return None
        wanted = min(limit * _WINDOWS_A_CHUNK, max(1, self._state.vectors))
        try:
            if self._chroma is not None:
                ids = self._chroma.nearest(question, wanted, filters)
            else:
                query = VectorStoreQuery(query_embedding=question.tolist(), similarity_top_k=wanted, filters=filters)
                ids = store.query(query).ids or []
        except Exception as error:
            self._give_up(f"a search failed: {error}")
            return None
        return None if ids is None else list(dict.fromkeys(name.rpartition("#")[0] for name in ids))[:limit]

    def catch_up(self) -> bool:
        """Apply what changed since the last time; ``True`` when there was something. Opens the store at first."""
        with self.corpus.catalog.read() as snapshot:
            row = snapshot.corpus(self.corpus.name)
            if row is None or not self.corpus.has_vectors(row):
                return False
            if self._store is None or self._state.corpus_id != row.id:
                self._open(snapshot, row)
            if self._current == (row.id, row.seq):
                return False
            self._apply(snapshot, row)
        return True

    def close(self) -> None:
        """Say that the store was left in order."""
        self._current = None
        if self._store is not None:
            self._store = None
            if self._chroma is not None:
                self._chroma.close()
            self._write(replace(self._state, clean=True))

    def _open(self, snapshot: Snapshot, row: CorpusRow) -> None:
        self._current = None
        self._store = None
        state = self._read()
        why = self._why_anew(snapshot, row, state)
        if why is None:
            self._state = state
        else:
            if state.corpus_id:
                _log.warning("the vector index of %s is made anew: %s", self.corpus.name, why)
            self._wipe()
            self._state = _State(corpus_id=row.id, store=f"store-{secrets.token_hex(4)}")
        self._write(replace(self._state, clean=False))
        if self._given is None:
            self._chroma = ChromaIndex(self._folder / self._state.store)
            self._store = self._chroma.store
            return
        if why is not None:
            self._given.clear()
        self._store = self._given

    def _why_anew(self, snapshot: Snapshot, row: CorpusRow, state: _State) -> str | None:
        if state.corpus_id != row.id:
            return "it belongs to another corpus"
        if not state.clean:
            return "the process that had it open did not close it"
        if self._given is not None:
            return None
        ids, vectors = _sample(snapshot, row, state.applied, self.corpus.encoder.dimension)
        if not ids:
            return "nothing that it holds can be told any more"
        return why_unsound(self._folder / state.store, ids, vectors, state.vectors)

    def _apply(self, snapshot: Snapshot, row: CorpusRow) -> None:
        assert self._store is not None  # noqa: S101 - opened by the caller
        there, gone = snapshot.changes(row.id, self._state.applied)
        fresh = self._state.applied == 0
        self._current = None
        try:
            if not fresh:
                for doc_id in [*gone, *(doc_id for doc_id, _key in there)]:
                    self._store.delete(doc_id)
            batch: list[TextNode] = []
            for doc_id, key in there:
                batch += _windows(snapshot, doc_id, key, self.corpus.encoder.dimension)
                if len(batch) >= _ROWS_A_BATCH:
                    self._add(batch)
                    batch = []
            self._add(batch)
        except Exception as error:
            self._give_up(f"it could not be brought up to date: {error}")
            return
        count = sum(
            len(snapshot.document_vectors(document.key, self.corpus.encoder.dimension).vectors)
            for document in snapshot.documents(row.id)
        )
        self._state = replace(self._state, applied=row.seq, vectors=count, clean=False)
        self._write(self._state)
        self._current = (row.id, row.seq)
        self.trouble = None

    def _add(self, nodes: list[TextNode]) -> None:
        assert self._store is not None  # noqa: S101 - opened by the caller
        for start in range(0, len(nodes), _ROWS_A_BATCH):
            self._store.add(nodes[start : start + _ROWS_A_BATCH])

    def _give_up(self, trouble: str) -> None:
        """Answer no more; the next opening finds the store unclean and makes it anew."""
        _log.error("the vector index of %s: %s; exact search answers", self.corpus.name, trouble)
        self.trouble = trouble
        self._current = None
        self._store = None
        self._state = _State()

    def _wipe(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True, exist_ok=True)

    def _read(self) -> _State:
        try:
            return _State(**json.loads((self._folder / "state.json").read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            return _State()

    def _write(self, state: _State) -> None:
        scratch = self._folder / "state.json.new"
        scratch.write_text(json.dumps(asdict(state)), "utf-8")
        os.replace(scratch, self._folder / "state.json")  # noqa: PTH105


def _windows(snapshot: Snapshot, doc_id: str, key: int, dimension: int) -> Iterator[TextNode]:
    """One node for each window: the vector, the id, and what can be filtered by. The text stays in the catalog."""
    held = snapshot.document_vectors(key, dimension)
    nodes = snapshot.document_nodes(key)
    row = 0
    for node, count in zip(nodes, held.windows, strict=True):
        plain = {name: value for name, value in node.metadata.items() if isinstance(value, str | int | float)}
        for window in range(int(count)):
            yield TextNode(
                id_=f"{node.node_id}#{window}",
                text=" ",
                metadata=plain,
                embedding=held.vectors[row].tolist(),
                relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=doc_id)},
            )
            row += 1


def _sample(
    snapshot: Snapshot, row: CorpusRow, applied: int, dimension: int
) -> tuple[list[str], npt.NDArray[np.float32]]:
    """Some vectors that were there at change ``applied`` and still are, from all over the corpus, and their ids."""
    documents = [document for document in snapshot.documents(row.id) if document.seq <= applied]
    ids: list[str] = []
    vectors = []
    for document in documents[:: max(1, len(documents) // _PROBED)][:_PROBED]:
        held = snapshot.document_vectors(document.key, dimension)
        node = next(snapshot.document_nodes(document.key), None)
        if node is not None:
            ids.append(f"{node.node_id}#0")
            vectors.append(held.vectors[0])
    return ids, np.array(vectors, np.float32)
