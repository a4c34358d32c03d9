"""The contracts of the host: reader, node parser, retriever, assistant."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from llama_index.core.node_parser import NodeParser
from llama_index.core.readers.base import BaseReader
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import Document

from ragstone.core import Assistant, Host
from ragstone.core.testing import (
    AssistantContract,
    FileReaderContract,
    NodeParserContract,
    ScoredRetrieverContract,
    open_host,
)
from ragstone.plugins.wiki_edge import ArticleNodeParser, ArticleReader
from tests.support.needs import needed

from .readers.dumps import multistream, page
from .search.tools import write


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with open_host(tmp_path_factory.mktemp("host")) as opened:
        write(opened, opened.settings.data_dir / "wiki")
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


def dump(folder: Path) -> Path:
    """Three articles, the first one long and with sections."""
    sections = "".join(f"\n== Part {at} ==\n" + f"Sentence {at} is about robots. " * 150 for at in range(6))
    return multistream(
        folder / "dump.xml.bz2",
        [page(1, "Robot", f"A robot is a machine.{sections}"), page(2, "Whisk", "A tool."), page(3, "Cup", "For tea.")],
    )


class TestReader(FileReaderContract):
    @pytest.fixture
    def reader(self) -> BaseReader:
        needed("mwparserfromhell")
        return ArticleReader()

    @pytest.fixture
    def source(self, tmp_path: Path) -> Path:
        return dump(tmp_path)


class TestNodeParser(NodeParserContract):
    @pytest.fixture
    def parser(self, host: Host) -> NodeParser:
        return ArticleNodeParser.of(host.hooks.encoder)

    @pytest.fixture
    def document(self, tmp_path: Path) -> Document:
        needed("mwparserfromhell")
        return next(iter(ArticleReader().lazy_load_data(dump(tmp_path))))


def test_a_corpus_of_the_catalog_is_made_of_a_dump(host: Host, tmp_path: Path) -> None:
    needed("mwparserfromhell")
    reader = host.hooks.readers[".xml.bz2"]
    corpus = host.corpus("articles", kind="article")
    report = corpus.ingest(reader.lazy_load_data(dump(tmp_path)))
    assert report.added == ["1", "2", "3"]
    first, *_, last = corpus.contents.document_nodes("1")
    assert (first.node_id, first.metadata["title"], first.metadata["revision"]) == ("1#0", "Robot", "7")
    assert last.metadata["heading"].startswith("Part ")
    assert last.metadata["url"].startswith("https://en.wikipedia.org/wiki/Robot#Part_")


def test_suffixes_that_others_may_read_are_left_to_the_settings(host: Host, tmp_path: Path) -> None:
    assert {".zim", ".xml.bz2", ".xml.gz", "articles:"} <= host.hooks.readers.keys()
    assert not {".jsonl", ".parquet", ".xml"} & host.hooks.readers.keys()
    source = tmp_path / "corpus.jsonl"
    source.write_text('{"_id": "a", "title": "Whisk", "text": "A tool."}\n')
    assert [document.doc_id for document in host.hooks.read("articles:", source)] == ["a"]
    with open_host(tmp_path / "host", options={"wiki_edge": {"reader_suffixes": [".jsonl"]}}) as other:
        assert [document.text for document in other.hooks.read(".jsonl", source)] == ["A tool."]
