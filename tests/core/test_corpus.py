"""A corpus knows what made it: rebuilt beside the old one, never wrong, never wiped."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import BaseNode, Document, MetadataMode, NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

from ragstone.core import Host, NotFound, hookimpl
from ragstone.core.ingestion import IngestProgress
from ragstone.core.ingestion import pipeline as ingest_module
from ragstone.core.retrieval import contents
from ragstone.core.retrieval.sentences import sentences_of
from ragstone.core.runtime import limited_to
from ragstone.core.testing import WordEmbedding, open_host
from ragstone.plugins.book_chat import Shelf
from tests.support.patience import HANG
from tests.support.third_party_fakes import Counting, WithModel, add_book


class OtherWords(WordEmbedding):
    """The same model under another name: vectors that must not be mixed with the first one's."""

    model_name: str = "other words"

    def _get_text_embedding(self, text: str) -> list[float]:
        return super()._get_text_embedding(text)[::-1]


@pytest.fixture
def fast_host(tmp_path: Path, database: str | None) -> Iterator[Host]:
    with open_host(tmp_path, database=database) as host:
        yield host


def _with_other_encoder(folder: Path, database: str | None):  # type: ignore[no-untyped-def]
    # Given plugins are called in order, so the first answer is the other encoder's.
    from ragstone.core.testing import TestModels

    return open_host(
        folder, database=database, plugins={"test_models": WithModel(OtherWords()), "models": TestModels()}
    )


def test_another_encoder_is_noticed_and_answers_do_not_stop(
    tmp_path: Path, small_book: Path, database: str | None
) -> None:
    with open_host(tmp_path, database=database) as host:
        assert add_book(host, small_book).corpus.info().stale is None
    with _with_other_encoder(tmp_path, database) as host:
        corpus = Shelf(host).corpus
        assert "encoder 'WordEmbedding/words" in str(corpus.info().stale)
        with corpus.catalog.read() as snapshot:
            assert not corpus.has_vectors(corpus.contents.row(snapshot))
        # The stored vectors mean nothing to this encoder: words alone find the chunk.
        answer = host.assistant("book_chat").ask("What is a caster?")
        assert answer.text.startswith("A caster is a wheel")
        before = corpus.info()
        corpus.rebuild()
        after = corpus.info()
        assert after.stale is None
        assert (after.documents, after.chunks) == (before.documents, before.chunks)
        assert host.assistant("book_chat").ask("What is a caster?").text.startswith("A caster is a wheel")


def test_adding_to_a_stale_corpus_rebuilds_it_first(tmp_path: Path, small_book: Path, database: str | None) -> None:
    with open_host(tmp_path, database=database) as host:
        add_book(host, small_book)
    (small_book / "03-legs.md").write_text("# Legs\n\nA knee bends.\n", "utf-8")
    with _with_other_encoder(tmp_path, database) as host:
        corpus = add_book(host, small_book).corpus
        assert corpus.info().stale is None
        assert corpus.info().documents == 3


def test_an_interrupted_rebuild_goes_on_where_it_was(tmp_path: Path, small_book: Path, database: str | None) -> None:
    with open_host(tmp_path, database=database) as host:
        add_book(host, small_book)
    with open_host(
        tmp_path, database=database, options={"book_chat": {"chunk_tokens": 120, "min_chunk_tokens": 60}}
    ) as host:
        corpus = Shelf(host).corpus
        real, calls = corpus.encoder.embed_chunks, []

        def failing(chunks):  # type: ignore[no-untyped-def]
            calls.append(chunks)
            raise RuntimeError("pulled the plug")

        corpus.encoder.embed_chunks = failing  # type: ignore[method-assign]
        with pytest.raises(RuntimeError, match="pulled the plug"):
            corpus.rebuild()
        corpus.encoder.embed_chunks = real  # type: ignore[method-assign]
        info = corpus.info()
        assert info.building
        assert info.stale
        assert host.assistant("book_chat").ask("What is a caster?").text.startswith("A caster is a wheel")
        corpus.rebuild()
        assert (corpus.info().building, corpus.info().stale) == (False, None)


@pytest.mark.slow
def test_an_interrupted_ingestion_embeds_no_more(fast_host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    real, seen = ingest_module._embed_group, []

    def embedded(group: Any, older: Any, encoder: Any, stopped: threading.Event, fresh: Any) -> Any:
        named = [document.doc_id for document, _ in group]
        if named != ["0"]:
            assert stopped.wait(HANG)
            with pytest.raises(CancelledError):
                real(group, older, encoder, stopped, fresh)
        seen.append(named)
        return real(group, older, encoder, threading.Event(), fresh)

    def interrupt(progress: IngestProgress) -> None:
        if progress.documents:
            raise KeyboardInterrupt

    monkeypatch.setattr(ingest_module, "_embed_group", embedded)
    texts = ["\n\n".join(f"## Part {part}\n\n{f'It has {at} wheels. ' * 70}" for part in range(200)) for at in range(3)]
    documents = [Document(text=f"# Book {at}\n\n{text}", doc_id=str(at)) for at, text in enumerate(texts)]
    corpus = fast_host.corpus("books", kind="book")
    with pytest.raises(KeyboardInterrupt):
        corpus.ingest(documents, on_progress=interrupt)
    assert seen == [["0"], ["1"]]
    assert [row.doc_id for row in corpus.contents.documents()] == ["0"]
    monkeypatch.undo()
    assert corpus.ingest(documents).added == ["1", "2"]


def test_ctrl_c_waits_for_a_few_chunks_of_a_long_document_only() -> None:
    stopped = threading.Event()
    embedded: list[tuple[str, str]] = []

    class Stopped:
        def embed_chunks(self, chunks: Sequence[tuple[str, str]]) -> list[None]:
            stopped.set()
            embedded.extend(chunks)
            return [None] * len(chunks)

    nodes = [TextNode(text=f"It has {count} wheels.") for count in range(100)]
    with pytest.raises(CancelledError):
        ingest_module._embed_group([(Document(text="Wheels"), nodes)], {}, Stopped(), stopped, [])  # type: ignore[arg-type]
    assert len(embedded) <= 16


def test_a_long_document_reports_how_far_it_is_embedded(fast_host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[IngestProgress] = []
    reported, corpus = threading.Event(), fast_host.corpus("books", kind="book")
    slices: list[Any] = []
    real = corpus.encoder.embed_chunks

    def embed_chunks(chunks: Any) -> Any:
        if slices:
            assert reported.wait(HANG)
        slices.append(chunks)
        return real(chunks)

    def report(progress: IngestProgress) -> None:
        seen.append(progress)
        if progress.embedded:
            reported.set()

    monkeypatch.setattr(corpus.encoder, "embed_chunks", embed_chunks)
    text = "\n\n".join(f"## Part {part}\n\n{'It has four wheels. ' * 70}" for part in range(40))
    done = corpus.ingest([Document(text=f"# Book\n\n{text}", doc_id="book")], on_progress=report)
    first, last = next(each for each in seen if each.embedded), seen[-1]
    assert (first.documents, first.doc_id, first.embedded, first.unstored) == (0, "", len(slices[0]), done.chunks)
    assert (last.documents, last.doc_id, last.unstored, last.chunks) == (1, "book", 0, done.chunks)


def test_what_was_read_before_a_document_that_cannot_be_is_stored(fast_host: Host) -> None:
    text = "\n\n".join(f"## Part {part}\n\n{'It has four wheels. ' * 70}" for part in range(200))

    def documents() -> Iterator[Document]:
        yield Document(text=f"# Book\n\n{text}", doc_id="long enough to be embedded by itself")
        raise RuntimeError("the next one is damaged")

    corpus = fast_host.corpus("books", kind="book")
    with pytest.raises(RuntimeError, match="damaged"):
        corpus.ingest(documents())
    assert [row.doc_id for row in corpus.contents.documents()] == ["long enough to be embedded by itself"]


def test_the_encoder_failing_half_way_leaves_the_old_version(
    tmp_path: Path, small_book: Path, database: str | None
) -> None:
    with open_host(tmp_path, database=database) as host:
        shelf = add_book(host, small_book)
        arms = small_book / "02-arms.md"
        arms.write_text(arms.read_text("utf-8").replace("40 newtons", "45 newtons"), "utf-8")

        def failing(chunks):  # type: ignore[no-untyped-def]
            raise RuntimeError("out of memory")

        real, shelf.corpus.encoder.embed_chunks = shelf.corpus.encoder.embed_chunks, failing  # type: ignore[method-assign]
        with pytest.raises(RuntimeError):
            shelf.add(shelf.plan(small_book), title="Robot parts")
        shelf.corpus.encoder.embed_chunks = real  # type: ignore[method-assign]
        answer = host.assistant("book_chat").ask("How strong is the grip force of the gripper?")
        assert "40 newtons" in answer.text


def test_an_empty_corpus_says_so(fast_host: Host) -> None:
    with pytest.raises(NotFound, match="is empty"):
        fast_host.assistant("book_chat").ask("What is a caster?")
    assert fast_host.corpora() == ()
    with pytest.raises(NotFound):
        fast_host.find_corpus("unknown")


def test_documents_without_words_do_no_harm(fast_host: Host) -> None:
    corpus = fast_host.corpus("books", kind="book")
    about = {"book": "b", "book_title": "B", "edition": "First Edition", "path": "b.md", "title": "B"}
    report = corpus.ingest([Document(id_="b:b.md", text="", metadata=about)])
    assert (report.added, report.chunks) == (["b:b.md"], 0)
    assert fast_host.assistant("book_chat").ask("What is a caster?").refused


@pytest.mark.parametrize("word", ["size", "keys", "facets", "chunk facets", "document facets"])
def test_a_word_of_a_question_is_no_key_of_what_else_is_cached(fast_host: Host, word: str) -> None:
    corpus = fast_host.corpus("books", kind="book")
    about = {"book": "b", "book_title": "B", "edition": "First Edition", "path": "b.md", "title": "B"}
    corpus.ingest([Document(id_="b:b.md", text=f"# Wheels\n\nThe {word} of a wheel.\n", metadata=about)])
    _ = corpus.contents.facets("book"), corpus.contents.document_facets("book")
    assert fast_host.pipeline.retrieve(corpus, word, top_k=1).nodes


def test_all_chunks_of_a_long_book_take_no_more_time_than_a_request_may(
    fast_host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = fast_host.corpus("books", kind="book")
    about = {"book": "b", "book_title": "B", "edition": "First Edition", "path": "b.md", "title": "B"}
    text = "".join(f"# Wheel {number}\n\nIt turns.\n\n" for number in range(12))
    corpus.ingest([Document(id_="b:b.md", text=text, metadata=about)])
    filters, looks = MetadataFilters(filters=[MetadataFilter(key="book", value="b")]), list[int]()
    monkeypatch.setattr(contents, "_CHUNKS_A_CHECK", 5)
    monkeypatch.setattr(contents, "check_budget", lambda: looks.append(len(looks)))
    found = [node.node_id for node in corpus.contents.find(filters)]
    assert found == [node.node_id for node in corpus.contents.document_nodes("b:b.md")]
    assert looks == [0, 1, 2]


def test_values_of_chunks_by_document_in_order_and_in_scope(fast_host: Host) -> None:
    corpus = fast_host.corpus("books", kind="book")
    text = f"# Wheels\n\n{'A caster swivels. ' * 99}\n\n## Tyres\n\n{'Rubber grips wet concrete. ' * 99}\n"
    for slug in ("b", "a", "c"):
        about = {"book": slug, "book_title": "B", "edition": "First Edition", "path": "b.md", "title": "B"}
        corpus.ingest([Document(id_=f"{slug}:b.md", text=text, metadata=about)])
    filters = MetadataFilters(filters=[MetadataFilter(key="book", value=["a", "b"], operator=FilterOperator.IN)])
    rows = corpus.contents.values(filters, "book", "no such key")
    wanted = [
        (node.node_id, f"{slug}:b.md", slug, None)
        for slug in "ab"
        for node in corpus.contents.document_nodes(f"{slug}:b.md")
    ]
    assert rows == wanted
    assert len(rows) > 4
    with limited_to({"book": frozenset("a")}):
        assert corpus.contents.values(filters, "book", "no such key") == [row for row in wanted if row[2] == "a"]


class Lines(NodeParser):
    """Every line is a chunk."""

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any) -> list[BaseNode]:
        return [
            TextNode(text=line, relationships={NodeRelationship.SOURCE: node.as_related_node_info()})
            for node in nodes
            for line in node.get_content(MetadataMode.NONE).splitlines()
        ]


class LinesOf(WithModel):
    @hookimpl
    def ragstone_node_parsers(self) -> dict[str, NodeParser]:
        return {"lines": Lines()}


def test_a_chunk_names_its_neighbours_and_leaves_their_metadata_to_them(tmp_path: Path, database: str | None) -> None:
    with open_host(tmp_path, database=database, plugins={"test_models": LinesOf(Counting())}) as host:
        corpus = host.corpus("log", kind="lines")
        corpus.ingest([Document(id_="log", text="one\ntwo\nthree", metadata={"by": "Iris"})])
        first, second, third = corpus.contents.document_nodes("log")
    assert [node.metadata["by"] for node in (first, second, third)] == ["Iris"] * 3
    before, after, source = second.prev_node, second.next_node, second.source_node
    assert before is not None
    assert after is not None
    assert source is not None
    assert (before.node_id, after.node_id) == (first.node_id, third.node_id)
    assert (before.metadata, after.metadata, source.metadata) == ({}, {}, {"by": "Iris"})


class Related(Lines):
    """Says of every line which ones follow, as a list."""

    def _postprocess_parsed_nodes(self, nodes: list[BaseNode], parent_doc_map: dict[str, Document]) -> list[BaseNode]:
        for node in nodes:
            node.relationships[NodeRelationship.NEXT] = [RelatedNodeInfo(node_id="a"), RelatedNodeInfo(node_id="b")]
        return nodes


def test_a_parser_may_name_several_neighbours(tmp_path: Path) -> None:
    class Mine(LinesOf):
        @hookimpl
        def ragstone_node_parsers(self) -> dict[str, NodeParser]:
            return {"lines": Related()}

    with open_host(tmp_path, plugins={"test_models": Mine(Counting())}) as host:
        corpus = host.corpus("log", kind="lines")
        corpus.ingest([Document(id_="log", text="one\ntwo")])
        first, _ = corpus.contents.document_nodes("log")
    following = first.relationships[NodeRelationship.NEXT]
    assert isinstance(following, list)
    assert [info.node_id for info in following] == ["a", "b"]


def test_a_changed_document_embeds_only_what_changed(tmp_path: Path, database: str | None) -> None:
    model = Counting()
    with open_host(tmp_path, database=database, plugins={"test_models": LinesOf(model)}) as host:
        corpus = host.corpus("log", kind="lines")
        corpus.ingest([Document(id_="log", text="oiled the axle\nchanged a tyre")])
        model.taken()
        corpus.ingest([Document(id_="log", text="oiled the axle\nwashed the frame\nchanged a tyre")])
        assert set(model.taken()) == {"washed the frame"}  # the chunk and its one sentence
        for words in ("oiled the axle", "washed the frame", "changed a tyre"):
            assert host.pipeline.retrieve(corpus, words, top_k=1).nodes[0].node.get_content() == words


def test_no_sentence_is_embedded_when_a_question_is_asked(tmp_path: Path, database: str | None) -> None:
    model = Counting()
    with open_host(tmp_path, database=database, plugins={"test_models": LinesOf(model)}) as host:
        corpus = host.corpus("log", kind="lines")
        corpus.ingest([Document(id_="log", text="Oiled the axle. It squeaked.\nChanged a tyre.")])
        model.taken()
        found = host.pipeline.retrieve(corpus, "Who oiled the axle?", top_k=2)
        assert model.taken() == ["Who oiled the axle?"]
        assert {len(cosines) for cosines in found.sentence_cosines.values()} == {1, 2}
        assert all(sentence.cosine is not None for sentence in sentences_of(found))


def test_what_is_known_of_a_document_changes_without_its_chunks(tmp_path: Path, database: str | None) -> None:
    with open_host(tmp_path, database=database, plugins={"lines": LinesOf(WordEmbedding())}) as host:
        corpus = host.corpus("log", kind="lines")
        corpus.ingest([Document(id_=name, text="oiled the axle", metadata={"seen": 1}) for name in ("log", "other")])
        before, seq = corpus.contents.document_nodes("log"), corpus.info().seq
        corpus.contents.annotate({"log": {"seen": 2}, "gone": {"seen": 2}})
        assert {row.doc_id: row.metadata for row in corpus.contents.documents()} == {
            "log": {"seen": 2},
            "other": {"seen": 1},
        }
        assert (corpus.contents.document_nodes("log"), corpus.info().seq) == (before, seq)
