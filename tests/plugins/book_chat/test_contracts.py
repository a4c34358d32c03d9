"""Book chat keeps to what the host asks of readers, of a node parser and of an assistant."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from llama_index.core.node_parser import NodeParser
from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from ragstone.core import Assistant, Host
from ragstone.core.testing import AssistantContract, FileReaderContract, NodeParserContract, open_host
from tests.plugins.book_chat.pdfs import lines, make
from tests.support.needs import needed
from tests.support.third_party_fakes import add_book, write_pages

WHEELS = (
    "---\ntitle: Wheels\n---\n\n# Wheels\n\n## Casters\n\n"
    "A caster is a wheel that swivels about a vertical axis. Größe: 40 mm.\n\n## Tyres\n\n"
    "Rubber tyres grip wet concrete better than nylon tyres.\n\n| Tyre | Grip |\n|---|---|\n| nylon | low |\n"
)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("host")
    with open_host(folder) as opened:
        add_book(opened, write_pages(folder / "book", {"01-wheels.md": WHEELS}))
        yield opened


class TestMarkdown(FileReaderContract):
    @pytest.fixture
    def reader(self, host: Host) -> BaseReader:
        return host.hooks.readers[".md"]

    @pytest.fixture
    def source(self, tmp_path: Path) -> Path:
        file = tmp_path / "wheels.md"
        file.write_text(WHEELS, "utf-8")
        return file


class TestPdf(FileReaderContract):
    @pytest.fixture
    def reader(self, host: Host) -> BaseReader:
        needed("pypdfium2")
        return host.hooks.readers[".pdf"]

    @pytest.fixture
    def source(self, tmp_path: Path) -> Path:
        file = tmp_path / "wheels.pdf"
        page = lines(72, 700, "A caster is a wheel that swivels", "about a vertical axis.")
        file.write_bytes(make([page], title="Wheels", outline=[("Casters", 0, 720)]))
        return file


class TestBooks(NodeParserContract):
    @pytest.fixture
    def parser(self, host: Host) -> NodeParser:
        return host.hooks.node_parser("book")

    @pytest.fixture
    def document(self, host: Host, tmp_path: Path) -> Document:
        file = tmp_path / "wheels.md"
        file.write_text(WHEELS + "## Brakes\n\n" + "A brake holds the wheel when the power fails. " * 120, "utf-8")
        (read,) = host.hooks.readers[".md"].load_data(file, extra_info={"book": "parts", "book_title": "Robot parts"})
        return Document(id_="parts:wheels.md", text=read.text, metadata=read.metadata)


class TestAssistant(AssistantContract):
    @pytest.fixture
    def assistant(self, host: Host) -> Assistant:
        return host.assistant("book_chat")

    @pytest.fixture
    def question(self) -> str:
        return "What is a caster?"
