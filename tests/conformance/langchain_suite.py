"""LangChain's own tests of a retriever; run by ``test_frameworks.py`` in an environment that has LangChain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from langchain_tests.integration_tests import RetrieversIntegrationTests

from ragstone.core import Host
from ragstone.core.langchain import RagstoneRetriever
from tests.conformance.conftest import shelf_host


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with shelf_host(tmp_path_factory.mktemp("langchain")) as host:
        yield host


class TestRagstoneRetriever(RetrieversIntegrationTests):  # type: ignore[misc]  # untyped where LangChain is missing
    @pytest.fixture(autouse=True)
    def _with_host(self, shelf: Host) -> None:
        self.params = {"host": shelf, "assistant": "book_chat"}

    @property
    def retriever_constructor(self) -> type[RagstoneRetriever]:
        return RagstoneRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return self.params

    @property
    def retriever_query_example(self) -> str:
        return "What is a wheel?"


def test_what_a_document_has(shelf: Host) -> None:
    (document,) = RagstoneRetriever(shelf, "book_chat", k=1, filters={"book": "robot-parts"}).invoke(
        "What is a caster?"
    )
    assert document.page_content.startswith("A caster is a wheel that swivels")
    assert document.metadata["book_title"] == "Robot parts"
    assert document.metadata["url"] == f"/book_chat/source/{document.id}"
