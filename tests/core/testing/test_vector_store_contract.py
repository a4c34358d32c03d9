"""The contract of vector stores: Chroma and LlamaIndex's own pass, and for every clause there is one that breaks it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores.types import BasePydanticVectorStore, VectorStoreQuery, VectorStoreQueryResult
from pydantic import PrivateAttr

from ragstone.core.testing import VectorStoreContract
from tests.core.testing.breaking import OneThread, breaks, clauses
from tests.support.needs import needed
from tests.support.third_party_fakes import InMemory


class TestLlamaIndexsOwn(VectorStoreContract):
    @pytest.fixture
    def store(self) -> BasePydanticVectorStore:
        return InMemory()


class TestChroma(VectorStoreContract):
    """The host's own."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[BasePydanticVectorStore]:
        needed("chromadb")
        from ragstone.core.vector_index.chroma import open_store

        store = open_store(tmp_path / "chroma")
        yield store
        store.close()


class NotEmpty(InMemory):
    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        return VectorStoreQueryResult(ids=["ghost#0"])


class OneWindow(InMemory):
    """Keeps one window of each chunk."""

    def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        return super().add([node for node in nodes if node.node_id.endswith("#0")])


class Backwards(InMemory):
    """Right with the nearest, and no more with those behind it."""

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        first, *others = super().query(query).ids or [""]
        return VectorStoreQueryResult(ids=[first, *reversed(others)])


class Few(InMemory):
    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        return VectorStoreQueryResult(ids=(super().query(query).ids or [])[:5])


class Keeps(InMemory):
    def delete(self, ref_doc_id: str, **kwargs: Any) -> None:
        pass


class TakesTooMuch(InMemory):
    def delete(self, ref_doc_id: str, **kwargs: Any) -> None:
        self.clear()


class Particular(InMemory):
    def delete(self, ref_doc_id: str, **kwargs: Any) -> None:
        if ref_doc_id not in self.data.text_id_to_ref_doc_id.values():
            raise KeyError(ref_doc_id)
        super().delete(ref_doc_id)


class FirstComes(InMemory):
    """Never lets go of a vector that it has once had for an id."""

    _first: dict[str, list[float]] = PrivateAttr(default_factory=dict)

    def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        first = [self._first.setdefault(node.node_id, node.get_embedding()) for node in nodes]
        return super().add(
            [node.model_copy(update={"embedding": each}) for node, each in zip(nodes, first, strict=True)]
        )

    def clear(self) -> None:
        self._first.clear()
        super().clear()


class KeepsAll(InMemory):
    def clear(self) -> None:
        pass


class ClearedOnce(InMemory):
    def clear(self) -> None:
        if not self.data.embedding_dict:
            raise ValueError("there is no such collection")
        super().clear()


class SmallBatches(InMemory):
    def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        if len(nodes) > 166:
            raise ValueError("at most 166 rows at once")
        return super().add(nodes)


class CutsBatches(InMemory):
    def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        return super().add(nodes[:166])


class Unfiltered(InMemory):
    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        query.filters = None
        return super().query(query)


class FiltersAfterwards(InMemory):
    """Filters what is nearest, and so finds too few."""

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        found = super().query(query).ids or []
        return VectorStoreQueryResult(ids=found[:10] if query.filters else found)


class RefusesFilters(InMemory):
    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        if query.filters is not None:
            raise NotImplementedError("filters")
        return super().query(query)


class InOneThread(InMemory):
    _one: OneThread = PrivateAttr(default_factory=OneThread)

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        self._one.check()
        return super().query(query)


class Declines(InMemory):
    """Leaves filtered questions to exact search, as it may."""

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        return VectorStoreQueryResult() if query.filters is not None else super().query(query)


def test_a_store_may_decline_filters() -> None:
    VectorStoreContract().test_filters_are_right_or_declined(Declines())


BROKEN: list[tuple[str, type, str]] = [
    ("test_it_is_a_vector_store", object, "it is a object, not a BasePydanticVectorStore of LlamaIndex"),
    ("test_an_empty_store_finds_nothing", NotEmpty, "an empty store finds ['ghost#0']"),
    ("test_it_finds_every_row", OneWindow, "asked for 'document-0-chunk-0#1' by its own vector it finds"),
    ("test_the_nearest_come_first", Backwards, "the nearest are ["),
    ("test_it_gives_as_many_as_were_asked_for", Few, "asked for 7 of 60 it gives 5"),
    ("test_a_deleted_document_is_gone", Keeps, "after its document was deleted there still is ['document-2-chunk-0#0'"),
    ("test_a_deleted_document_is_gone", TakesTooMuch, "with another's document ['document-0-chunk-0#0'"),
    ("test_a_deleted_document_is_gone", Particular, "delete of a document that is not there raised KeyError"),
    ("test_a_changed_document_is_found_where_it_is_now", FirstComes, "by its new vector it finds"),
    ("test_a_cleared_store_is_empty_and_can_be_filled", KeepsAll, "after clear there still is"),
    ("test_a_cleared_store_is_empty_and_can_be_filled", ClearedOnce, "clear raised ValueError"),
    ("test_it_takes_a_thousand_rows_at_once", SmallBatches, "add of 1000 rows raised ValueError: at most 166"),
    ("test_it_takes_a_thousand_rows_at_once", CutsBatches, "of 1000 rows that were added at once 166 are there"),
    ("test_filters_are_right_or_declined", Unfiltered, "with the filter book = book-1 it finds rows that do not pass"),
    ("test_filters_are_right_or_declined", FiltersAfterwards, "with the filter book = book-1 it finds 10 of 24 rows"),
    ("test_filters_are_right_or_declined", RefusesFilters, "with the filter book = book-1 raised NotImplementedError"),
    ("test_it_works_in_another_thread", InOneThread, "raised RuntimeError: made in another thread"),
]


@pytest.mark.parametrize(("clause", "broken", "words"), BROKEN)
def test_a_clause_fails_for_a_store_that_breaks_it(clause: str, broken: type, words: str) -> None:
    breaks(VectorStoreContract, clause, words, store=broken())


def test_every_clause_is_broken_by_one() -> None:
    assert {clause for clause, *_ in BROKEN} == clauses(VectorStoreContract)
