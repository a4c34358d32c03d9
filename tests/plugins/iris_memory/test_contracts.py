"""Iris memory keeps to what the host asks of readers, of a node parser, of a retriever and of an assistant."""

from __future__ import annotations

import json
from collections.abc import Iterator
from email.utils import formatdate
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
    RetrieverContract,
)
from ragstone.plugins.iris_memory import memory_of
from tests.plugins.iris_memory.memories import remembering

WATER = (
    "# Water\n\nWhat the house does with water.\n\n## The pump\n\n"
    "The pump of the left tank must be primed before every start. "
    "Prime it slowly, with water that has stood for a while. A dry seal leaks for the rest of its life.\n\n"
    "## The tank\n\nThe left tank holds forty litres. It is cleaned in spring with vinegar, which is left to stand in "
    "it overnight, and rinsed three times in the morning before anybody drinks of it.\n"
)
MAIL = (
    "From: Ana Ö <ana@home.org>\nTo: Iris <iris@home.org>\nSubject: Vinegar\n"
    f"Date: {formatdate(1_790_000_000)}\n\nPlease order two bottles of vinegar before Friday.\n"
)
STATE = json.dumps({"tasks": {"next": "clean the tank"}, "hobbies": [{"name": "chess", "level": "beginner"}]})


@pytest.fixture
def question() -> str:
    return "When must the pump of the left tank be primed?"


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with remembering(tmp_path_factory.mktemp("host"), {"water.md": WATER}) as opened:
        yield opened


class TestText(FileReaderContract):
    @pytest.fixture
    def reader(self, host: Host) -> BaseReader:
        return host.hooks.readers["memory-text:"]

    @pytest.fixture
    def source(self, tmp_path: Path) -> Path:
        return written(tmp_path / "water.md", WATER)


class TestMail(FileReaderContract):
    @pytest.fixture
    def reader(self, host: Host) -> BaseReader:
        return host.hooks.readers["memory-mail:"]

    @pytest.fixture
    def source(self, tmp_path: Path) -> Path:
        return written(tmp_path / "1.eml", MAIL)


class TestState(FileReaderContract):
    @pytest.fixture
    def reader(self, host: Host) -> BaseReader:
        return host.hooks.readers["memory-state:"]

    @pytest.fixture
    def source(self, tmp_path: Path) -> Path:
        return written(tmp_path / "state.json", STATE)


class TestFiles(NodeParserContract):
    @pytest.fixture
    def parser(self, host: Host) -> NodeParser:
        return host.hooks.node_parser("memory")

    @pytest.fixture
    def document(self, host: Host, tmp_path: Path) -> Document:
        result = {"path": "water.md", "doc_type": "note", "indexing": {"strategy": "markdown"}}
        file = written(tmp_path / "water.md", WATER + "\n## The hose\n\n" + "The hose hangs behind the door. " * 40)
        (read,) = host.hooks.readers["memory-text:"].load_data(file, extra_info=result)
        return Document(id_="water.md", text=read.text, metadata=read.metadata)


class TestRecall(RetrieverContract):
    @pytest.fixture
    def retriever(self, host: Host) -> BaseRetriever:
        return host.hooks.retriever(memory_of(host).corpus, 3)


class TestAssistant(AssistantContract):
    @pytest.fixture
    def assistant(self, host: Host) -> Assistant:
        return host.assistant("memory")


def written(file: Path, words: str) -> Path:
    file.write_text(words, "utf-8")
    return file
