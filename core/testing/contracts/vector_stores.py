"""What a vector store must keep to, so that the host's follower can fill it from the catalog and ask it for ids."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
)

from .saying import hold, in_another_thread, must_work

_DOCUMENTS, _CHUNKS, _WINDOWS = 5, 6, 2
_BATCH = 1000
_TRIED = 10


class VectorStoreContract:
    """Give the fixture ``store``, an empty one; every clause gets one of its own.

    It is asked as the host asks it: rows are windows of chunks (``CHUNK#0``, ``CHUNK#1``) with unit vectors, plain
    metadata and the document as their SOURCE; the texts stay in the catalog. Of what it finds only the ids are used.
    """

    #: Length of the vectors.
    dimension = 32

    def test_it_is_a_vector_store(self, store: object) -> None:
        """It is LlamaIndex's own kind of vector store: the host takes no other."""
        known = isinstance(store, BasePydanticVectorStore)
        hold(known, f"it is a {type(store).__name__}, not a BasePydanticVectorStore of LlamaIndex")

    def test_an_empty_store_finds_nothing(self, store: BasePydanticVectorStore) -> None:
        """Before anything is in it, it finds nothing, without an error."""
        found = _asked(store, _units(1, self.dimension)[0], _TRIED)
        hold(not found, f"an empty store finds {found}")

    def test_it_finds_every_row(self, store: BasePydanticVectorStore) -> None:
        """The nearest row of a row's own vector is that row: each window of a chunk is one."""
        rows = self._filled(store)
        for row in rows:
            found = _asked(store, row.embedding, 1)
            hold(found == [row.node_id], f"asked for {row.node_id!r} by its own vector it finds {found}")

    def test_the_nearest_come_first(self, store: BasePydanticVectorStore) -> None:
        """It orders by cosine as exact search does."""
        rows = self._filled(store)
        vectors = np.array([row.embedding for row in rows])
        for question in _units(3, self.dimension, seed=7):
            exact = [rows[at].node_id for at in np.argsort(-(vectors @ question), kind="stable")[:_TRIED]]
            found = _asked(store, question, _TRIED)
            hold(found == exact, f"the nearest are {exact}; it finds {found}")

    def test_it_gives_as_many_as_were_asked_for(self, store: BasePydanticVectorStore) -> None:
        """As many ids as ``similarity_top_k`` says, or all that there are."""
        rows = self._filled(store)
        question = _units(1, self.dimension, seed=7)[0]
        for wanted in (1, 7, len(rows), 2 * len(rows)):
            there = len(set(_asked(store, question, wanted)))
            hold(there == min(wanted, len(rows)), f"asked for {wanted} of {len(rows)} it gives {there}")

    def test_a_deleted_document_is_gone(self, store: BasePydanticVectorStore) -> None:
        """``delete`` takes all windows of that document's chunks and of no other's; an unknown document is no error."""
        rows = self._filled(store)
        must_work(lambda: store.delete("document-2"), "delete")
        must_work(lambda: store.delete("no-such-document"), "delete of a document that is not there")
        wanted = {row.node_id for row in rows if row.ref_doc_id != "document-2"}
        there = self._all(store)
        hold(there <= wanted, f"after its document was deleted there still is {sorted(there - wanted)}")
        hold(there >= wanted, f"with another's document {sorted(wanted - there)} was deleted, too")

    def test_a_changed_document_is_found_where_it_is_now(self, store: BasePydanticVectorStore) -> None:
        """A document that was deleted and added again with the same ids is found by its new vectors."""
        self._filled(store)
        changed = self._rows("document-2", _units(_CHUNKS * _WINDOWS, self.dimension, seed=9))
        must_work(lambda: store.delete("document-2"), "delete")
        _add(store, changed)
        for row in changed:
            found = _asked(store, row.embedding, 1)
            hold(found == [row.node_id], f"asked for {row.node_id!r} by its new vector it finds {found}")

    def test_a_cleared_store_is_empty_and_can_be_filled(self, store: BasePydanticVectorStore) -> None:
        """``clear`` empties it, also when it is empty already, and it can be filled again."""
        self._filled(store)
        for _ in range(2):
            must_work(store.clear, "clear")
            there = self._all(store)
            hold(not there, f"after clear there still is {sorted(there)}")
        rows = self._filled(store)
        hold(self._all(store) == {row.node_id for row in rows}, "filled again after clear it does not find all")

    def test_it_takes_a_thousand_rows_at_once(self, store: BasePydanticVectorStore) -> None:
        """The follower adds up to 1,000 rows in one call."""
        rows = self._rows("long-document", _units(_BATCH, self.dimension, seed=3))
        _add(store, rows)
        there = set(_asked(store, rows[0].embedding, _BATCH))
        hold(len(there) == _BATCH, f"of {_BATCH} rows that were added at once {len(there)} are there")

    def test_filters_are_right_or_declined(self, store: BasePydanticVectorStore) -> None:
        """A filtered question gives rows that pass, all of them; or ``ids=None``, and exact search answers."""
        rows = self._filled(store)
        for told, filters, passes in _filters():
            wanted = {row.node_id for row in rows if passes(row.metadata)}
            query = VectorStoreQuery(query_embedding=rows[0].embedding, similarity_top_k=len(rows), filters=filters)
            found = must_work(partial(store.query, query), f"a question with the filter {told}").ids
            if found is not None:
                wrong = sorted(set(found) - wanted)
                hold(not wrong, f"with the filter {told} it finds rows that do not pass, such as {wrong[:3]}")
                hold(set(found) == wanted, f"with the filter {told} it finds {len(set(found))} of {len(wanted)} rows")

    def test_it_works_in_another_thread(self, store: BasePydanticVectorStore) -> None:
        """One thread fills it, and every request of a server is another thread's."""
        row = self._filled(store)[0]
        found = in_another_thread(lambda: _asked(store, row.embedding, 1))
        hold(found == [row.node_id], f"in another thread it finds {found}, not {row.node_id!r}")

    def _filled(self, store: BasePydanticVectorStore) -> list[TextNode]:
        """Five documents of six chunks of two windows."""
        size = _CHUNKS * _WINDOWS
        vectors = _units(_DOCUMENTS * size, self.dimension)
        rows: list[TextNode] = []
        for number in range(_DOCUMENTS):
            some = self._rows(f"document-{number}", vectors[number * size : (number + 1) * size], number)
            _add(store, some)
            rows += some
        return rows

    def _rows(self, doc_id: str, vectors: np.ndarray[Any, Any], number: int = 2) -> list[TextNode]:
        return [
            TextNode(
                id_=f"{doc_id}-chunk-{at // _WINDOWS}#{at % _WINDOWS}",
                text=" ",
                metadata={"book": f"book-{number % 2}", "year": 2000 + number},
                embedding=vector.tolist(),
                relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=doc_id)},
            )
            for at, vector in enumerate(vectors)
        ]

    def _all(self, store: BasePydanticVectorStore) -> set[str]:
        return set(_asked(store, _units(1, self.dimension)[0], 2 * _DOCUMENTS * _CHUNKS * _WINDOWS))


def _add(store: BasePydanticVectorStore, rows: list[TextNode]) -> None:
    copies = [row.model_copy() for row in rows]  # a store may change what it is given
    must_work(lambda: store.add(copies), f"add of {len(rows)} rows")


def _asked(store: BasePydanticVectorStore, vector: Any, limit: int) -> list[str]:
    embedding = vector if isinstance(vector, list) else vector.tolist()
    query = VectorStoreQuery(query_embedding=embedding, similarity_top_k=limit)
    found = must_work(lambda: store.query(query), "query")
    return list(found.ids or ())


def _units(count: int, dimension: int, *, seed: int = 1) -> np.ndarray[Any, Any]:
    """Random rows of unit length, the same each time."""
    rows = np.random.default_rng(seed).standard_normal((count, dimension))
    unit: np.ndarray[Any, Any] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def _filters() -> list[tuple[str, MetadataFilters, Any]]:
    """What is asked for, in words; as LlamaIndex says it; and whether metadata pass."""
    book = MetadataFilter(key="book", value="book-1")
    year = MetadataFilter(key="year", value=2003)
    among = MetadataFilter(key="year", value=[2001, 2002], operator=FilterOperator.IN)
    return [
        ("book = book-1", MetadataFilters(filters=[book]), lambda of: of["book"] == "book-1"),
        ("year = 2003", MetadataFilters(filters=[year]), lambda of: of["year"] == 2003),
        ("year in (2001, 2002)", MetadataFilters(filters=[among]), lambda of: of["year"] in (2001, 2002)),
        (
            "book = book-1 and year = 2003",
            MetadataFilters(filters=[book, year]),
            lambda of: of["book"] == "book-1" and of["year"] == 2003,
        ),
        (
            "year = 2003 or year in (2001, 2002)",
            MetadataFilters(filters=[year, among], condition=FilterCondition.OR),
            lambda of: of["year"] in (2001, 2002, 2003),
        ),
    ]
