"""Concept tutor keeps to what the host asks of a reader, of node parsers, of a retriever and of an assistant."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from llama_index.core.node_parser import NodeParser
from llama_index.core.readers.base import BaseReader
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import Document

from ragstone.core import Assistant, Host
from ragstone.core.testing import AssistantContract, NodeParserContract, ReaderContract, RetrieverContract, open_host
from tests.support.needs import needed

from .material import corpus_of, put_plan
from .plans.gathering.small_wiki import SmallWiki, page

needed("lxml")


@pytest.fixture
def question() -> str:
    return "What is backpropagation?"


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """One with a plan, and a wiki of one page that it may read."""
    pages = {"Gradient": page("Gradient", "Definition", "Motivation", "Examples")}
    with (
        SmallWiki(pages) as wiki,
        open_host(tmp_path_factory.mktemp("host"), options=wiki.options()) as opened,
    ):
        put_plan(opened)
        yield opened


class TestWikiPages(ReaderContract):
    @pytest.fixture
    def reader(self, host: Host) -> BaseReader:
        return host.hooks.readers["mediawiki:"]

    @pytest.fixture
    def source(self) -> str:
        return "mediawiki:wiki/Gradient"


class TestPages(NodeParserContract):
    @pytest.fixture
    def parser(self, host: Host) -> NodeParser:
        return host.hooks.node_parser("mediawiki")

    @pytest.fixture
    def document(self, host: Host) -> Document:
        (read,) = host.hooks.readers["mediawiki:"].load_data("mediawiki:wiki/Gradient")
        return read


class TestChunks(NodeParserContract):
    @pytest.fixture
    def parser(self, host: Host) -> NodeParser:
        return host.hooks.node_parser("tutor_passage")

    @pytest.fixture
    def document(self, host: Host) -> Document:
        stored, *_ = corpus_of(host).contents.documents()
        text = corpus_of(host).contents.document_text(stored.doc_id)
        return Document(id_=stored.doc_id, text=text, metadata=stored.metadata)


class TestConcepts(RetrieverContract):
    @pytest.fixture
    def retriever(self, host: Host) -> BaseRetriever:
        return host.hooks.retriever(corpus_of(host), 3)


class TestAssistant(AssistantContract):
    @pytest.fixture
    def assistant(self, host: Host) -> Assistant:
        return host.assistant("concept_tutor")
