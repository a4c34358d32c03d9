"""The contract of vector stores: the host can fill them from the catalog and query them for ids."""

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

from .assertions import attempt, check, run_in_thread

_DOCUMENTS, _CHUNKS, _WINDOWS = 5, 6, 2
_BATCH = 1000
_TRIED = 10


class VectorStoreContract:
    """Fixture of the subclass: ``store``, an empty one, new for every clause.

    It is used as by the host: rows are windows of chunks (``CHUNK#0``, ``CHUNK#1``) with unit vectors, plain metadata
    and the document as their SOURCE; the texts stay in the catalog. Only the ids of a result are used.
    """

    #: Length of the vectors.
    dimension = 32

    def test_it_is_a_vector_store(self, store: object) -> None:
        """It is an instance of LlamaIndex's ``BasePydanticVectorStore``: the host accepts no other class."""
        known = isinstance(store, BasePydanticVectorStore)
        check(known, f"it is a {type(store).__name__}, not a BasePydanticVectorStore of LlamaIndex")

    def test_an_empty_store_finds_nothing(self, store: BasePydanticVectorStore) -> None:
        """A query of an empty store has no result and no error."""
        found = _query(store, _units(1, self.dimension)[0], _TRIED)
        check(not found, f"an empty store finds {found}")

    def test_it_finds_every_row(self, store: BasePydanticVectorStore) -> None:
        """The nearest row to a row's own vector is that row; each window of a chunk is a row."""
        rows = self._fill(store)
        for row in rows:
            found = _query(store, row.embedding, 1)
            check(found == [row.node_id], f"asked for {row.node_id!r} by its own vector it finds {found}")

    def test_the_nearest_come_first(self, store: BasePydanticVectorStore) -> None:
        """Results are in the order of cosine similarity, as in exact search."""
        rows = self._fill(store)
        vectors = np.array([row.embedding for row in rows])
        for question in _units(3, self.dimension, seed=7):
            exact = [rows[at].node_id for at in np.argsort(-(vectors @ question), kind="stable")[:_TRIED]]
            found = _query(store, question, _TRIED)
            check(found == exact, f"the nearest are {exact}; it finds {found}")

    def test_it_gives_as_many_as_were_asked_for(self, store: BasePydanticVectorStore) -> None:
        """A query returns ``similarity_top_k`` ids, or all if there are fewer."""
        rows = self._fill(store)
        question = _units(1, self.dimension, seed=7)[0]
        for wanted in (1, 7, len(rows), 2 * len(rows)):
            there = len(set(_query(store, question, wanted)))
            check(there == min(wanted, len(rows)), f"asked for {wanted} of {len(rows)} it gives {there}")

    def test_a_deleted_document_is_gone(self, store: BasePydanticVectorStore) -> None:
        """``delete`` removes all windows of that document's chunks and no others; an unknown document is no error."""
        rows = self._fill(store)
        attempt(lambda: store.delete("document-2"), "delete")
        attempt(lambda: store.delete("no-such-document"), "delete of a document that is not there")
        wanted = {row.node_id for row in rows if row.ref_doc_id != "document-2"}
        there = self._all(store)
        check(there <= wanted, f"after its document was deleted there still is {sorted(there - wanted)}")
        check(there >= wanted, f"with another's document {sorted(wanted - there)} was deleted, too")

    def test_a_changed_document_is_found_where_it_is_now(self, store: BasePydanticVectorStore) -> None:
        """A document that was deleted and added again with the same ids is found by its new vectors."""
        self._fill(store)
        changed = self._rows("document-2", _units(_CHUNKS * _WINDOWS, self.dimension, seed=9))
        attempt(lambda: store.delete("document-2"), "delete")
        _add(store, changed)
        for row in changed:
            found = _query(store, row.embedding, 1)
            check(found == [row.node_id], f"asked for {row.node_id!r} by its new vector it finds {found}")

    def test_a_cleared_store_is_empty_and_can_be_filled(self, store: BasePydanticVectorStore) -> None:
        """``clear`` removes all rows, also from an empty store, which can then be filled again."""
        self._fill(store)
        for _ in range(2):
            attempt(store.clear, "clear")
            there = self._all(store)
            check(not there, f"after clear there still is {sorted(there)}")
        rows = self._fill(store)
        check(self._all(store) == {row.node_id for row in rows}, "filled again after clear it does not find all")

    def test_it_takes_a_thousand_rows_at_once(self, store: BasePydanticVectorStore) -> None:
        """One ``add`` takes 1,000 rows, the most that the host adds at once."""
        rows = self._rows("long-document", _units(_BATCH, self.dimension, seed=3))
        _add(store, rows)
        there = set(_query(store, rows[0].embedding, _BATCH))
        check(len(there) == _BATCH, f"of {_BATCH} rows that were added at once {len(there)} are there")

    def test_filters_are_right_or_declined(self, store: BasePydanticVectorStore) -> None:
        """A filtered query returns exactly the rows that pass, or ``ids=None`` and the host searches by itself."""
        rows = self._fill(store)
        for name, filters, passes in _filters():
            wanted = {row.node_id for row in rows if passes(row.metadata)}
            query = VectorStoreQuery(query_embedding=rows[0].embedding, similarity_top_k=len(rows), filters=filters)
            found = attempt(partial(store.query, query), f"a question with the filter {name}").ids
            if found is not None:
                wrong = sorted(set(found) - wanted)
                check(not wrong, f"with the filter {name} it finds rows that do not pass, such as {wrong[:3]}")
                count = len(wanted & set(found))
                check(count == len(wanted), f"with the filter {name} it finds {count} of {len(wanted)} rows")

    def test_it_works_in_another_thread(self, store: BasePydanticVectorStore) -> None:
        """It can be queried in a thread that did not fill it, as in a server."""
        row = self._fill(store)[0]
        found = run_in_thread(lambda: _query(store, row.embedding, 1))
        check(found == [row.node_id], f"in another thread it finds {found}, not {row.node_id!r}")

    def _fill(self, store: BasePydanticVectorStore) -> list[TextNode]:
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
        return set(_query(store, _units(1, self.dimension)[0], 2 * _DOCUMENTS * _CHUNKS * _WINDOWS))


def _add(store: BasePydanticVectorStore, rows: list[TextNode]) -> None:
    copies = [row.model_copy() for row in rows]  # a store may change what it is given
    attempt(lambda: store.add(copies), f"add of {len(rows)} rows")


def _query(store: BasePydanticVectorStore, vector: Any, limit: int) -> list[str]:
    embedding = vector if isinstance(vector, list) else vector.tolist()
    query = VectorStoreQuery(query_embedding=embedding, similarity_top_k=limit)
    found = attempt(lambda: store.query(query), "query")
    return list(found.ids or ())


def _units(count: int, dimension: int, *, seed: int = 1) -> np.ndarray[Any, Any]:
    """Random rows of unit length, the same each time."""
    rows = np.random.default_rng(seed).standard_normal((count, dimension))
    unit: np.ndarray[Any, Any] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def _filters() -> list[tuple[str, MetadataFilters, Any]]:
    """Each filter's description, the filter, and a function that says whether metadata pass it."""
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
