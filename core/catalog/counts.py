"""Counts of a corpus's documents and chunks, cached for each revision."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from . import CorpusRow, Snapshot

    #: Tuples of metadata values, each with its count.
    Facets = list[tuple[tuple[Any, ...], int]]


class Counts:
    """Counts of one corpus. The same objects are returned until the corpus changes."""

    def __init__(self) -> None:
        self._cache: dict[object, tuple[tuple[int, int], Any]] = {}

    def size(self, snapshot: Snapshot, row: CorpusRow) -> int:
        found: int = self._cached(row, "size", lambda: snapshot.sizes(row.id)[1])
        return found

    def of_chunks(self, snapshot: Snapshot, row: CorpusRow, keys: tuple[str, ...]) -> Facets:
        """The numbers of chunks by their values of these metadata keys."""
        found: Facets = self._cached(row, ("chunks", keys), lambda: snapshot.facets(row.id, keys))
        return found

    def of_documents(self, snapshot: Snapshot, row: CorpusRow, keys: tuple[str, ...]) -> Facets:
        """The numbers of documents by their values of these metadata keys."""

        def counted() -> Facets:
            known = [document.metadata for document in snapshot.documents(row.id)]
            return list(Counter(tuple(each.get(key) for key in keys) for each in known).items())

        found: Facets = self._cached(row, ("documents", keys), counted)
        return found

    def _cached(self, row: CorpusRow, what: object, count: Callable[[], Any]) -> Any:
        revision, found = self._cache.get(what, (None, None))
        if revision != (row.id, row.seq):
            found = count()
            self._cache[what] = (row.id, row.seq), found
        return found
