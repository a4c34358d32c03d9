"""The contract of node parsers: their chunks can be stored, found and cited."""

from __future__ import annotations

import re
from pathlib import Path

from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import Document, MetadataMode, TextNode

from ...corpus import parser_fingerprint
from ...markers import hookimpl
from ..hosts import open_host
from .assertions import attempt, check, check_storable, run_in_thread

_ADDRESS = re.compile(r"\bat 0x[0-9a-f]+", re.IGNORECASE)


class NodeParserContract:
    """Fixtures of the subclass: ``parser``, and ``document`` from its reader, long enough for several chunks."""

    def test_it_is_a_node_parser(self, parser: object) -> None:
        """It is an instance of LlamaIndex's ``NodeParser``: the host accepts no other class."""
        check(isinstance(parser, NodeParser), f"it is a {type(parser).__name__}, not a NodeParser of LlamaIndex")

    def test_chunks_are_text_with_words(self, parser: NodeParser, document: Document) -> None:
        """A document with text has chunks, none of them empty: an empty one can be neither found nor cited."""
        chunks = _parse(parser, document)
        check(chunks, "a document with words gives no chunk")
        for chunk in chunks:
            check(chunk.text.strip(), "it gives a chunk without words")

    def test_ids_are_all_different(self, parser: NodeParser, document: Document) -> None:
        """All chunks of a document have different ids: of two with one id the second would replace the first."""
        ids = [chunk.node_id for chunk in _parse(parser, document)]
        twice = next((each for each in ids if ids.count(each) > 1), None)
        check(twice is None, f"two chunks have the id {twice!r}")

    def test_each_chunk_names_its_document(self, parser: NodeParser, document: Document) -> None:
        """A chunk's relationship SOURCE is its document: a replaced document's chunks are replaced, too."""
        for chunk in _parse(parser, document):
            named = chunk.ref_doc_id
            check(named == document.doc_id, f"a chunk names {named!r} as its document, not {document.doc_id!r}")

    def test_what_only_the_parser_needs_stays_out(self, parser: NodeParser, document: Document) -> None:
        """No chunk has the metadata of ``parser_keys``: stored with each, they would grow with the square of a text."""
        keys = tuple(getattr(parser, "parser_keys", ()))
        given = document.model_copy(update={"metadata": document.metadata | dict.fromkeys(keys, "")}, deep=True)
        for chunk in _parse(parser, given if set(keys) - set(document.metadata) else document):
            kept = next((key for key in keys if key in chunk.metadata), None)
            check(kept is None, f"a chunk has the metadata {kept!r}, which only the parser needs")

    def test_places_are_true(self, parser: NodeParser, document: Document) -> None:
        """The span of a chunk that has one (``start_char_idx``, ``end_char_idx``) is its text in the document."""
        for chunk in _parse(parser, document):
            start, end = chunk.start_char_idx, chunk.end_char_idx
            if start is not None and end is not None:
                there = document.text[start:end]
                check(there == chunk.text, f"a chunk's span is {start} to {end}, but the document has {there!r} there")

    def test_the_same_document_gives_the_same_chunks(self, parser: NodeParser, document: Document) -> None:
        """The same document has the same chunks: unchanged ones keep their vectors, and a rebuild changes nothing."""
        first, again = (_fields(_parse(parser, document)) for _ in range(2))
        check(first == again, "parsed again, the same document gives other chunks")

    def test_several_documents_at_once(self, parser: NodeParser, document: Document) -> None:
        """A document that is parsed together with another has the same chunks as alone."""
        other = document.model_copy(update={"id_": "another-document"}, deep=True)
        alone = [chunk.text for chunk in _parse(parser, document)]
        chunks = _parse(parser, document, other)
        for each in (document, other):
            own = [chunk.text for chunk in chunks if chunk.ref_doc_id == each.doc_id]
            check(own == alone, f"of two documents at once, {each.doc_id!r} has {len(own)} chunks; alone {len(alone)}")

    def test_the_document_is_left_as_it_was(self, parser: NodeParser, document: Document) -> None:
        """Parsing does not change the document: the host stores it afterwards."""
        before = document.to_json()
        _parse(parser, document)
        check(document.to_json() == before, "parsing changed the document")

    def test_what_it_gives_can_be_stored(self, parser: NodeParser, document: Document) -> None:
        """Every database can store the chunks' text and metadata without a change."""
        for chunk in _parse(parser, document):
            check_storable(chunk.text, chunk.metadata, "a chunk's")

    def test_its_fingerprint_stays(self, parser: NodeParser) -> None:
        """Its fingerprint is the same in every process: another one makes the host rebuild the corpus."""
        first, again = (attempt(lambda: parser_fingerprint(parser), "its fingerprint") for _ in range(2))
        check(first == again, f"its fingerprint was {first!r} and is {again!r}")
        shown = first if isinstance(getattr(parser, "fingerprint", None), str) else parser.to_json()
        address = _ADDRESS.search(shown)
        check(address is None, f"its fingerprint holds an address in memory: {address and address[0]}")

    def test_it_works_in_another_thread(self, parser: NodeParser, document: Document) -> None:
        """It parses in a thread that did not create it."""
        here = _fields(_parse(parser, document))
        there = run_in_thread(lambda: _fields(_parse(parser, document)))
        check(here == there, "in another thread it gives other chunks")

    def test_the_host_stores_what_it_gives(self, parser: NodeParser, document: Document, tmp_path: Path) -> None:
        """A host embeds and stores every chunk and returns them in order."""

        class Plugin:
            @hookimpl
            def ragstone_node_parsers(self) -> dict[str, NodeParser]:
                return {"contract": parser}

        named = {"enabled": ["test_models", "contract"]}
        wanted = [chunk.text for chunk in _parse(parser, document)]
        with open_host(tmp_path / "contract-host", plugins={"contract": Plugin()}, options=named) as host:
            corpus = host.corpus("contract", kind="contract")
            attempt(lambda: corpus.ingest([document]), "storing what it gives")
            kept = [chunk.text for chunk in corpus.contents.document_nodes(document.doc_id)]
        check(kept == wanted, f"of {len(wanted)} chunks the host gives back {len(kept)}, or others")


def _parse(parser: NodeParser, *documents: Document) -> list[TextNode]:
    chunks = attempt(lambda: parser.get_nodes_from_documents(list(documents)), "get_nodes_from_documents")
    for chunk in chunks:
        check(isinstance(chunk, TextNode), f"it gives a {type(chunk).__name__}, not a TextNode")
    return [chunk for chunk in chunks if isinstance(chunk, TextNode)]


def _fields(chunks: list[TextNode]) -> list[tuple[object, ...]]:
    return [
        (chunk.text, chunk.metadata, chunk.start_char_idx, chunk.end_char_idx, chunk.get_content(MetadataMode.EMBED))
        for chunk in chunks
    ]
