"""Counts of a corpus's documents and chunks, kept for each revision."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from . import CorpusRow, Snapshot

    #: How often which values stand under some metadata keys.
    Facets = list[tuple[tuple[Any, ...], int]]


class Counts:
    """Of one corpus. Whoever asks again while it stays as it is gets the same objects."""

    def __init__(self) -> None:
        self._found: dict[object, tuple[tuple[int, int], Any]] = {}

    def size(self, snapshot: Snapshot, row: CorpusRow) -> int:
        """How many chunks there are."""
        found: int = self._once(row, "size", lambda: snapshot.sizes(row.id)[1])
        return found

    def of_chunks(self, snapshot: Snapshot, row: CorpusRow, keys: tuple[str, ...]) -> Facets:
        """How many chunks have which values under these metadata keys."""
        found: Facets = self._once(row, ("chunks", keys), lambda: snapshot.facets(row.id, keys))
        return found

    def of_documents(self, snapshot: Snapshot, row: CorpusRow, keys: tuple[str, ...]) -> Facets:
        """The same of documents."""

        def counted() -> Facets:
            known = [document.metadata for document in snapshot.documents(row.id)]
            return list(Counter(tuple(each.get(key) for key in keys) for each in known).items())

        found: Facets = self._once(row, ("documents", keys), counted)
        return found

    def _once(self, row: CorpusRow, what: object, count: Callable[[], Any]) -> Any:
        at, found = self._found.get(what, (None, None))
        if at != (row.id, row.seq):
            found = count()
            self._found[what] = (row.id, row.seq), found
        return found
