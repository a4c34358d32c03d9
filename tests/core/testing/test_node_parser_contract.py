"""The contract of node parsers: LlamaIndex's own passes, and for every clause there is one that breaks it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

import pytest
from llama_index.core.node_parser import NodeParser, SentenceSplitter
from llama_index.core.schema import BaseNode, Document, TextNode
from pydantic import PrivateAttr

from ragstone.core.testing import NodeParserContract
from tests.core.testing.breaking import OneThread, breaks, clauses

Change = Callable[[Sequence[Document], list[TextNode]], list[Any]]

TEXT = (
    "A caster is a wheel that swivels about a vertical axis. Casters bear load but give no traction. Rubber tyres grip "
    "wet concrete better than nylon tyres do. Nylon tyres last about four times longer than rubber tyres. A parallel "
    "gripper closes two jaws along one line. The grip force of a small parallel gripper is about 40 newtons."
)


@pytest.fixture
def document() -> Document:
    return Document(id_="wheels", text=TEXT, metadata={"title": "Wheels"})


class Cuts(SentenceSplitter):
    """LlamaIndex's own, with its chunks changed."""

    _change: Any = PrivateAttr()

    def __init__(self, change: Change) -> None:
        super().__init__(chunk_size=32, chunk_overlap=0)
        self._change = change

    def get_nodes_from_documents(
        self, documents: Sequence[Document], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        chunks: list[BaseNode] = self._change(documents, super().get_nodes_from_documents(documents))
        return chunks


class TestAGoodParser(NodeParserContract):
    @pytest.fixture
    def parser(self) -> NodeParser:
        return SentenceSplitter(chunk_size=32, chunk_overlap=0)


def each(change: Callable[[TextNode], object]) -> Change:
    def changed(documents: Sequence[Document], chunks: list[TextNode]) -> list[TextNode]:
        for chunk in chunks:
            change(chunk)
        return chunks

    return changed


def known(key: str, value: Callable[[], object]) -> Change:
    return each(lambda chunk: chunk.metadata.update({key: value()}))


def moved(chunk: TextNode) -> None:
    chunk.start_char_idx = (chunk.start_char_idx or 0) + 1


def marks(documents: Sequence[Document], chunks: list[TextNode]) -> list[TextNode]:
    documents[0].metadata["cut"] = True
    return chunks


def with_a_blank(documents: Sequence[Document], chunks: list[TextNode]) -> list[TextNode]:
    return [*chunks, chunks[0].model_copy(update={"text": " ", "id_": "blank"})]


def in_one_thread() -> Change:
    one = OneThread()
    return each(lambda chunk: one.check())


class Renames(SentenceSplitter):
    """Its fingerprint is another each time."""

    _number: Any = PrivateAttr(default_factory=count)

    @property
    def fingerprint(self) -> str:
        return f"cuts/{next(self._number)}"


class Keeps(SentenceSplitter):
    """It says that a key is for itself, and leaves it in the chunks."""

    parser_keys: ClassVar[tuple[str, ...]] = ("lines",)


class Addressed(SentenceSplitter):
    """Its fingerprint is another in each process."""

    @property
    def fingerprint(self) -> str:
        return f"cuts by {count_words!r}"


def count_words() -> None:
    pass


BROKEN: list[tuple[str, object, str]] = [
    ("test_it_is_a_node_parser", object(), "it is a object, not a NodeParser of LlamaIndex"),
    ("test_chunks_are_text_with_words", Cuts(lambda documents, chunks: []), "a document with words gives no chunk"),
    ("test_chunks_are_text_with_words", Cuts(with_a_blank), "it gives a chunk without words"),
    ("test_chunks_are_text_with_words", Cuts(lambda documents, chunks: ["words"]), "it gives a str, not a TextNode"),
    (
        "test_ids_are_all_different",
        Cuts(each(lambda chunk: setattr(chunk, "id_", "one"))),
        "two chunks have the id 'one'",
    ),
    ("test_each_chunk_names_its_document", Cuts(each(lambda chunk: chunk.relationships.clear())), "a chunk names None"),
    ("test_what_only_the_parser_needs_stays_out", Keeps(chunk_size=32, chunk_overlap=0), "has the metadata 'lines'"),
    ("test_places_are_true", Cuts(each(moved)), "a chunk's span is 1 to "),
    ("test_the_same_document_gives_the_same_chunks", Cuts(known("at", count().__next__)), "gives other chunks"),
    ("test_several_documents_at_once", Cuts(lambda documents, chunks: chunks[:2]), "'another-document' has 0 chunks"),
    ("test_the_document_is_left_as_it_was", Cuts(marks), "parsing changed the document"),
    ("test_what_it_gives_can_be_stored", Cuts(known("kinds", lambda: {1, 2})), "metadata 'kinds' cannot be written as"),
    ("test_its_fingerprint_stays", Renames(), "its fingerprint was 'cuts/0' and is 'cuts/1'"),
    ("test_its_fingerprint_stays", Addressed(), "its fingerprint holds an address in memory: at 0x"),
    ("test_it_works_in_another_thread", Cuts(in_one_thread()), "raised RuntimeError: made in another thread"),
    ("test_the_host_stores_what_it_gives", Cuts(known("it", object)), "storing what it gives raised "),
    ("test_the_host_stores_what_it_gives", Cuts(with_a_blank), "chunks the host gives back"),
]


@pytest.mark.parametrize(("clause", "parser", "words"), BROKEN)
def test_a_clause_fails_for_a_parser_that_breaks_it(
    clause: str, parser: object, words: str, document: Document, tmp_path: Path
) -> None:
    breaks(NodeParserContract, clause, words, parser=parser, document=document, tmp_path=tmp_path)


def test_every_clause_is_broken_by_one() -> None:
    assert {clause for clause, *_ in BROKEN} == clauses(NodeParserContract)
