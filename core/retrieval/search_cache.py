"""Arrays that one corpus is searched with, kept in memory from one question to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import numpy as np

from ..runtime.forks import ForkSafeLock
from ..runtime.lazy import lazily
from .bm25 import LexicalSearch
from .dense import ExactSearch, best_window_cosines

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy.typing as npt
    from llama_index.core.vector_stores.types import MetadataFilters

    from ..catalog import CorpusRow, Snapshot
    from ..runtime.batched_matvec import PendingProduct

#: Different filters that are remembered for a corpus that does not change: each book of a shelf, and some more.
_FILTERS_KEPT = 64
#: Chunks whose packed words are kept, some 800 bytes each.
_PACKED_KEPT = 10_000
#: Chunks whose vectors are kept beside an index that holds all of them and gives none, some 3 KB each.
_VECTORS_KEPT = 5_000

Value = TypeVar("Value")


class _Kept(Generic[Value]):
    """What the catalog says of single chunks, for a while. A chunk that changes gets another key."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: dict[int, Value] = {}

    def of(self, keys: Sequence[int], fetch: Callable[[list[int]], Mapping[int, Value]]) -> dict[int, Value]:
        """By key; ``fetch`` is asked for those that are not held."""
        held = self._held
        found = {key: known for key in keys if (known := held.get(key)) is not None}
        missing = [key for key in keys if key not in found]
        if missing:
            fresh = fetch(missing)
            if len(held) > self._most:
                held.clear()
            held |= fresh
            found |= fresh
        return found


class VectorIndex(Protocol):
    """A vector index that follows the corpus."""

    #: What is wrong with it, for people.
    failure: str | None

    @property
    def current(self) -> tuple[int, int] | None:
        """The corpus id and change number that it stands at; ``None`` while it cannot answer."""

    def search(
        self, row: CorpusRow, question: npt.NDArray[np.float32], limit: int, filters: MetadataFilters | None
    ) -> list[str] | None:
        """Ids of the nearest chunks; ``None`` when it is not at the corpus's last change."""

    def catch_up(self) -> bool:
        """Apply what changed since the last time; ``True`` when there was something."""

    def close(self) -> None:
        """Close its store."""


class SearchCache:
    """A corpus's vectors, words and filters, each of one revision. Safe to use from several threads."""

    def __init__(self, dimension: Callable[[], int]) -> None:
        """``dimension``: of the vectors, asked for when the first question is."""
        self._dimension = dimension
        self._lock = ForkSafeLock()
        #: The vector index that follows the corpus, in a host that lets one follow.
        self.follower: VectorIndex | None = None
        self.lexical = LexicalSearch()
        self._passing: dict[tuple[int, int, str], npt.NDArray[np.int64]] = {}
        self._packed = _Kept[bytes](_PACKED_KEPT)
        self._vectors = _Kept["npt.NDArray[np.float32]"](_VECTORS_KEPT)

    @lazily
    def _exact(self) -> ExactSearch:
        return ExactSearch(self._dimension())

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

    def ahead(self, question: npt.NDArray[np.float32]) -> PendingProduct | None:
        """Have the question multiplied along with others' that wait for their turn, where exact search is to answer."""
        return self._exact.submit(question) if self.follower is None else None

    def nearest(
        self,
        snapshot: Snapshot,
        row: CorpusRow,
        question: npt.NDArray[np.float32],
        limit: int,
        keys: npt.NDArray[np.int64] | None,
        filters: MetadataFilters | None,
        ahead: PendingProduct | None = None,
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
            stored = self._vectors.of(keys, lambda missing: snapshot.chunk_vectors(missing, len(question)))
            if not stored:
                return {}
            sizes = np.array([len(windows) for windows in stored.values()])
            near = best_window_cosines(np.concatenate(list(stored.values())), sizes, question)
            found = dict(zip(stored, near.tolist(), strict=True))
        return found

    def packed_words(self, snapshot: Snapshot, keys: Sequence[int]) -> dict[int, bytes]:
        """As ``Snapshot.packed_words``."""
        return self._packed.of(keys, snapshot.packed_words)
