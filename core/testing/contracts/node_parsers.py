"""What a node parser must keep to, so that its chunks can be stored, found and cited."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import Document, MetadataMode, TextNode

from ...corpus import parser_fingerprint
from ...markers import hookimpl
from ..hosts import open_host
from .saying import hold, in_another_thread, must_be_storable, must_work

if TYPE_CHECKING:
    from pathlib import Path

_ADDRESS = re.compile(r"\bat 0x[0-9a-f]+", re.IGNORECASE)


class NodeParserContract:
    """Give the fixtures ``parser`` and ``document``: one as the reader gives it, long enough for several chunks."""

    def test_it_is_a_node_parser(self, parser: object) -> None:
        """It is LlamaIndex's own kind of node parser: the host takes no other."""
        hold(isinstance(parser, NodeParser), f"it is a {type(parser).__name__}, not a NodeParser of LlamaIndex")

    def test_chunks_are_text_with_words(self, parser: NodeParser, document: Document) -> None:
        """A document with words gives chunks, and each has words: an empty one can neither be found nor cited."""
        chunks = _cut(parser, document)
        hold(chunks, "a document with words gives no chunk")
        for chunk in chunks:
            hold(chunk.text.strip(), "it gives a chunk without words")

    def test_ids_are_all_different(self, parser: NodeParser, document: Document) -> None:
        """No two chunks of a document have the same id: one would replace the other."""
        ids = [chunk.node_id for chunk in _cut(parser, document)]
        twice = next((each for each in ids if ids.count(each) > 1), None)
        hold(twice is None, f"two chunks have the id {twice!r}")

    def test_each_chunk_names_its_document(self, parser: NodeParser, document: Document) -> None:
        """The relationship SOURCE of a chunk is its document: who replaces the document replaces its chunks."""
        for chunk in _cut(parser, document):
            hold(
                chunk.ref_doc_id == document.doc_id,
                f"a chunk names {chunk.ref_doc_id!r} as its document, not {document.doc_id!r}",
            )

    def test_places_are_true(self, parser: NodeParser, document: Document) -> None:
        """A chunk that says where in the document it stands (``start_char_idx``, ``end_char_idx``) stands there."""
        for chunk in _cut(parser, document):
            start, end = chunk.start_char_idx, chunk.end_char_idx
            if start is not None and end is not None:
                there = document.text[start:end]
                hold(there == chunk.text, f"a chunk says that it stands at {start} to {end}; there stands {there!r}")

    def test_the_same_document_gives_the_same_chunks(self, parser: NodeParser, document: Document) -> None:
        """A chunk that is as it was keeps its vectors, and a rebuilt corpus is the same again."""
        first, again = (_told(_cut(parser, document)) for _ in range(2))
        hold(first == again, "cut again, the same document gives other chunks")

    def test_several_documents_at_once(self, parser: NodeParser, document: Document) -> None:
        """Two documents at once give each the chunks that it gives alone."""
        other = document.model_copy(update={"id_": "another-document"}, deep=True)
        alone = [chunk.text for chunk in _cut(parser, document)]
        chunks = _cut(parser, document, other)
        for each in (document, other):
            own = [chunk.text for chunk in chunks if chunk.ref_doc_id == each.doc_id]
            hold(own == alone, f"of two documents at once, {each.doc_id!r} has {len(own)} chunks; alone {len(alone)}")

    def test_the_document_is_left_as_it_was(self, parser: NodeParser, document: Document) -> None:
        """The host stores the document after it was cut: it must still be the one that the reader gave."""
        before = document.to_json()
        _cut(parser, document)
        hold(document.to_json() == before, "the document was changed by being cut")

    def test_what_it_gives_can_be_stored(self, parser: NodeParser, document: Document) -> None:
        """Text and metadata are such that every database takes them, and gives them back as they were."""
        for chunk in _cut(parser, document):
            must_be_storable(chunk.text, chunk.metadata, "a chunk's")

    def test_its_fingerprint_stays(self, parser: NodeParser) -> None:
        """What shapes its chunks has one name, in every process: another name is another corpus, which is rebuilt."""
        first, again = (must_work(lambda: parser_fingerprint(parser), "its fingerprint") for _ in range(2))
        hold(first == again, f"its fingerprint was {first!r} and is {again!r}")
        shown = first if isinstance(getattr(parser, "fingerprint", None), str) else parser.to_json()
        address = _ADDRESS.search(shown)
        hold(address is None, f"its fingerprint holds an address in memory: {address and address[0]}")

    def test_it_works_in_another_thread(self, parser: NodeParser, document: Document) -> None:
        """Who cuts is often not who made the parser."""
        here = _told(_cut(parser, document))
        hold(in_another_thread(lambda: _told(_cut(parser, document))) == here, "in another thread it cuts otherwise")

    def test_the_host_stores_what_it_gives(self, parser: NodeParser, document: Document, tmp_path: Path) -> None:
        """A host embeds, stores and gives back every chunk in its order."""

        class Gives:
            @hookimpl
            def ragstone_node_parsers(self) -> dict[str, NodeParser]:
                return {"contract": parser}

        named = {"enabled": ["test_models", "contract"]}
        wanted = [chunk.text for chunk in _cut(parser, document)]
        with open_host(tmp_path / "contract-host", plugins={"contract": Gives()}, options=named) as host:
            corpus = host.corpus("contract", kind="contract")
            must_work(lambda: corpus.ingest([document]), "storing what it gives")
            kept = [chunk.text for chunk in corpus.document_nodes(document.doc_id)]
        hold(kept == wanted, f"of {len(wanted)} chunks the host gives back {len(kept)}, or others")


def _cut(parser: NodeParser, *documents: Document) -> list[TextNode]:
    chunks = must_work(lambda: parser.get_nodes_from_documents(list(documents)), "get_nodes_from_documents")
    for chunk in chunks:
        hold(isinstance(chunk, TextNode), f"it gives a {type(chunk).__name__}, not a TextNode")
    return [chunk for chunk in chunks if isinstance(chunk, TextNode)]


def _told(chunks: list[TextNode]) -> list[tuple[object, ...]]:
    return [
        (chunk.text, chunk.metadata, chunk.start_char_idx, chunk.end_char_idx, chunk.get_content(MetadataMode.EMBED))
        for chunk in chunks
    ]
