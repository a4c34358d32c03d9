"""Wiki edge keeps to what the host asks of a retriever and of an assistant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ragstone.core.testing import AssistantContract, ScoredRetrieverContract, open_host
from ragstone.plugins.wiki_edge.settings import places

from .search.tools import write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from llama_index.core.retrievers import BaseRetriever

    from ragstone.core import Assistant, Host


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with open_host(tmp_path_factory.mktemp("host")) as opened:
        write(opened, places(opened).wiki)
        yield opened


@pytest.fixture
def question() -> str:
    return "What drives nails into wood?"


class TestShards(ScoredRetrieverContract):
    @pytest.fixture
    def retriever(self, host: Host) -> BaseRetriever:
        return host.hooks.retriever(host.assistant("wiki_edge").corpus, 3)


class TestAssistant(AssistantContract):
    @pytest.fixture
    def assistant(self, host: Host) -> Assistant:
        return host.assistant("wiki_edge")
