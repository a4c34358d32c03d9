"""Each hook through an open host: when it fires, in which order, who wins, and what becomes of one that raises."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.llms import LLM, MockLLM
from llama_index.core.node_parser import NodeParser, SentenceSplitter
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.prompts import BasePromptTemplate, PromptTemplate
from llama_index.core.readers.base import BaseReader
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import Document, NodeWithScore, QueryBundle, TextNode
from llama_index.core.tools import BaseTool, FunctionTool
from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from ragstone.core import (
    Assistant,
    Check,
    CitationFormat,
    Corpus,
    Encoder,
    EncoderError,
    EncoderSettings,
    Host,
    LLMSettings,
    NotFound,
    PluginError,
    PluginState,
    Profile,
    Question,
    Settings,
    SettingsError,
    StorageError,
    Table,
    hookimpl,
)
from ragstone.core.hooks import spec
from ragstone.core.retrieval import HybridRetriever, Retrieval, ScoredRetriever, Scores
from ragstone.core.testing import ScriptedLLM, TestModels, WordEmbedding, open_host, plugin_state
from ragstone.plugins.book_chat import Shelf
from tests.support.patience import until, until_followed
from tests.support.third_party_fakes import Counting, InMemory, WithModel, WithStore, add_book


def deployed(
    folder: Path, order: list[str], *, plugins: dict[str, object], **settings: Any
) -> AbstractContextManager[Host]:
    """An open host with these plugins in this order, and models of a few lines."""
    return open_host(folder, plugins=plugins, options={"enabled": [*order, "test_models"]}, **settings)


def answered(host: Host) -> str:
    return host.assistant("book_chat").ask("What is a caster wheel?").text


class Notes:
    """A plugin with a corpus and an assistant of its own."""

    def __init__(self, name: str = "notes", *, kind: str = "note") -> None:
        self.name = name
        self.kind = kind

    @hookimpl
    def ragstone_node_parsers(self) -> dict[str, NodeParser]:
        return {self.kind: SentenceSplitter(chunk_size=100, chunk_overlap=0)}

    @hookimpl
    def ragstone_assistants(self, host: Host) -> list[Assistant]:
        profile = Profile(
            name=self.name,
            title="Notes",
            description="Notes of the workshop.",
            citations=CitationFormat(("title",), url=lambda node: f"/notes/{node.node_id}"),
            refusal=lambda filters: "The notes do not say.",
            prompt="notes/answer",
        )
        return [Assistant(host, host.corpus(f"{self.kind}s", kind=self.kind), profile)]


def note(text: str, name: str = "one", **metadata: Any) -> Document:
    return Document(id_=name, text=text, metadata={"title": name, **metadata})


# ragstone_settings


class Options(Table):
    loud: bool = False


class WithOptions:
    @hookimpl
    def ragstone_settings(self) -> type[Options]:
        return Options


def test_ragstone_settings(tmp_path: Path) -> None:
    with open_host(tmp_path, plugins={"mine": WithOptions()}, options={"mine": {"loud": True}}) as host:
        assert host.hooks.options(Options) == Options(loud=True)


def test_ragstone_settings_fires_when_the_plugin_is_loaded_and_before_the_catalog_opens(tmp_path: Path) -> None:
    fired: list[bool] = []

    class Mine:
        @hookimpl
        def ragstone_settings(self) -> type[Options]:
            fired.append((tmp_path / "data").exists())
            return Options

    with open_host(tmp_path, plugins={"mine": Mine()}):
        assert fired == [False]


def test_ragstone_settings_wrong_options_are_an_error_of_the_settings(tmp_path: Path) -> None:
    with (
        pytest.raises(SettingsError, match=r"\[plugins.mine\]: unknown key lowd \(did you mean loud\?\)"),
        open_host(tmp_path, plugins={"mine": WithOptions()}, options={"mine": {"lowd": True}}),
    ):
        pass


# ragstone_opened, ragstone_serving and ragstone_closing


class Diary:
    def __init__(self, name: str, events: list[str]) -> None:
        self.name = name
        self.events = events

    @hookimpl
    def ragstone_opened(self, host: Host) -> None:
        with host.catalog.read() as snapshot:
            self.events.append(f"{self.name} opened with {len(snapshot.corpora())}")

    @hookimpl
    def ragstone_closing(self, host: Host) -> None:
        with host.catalog.read() as snapshot:
            self.events.append(f"{self.name} closing with {len(snapshot.corpora())}")


def test_ragstone_opened(tmp_path: Path) -> None:
    events: list[str] = []
    with deployed(tmp_path, ["b", "a"], plugins={"a": Diary("a", events), "b": Diary("b", events)}) as host:
        assert events == ["b opened with 0", "a opened with 0"]
        host.start()
        assert len(events) == 2  # once


def test_ragstone_serving(tmp_path: Path) -> None:
    served: list[str] = []

    class Mine:
        @hookimpl
        def ragstone_serving(self, host: Host) -> None:
            served.append(str(host.settings.data_dir))

    with deployed(tmp_path, ["mine"], plugins={"mine": Mine()}) as host:
        assert host.hooks.assistants is not None and not served, "what only asks does not serve"
        host.serve()
        host.serve()
        assert served == [str(host.settings.data_dir)], "once"


def test_ragstone_closing(tmp_path: Path) -> None:
    events: list[str] = []
    plugins: dict[str, object] = {"a": Diary("a", events), "b": Diary("b", events), "notes": Notes()}
    with deployed(tmp_path, ["b", "a", "notes"], plugins=plugins) as host:
        host.corpus("notes", kind="note").ingest([note("A nut holds a bolt.")])
        events.clear()
    assert events == ["b closing with 1", "a closing with 1"]
    host.close()
    assert len(events) == 2  # once


def test_ragstone_closing_does_not_fire_for_a_host_that_never_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", "utf-8")
    closed: list[Host] = []

    class Mine:
        @hookimpl
        def ragstone_closing(self, host: Host) -> None:
            closed.append(host)

    host = Host(Settings(data_dir=tmp_path / "file" / "data"), plugins={"mine": Mine()})
    with pytest.raises(StorageError):
        host.start()
    host.close()
    assert not closed


# ragstone_readers


class TextReader(BaseReader):
    def load_data(self, file: Path, extra_info: dict[str, Any] | None = None) -> list[Document]:
        return [Document(text=f"# {file.stem}\n\n{file.read_text('utf-8')}", metadata={"title": file.stem})]


class WithReaders:
    def __init__(self, *suffixes: str) -> None:
        self.suffixes = suffixes
        self.fired = 0

    @hookimpl
    def ragstone_readers(self) -> dict[str, BaseReader]:
        self.fired += 1
        return {suffix: TextReader() for suffix in self.suffixes}


def test_ragstone_readers(tmp_path: Path, small_book: Path) -> None:
    """Book chat reads what another plugin's reader can read."""
    (small_book / "03-bolts.log").write_text("A bolt of class 8.8 yields at 640 megapascals.", "utf-8")
    mine = WithReaders(".log")
    with open_host(tmp_path, plugins={"mine": mine}) as host:
        assert mine.fired == 0
        add_book(host, small_book)
        answer = host.assistant("book_chat").ask("At how many megapascals does a bolt of class 8.8 yield?")
        assert "640 megapascals" in answer.text
        _ = host.hooks.readers
        assert mine.fired == 1


def test_ragstone_readers_collision_names_both_and_leaves_out_all_of_the_later_one(tmp_path: Path) -> None:
    first, second = WithReaders(".log"), WithReaders(".rst", ".log")
    with deployed(tmp_path, ["b", "a"], plugins={"a": second, "b": first}) as host:
        assert list(host.hooks.readers) == [".log"]
        state = plugin_state(host, "a")
        assert (state.state, state.reason) == ("failed", "both b and a give readers for '.log'")
        assert plugin_state(host, "b").state == "loaded"


def test_ragstone_readers_one_that_raises_on_a_file_leaves_that_file_out(tmp_path: Path, small_book: Path) -> None:
    class Raising(BaseReader):
        def load_data(self, file: Path, extra_info: dict[str, Any] | None = None) -> list[Document]:
            raise ValueError("this reader has a bug")

    class Mine:
        @hookimpl
        def ragstone_readers(self) -> dict[str, BaseReader]:
            return {".log": Raising()}

    (small_book / "03-bolts.log").write_text("A bolt.", "utf-8")
    with open_host(tmp_path, plugins={"mine": Mine()}) as host:
        shelf = Shelf(host)
        report = shelf.add(shelf.plan(small_book), title="Robot parts")
        assert report.added == ["01-wheels.md", "02-arms.md"]
        assert [left.relative for left in report.left_out] == ["03-bolts.log"]


# ragstone_node_parsers


def test_ragstone_node_parsers(tmp_path: Path) -> None:
    with open_host(tmp_path, plugins={"notes": Notes()}) as host:
        corpus = host.corpus("notes", kind="note")
        report = corpus.ingest([note(" ".join(f"Sentence number {number} is about nuts." for number in range(60)))])
        assert report.chunks > 1
        assert isinstance(corpus.parser, SentenceSplitter)


def test_ragstone_node_parsers_without_the_encoder_no_plugin_is_disabled(tmp_path: Path) -> None:
    late = WithModel(None)
    settings = Settings(data_dir=tmp_path, encoder=EncoderSettings(folder=tmp_path), plugins=["late", "book_chat"])
    with Host(settings, plugins={"late": late}) as host:
        with pytest.raises(EncoderError, match="no readable model"):
            host.hooks.node_parser("book")
        assert plugin_state(host, "book_chat").state == "loaded"
        late.model = WordEmbedding()
        assert host.hooks.node_parser("book")


def test_ragstone_node_parsers_none_for_a_kind(fast_host: Host) -> None:
    with pytest.raises(PluginError, match="no plugin gives a node parser for 'poem'"):
        fast_host.hooks.node_parser("poem")


# ragstone_vector_store


def test_ragstone_vector_store(tmp_path: Path) -> None:
    passing, first, second = WithStore(None), WithStore(InMemory()), WithStore(InMemory())
    plugins: dict[str, object] = {"notes": Notes(), "p": passing, "a": first, "b": second}
    with deployed(tmp_path, ["notes", "p", "a", "b"], plugins=plugins) as host:
        corpus = host.corpus("notes", kind="note")
        corpus.ingest([note("A nut holds a bolt.")])
        assert not first.asked  # only a host that lives long lets an index follow
        host.serve()
        until_followed(corpus)
        assert passing.asked == first.asked == ["notes"]
        assert second.asked == []
        assert first.store is not None
        assert len(first.store.data.embedding_dict) == 1
        assert host.assistant("notes").ask("What holds a bolt?").text == "A nut holds a bolt. [1]"
        assert "InMemory follows the catalog" in {check.detail for check in host.checks()}


def test_ragstone_vector_store_follows_what_is_added_changed_and_removed(tmp_path: Path) -> None:
    store = InMemory()
    with deployed(tmp_path, ["notes", "mine"], plugins={"notes": Notes(), "mine": WithStore(store)}) as host:
        corpus = host.corpus("notes", kind="note")
        corpus.ingest([note("A nut holds a bolt."), note("A pin holds a wheel.", "two")])
        host.serve()
        until_followed(corpus)
        corpus.ingest([note("A rivet holds a plate.")])
        corpus.remove(["two"])
        until_followed(corpus)
        assert set(store.data.text_id_to_ref_doc_id.values()) == {"one"}
        assert host.assistant("notes").ask("What holds a plate?").text == "A rivet holds a plate. [1]"


def test_ragstone_vector_store_that_fails_leaves_the_answers_to_exact_search(tmp_path: Path) -> None:
    class Broken(InMemory):
        def add(self, nodes: Any, **kwargs: Any) -> list[str]:
            raise RuntimeError("no such host")

    with deployed(tmp_path, ["notes", "mine"], plugins={"notes": Notes(), "mine": WithStore(Broken())}) as host:
        corpus = host.corpus("notes", kind="note")
        corpus.ingest([note("A nut holds a bolt.")])
        host.serve()
        until(lambda: corpus.search_cache.follower and corpus.search_cache.follower.failure)
        assert host.assistant("notes").ask("What holds a bolt?").text == "A nut holds a bolt. [1]"
        check = next(check for check in host.checks() if check.name == "vector index of notes")
        assert not check.ok
        assert "no such host" in check.detail
        assert not check.fatal


# ragstone_retriever


class Fixed(BaseRetriever):
    def __init__(self, *texts: str) -> None:
        super().__init__()
        self._texts = texts

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [
            NodeWithScore(node=TextNode(id_=f"fixed-{number}", text=text, metadata={"title": "a"}), score=0.9)
            for number, text in enumerate(self._texts)
        ]


class WithRetriever:
    def __init__(self, answer: BaseRetriever | None) -> None:
        self.answer = answer
        self.asked: list[tuple[str, int, MetadataFilters | None]] = []

    @hookimpl
    def ragstone_retriever(self, corpus: Corpus, top_k: int, filters: MetadataFilters | None) -> BaseRetriever | None:
        self.asked.append((corpus.name, top_k, filters))
        return self.answer


def test_ragstone_retriever(tmp_path: Path) -> None:
    passing, first, second = WithRetriever(None), WithRetriever(Fixed("A cotter holds a nut.")), WithRetriever(Fixed())
    plugins: dict[str, object] = {"notes": Notes(), "p": passing, "a": first, "b": second}
    with deployed(tmp_path, ["notes", "p", "a", "b"], plugins=plugins) as host:
        answer = host.assistant("notes").ask(Question("What holds a nut?", top_k=3))
        assert answer.text == "A cotter holds a nut. [1]"
        assert answer.citations[0].chunk_id == "fixed-0"
        assert passing.asked == first.asked == [("notes", 3, None)]
        assert second.asked == []


@pytest.mark.parametrize(
    ("filters", "count"),
    [
        ([MetadataFilter(key="title", value="a")], 1),
        ([MetadataFilter(key="title", value="b")], 0),
        ([MetadataFilter(key="title", value=["a", "c"], operator=FilterOperator.IN)], 1),
        ([MetadataFilter(key="title", value=["b", "c"], operator=FilterOperator.IN)], 0),
        ([MetadataFilter(key="title", value="b", operator=FilterOperator.NE)], 1),
        ([MetadataFilter(key="absent", value=["a"], operator=FilterOperator.IN)], 0),
        (
            [
                MetadataFilters(
                    filters=[MetadataFilter(key="title", value="a"), MetadataFilter(key="title", value="b")],
                    condition=FilterCondition.OR,
                )
            ],
            1,
        ),
    ],
)
def test_ragstone_retriever_gets_the_filters_and_its_chunks_are_held_to_them(
    tmp_path: Path, filters: list[MetadataFilter | MetadataFilters], count: int
) -> None:
    mine = WithRetriever(Fixed("A cotter holds a nut."))
    with open_host(tmp_path, plugins={"notes": Notes(), "mine": mine}) as host:
        corpus = host.corpus("notes", kind="note")
        wanted = MetadataFilters(filters=filters)
        found = host.pipeline.retrieve(corpus, "What holds a nut?", top_k=2, filters=wanted)
        assert mine.asked == [("notes", 2, wanted)]
        assert len(found.nodes) == count


def test_ragstone_retriever_passed_by_all_is_the_hosts_own(tmp_path: Path) -> None:
    with open_host(tmp_path, plugins={"notes": Notes(), "mine": WithRetriever(None)}) as host:
        host.corpus("notes", kind="note").ingest([note("A nut holds a bolt.")])
        assert host.assistant("notes").ask("What holds a bolt?").text == "A nut holds a bolt. [1]"


def test_ragstone_retriever_gets_the_host(tmp_path: Path) -> None:
    given: list[Host] = []

    class Mine:
        @hookimpl
        def ragstone_retriever(self, host: Host, corpus: Corpus) -> BaseRetriever:
            given.append(host)
            return HybridRetriever(corpus, top_k=host.settings.retrieval.candidates)

    with open_host(tmp_path, plugins={"notes": Notes(), "mine": Mine()}) as host:
        host.corpus("notes", kind="note").ingest([note("A nut holds a bolt.")])
        assert host.assistant("notes").ask("What holds a bolt?").text == "A nut holds a bolt. [1]"
        assert given == [host]


class Telling(ScoredRetriever):
    """Offers one chunk, with scores that nobody who looked at it would give."""

    def __init__(self, cosine: float, threshold: float) -> None:
        super().__init__()
        self._cosine = cosine
        self._threshold = threshold

    def search(self, question: str) -> Retrieval:
        node = TextNode(id_="told", text="A cotter holds a nut.", metadata={"title": "a"})
        return Retrieval(
            question=question,
            nodes=(NodeWithScore(node=node, score=0.9),),
            scores={"told": Scores(self._cosine, 3.0, 0.9)},
            idf={"nut": 2.0},
            threshold=self._threshold,
        )


def test_ragstone_retriever_that_tells_its_scores_is_believed_and_its_chunks_are_not_embedded(
    tmp_path: Path,
) -> None:
    model, question = Counting(), "What holds a nut?"
    mine = WithRetriever(Fixed("A cotter holds a nut."))
    plugins: dict[str, object] = {"notes": Notes(), "mine": mine, "counting": WithModel(model)}
    with deployed(tmp_path, ["notes", "mine", "counting"], plugins=plugins) as host:
        corpus, assistant = host.corpus("notes", kind="note"), host.assistant("notes")
        _ = host.hooks.encoder
        model.taken()
        found = host.pipeline.retrieve(corpus, question, top_k=3)
        # Of one that gives no scores: the chunk and its sentence.
        assert model.taken() == [question, "A cotter holds a nut.", "A cotter holds a nut."]
        assert found.scores["fixed-0"].lexical == 0

        mine.answer = Telling(cosine=-0.7, threshold=0.8)
        found = host.pipeline.retrieve(corpus, question, top_k=3)
        assert found == mine.answer.search(question)
        assert assistant.ask(question).text.endswith("A cotter holds a nut. [1]")  # the word alone is enough
        for cosine, threshold, is_refused in ((-0.7, 1.1, True), (0.7, 1.1, False), (0.7, 1.8, True)):
            mine.answer = Telling(cosine, threshold)
            assert assistant.ask(question).refused == is_refused
        assert model.taken() == []


# ragstone_postprocessors


class Marking(BaseNodePostprocessor):
    mark: str

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        for node in nodes:
            node.node.metadata["marks"] = node.node.metadata.get("marks", "") + self.mark
        return nodes


class Dropping(BaseNodePostprocessor):
    word: str

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        assert query_bundle is not None
        return [node for node in nodes if self.word not in node.node.get_content()]


class WithPostprocessors:
    def __init__(self, *given: BaseNodePostprocessor) -> None:
        self.given = given

    @hookimpl
    def ragstone_postprocessors(self, host: Host, corpus: Corpus) -> list[BaseNodePostprocessor]:
        return list(self.given) if corpus is host.find_corpus("notes") else []


def test_ragstone_postprocessors(tmp_path: Path) -> None:
    plugins: dict[str, object] = {
        "notes": Notes(),
        "a": WithPostprocessors(Marking(mark="1"), Dropping(word="secret")),
        "b": WithPostprocessors(Marking(mark="2")),
    }
    with deployed(tmp_path, ["notes", "b", "a"], plugins=plugins) as host:
        corpus = host.corpus("notes", kind="note")
        corpus.ingest([note("A nut holds a bolt."), note("The secret bolt has no nut.", "two")])
        found = host.pipeline.retrieve(corpus, "What holds a bolt?", top_k=5)
        assert [node.node.get_content() for node in found.nodes] == ["A nut holds a bolt."]
        assert found.nodes[0].node.metadata["marks"] == "21"
        answer = host.assistant("notes").ask("What about the secret bolt?")
        assert "The secret bolt" not in answer.text


# ragstone_prompts


class WithPrompt:
    def __init__(self, words: str) -> None:
        self.words = words

    @hookimpl
    def ragstone_prompts(self) -> dict[str, BasePromptTemplate]:
        return {"book_chat/answer": PromptTemplate(self.words + "\n{context_str}\n{query_str}")}


def test_ragstone_prompts(tmp_path: Path, small_book: Path) -> None:
    llm = ScriptedLLM()
    plugins: dict[str, object] = {"a": WithPrompt("last"), "b": WithPrompt("first"), "c": WithPrompt("middle")}
    with deployed(tmp_path, ["b", "book_chat", "c", "a"], plugins=plugins, llm=llm) as host:
        add_book(host, small_book)
        llm.enqueue("A caster is a wheel that swivels about a vertical axis [1].")
        assert answered(host) == "A caster is a wheel that swivels about a vertical axis. [1]"
    assert llm.prompts[0].startswith("user: last\n")
    assert "What is a caster wheel?" in llm.prompts[0]


def test_ragstone_prompts_are_replaced_by_the_deployment(tmp_path: Path, small_book: Path) -> None:
    llm = ScriptedLLM()
    text = "Be brief.\n{context_str}\n{query_str}"
    with open_host(tmp_path, llm=llm, prompts={"book_chat/answer": text}) as host:
        add_book(host, small_book)
        llm.enqueue("A caster is a wheel that swivels about a vertical axis [1].")
        answered(host)
    assert "Be brief." in llm.prompts[0]


def test_ragstone_prompts_a_replacement_keeps_what_is_known_of_it(tmp_path: Path) -> None:
    class Described:
        @hookimpl
        def ragstone_prompts(self) -> dict[str, BasePromptTemplate]:
            return {"sum": PromptTemplate("Add {a}.", metadata={"description": "A sum."})}

    with open_host(tmp_path, plugins={"described": Described()}, prompts={"sum": "Please add {a}."}) as host:
        assert host.hooks.prompts["sum"].metadata["description"] == "A sum."


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("book_chat/anser", "{context_str} {query_str}", "did you mean book_chat/answer?"),
        ("book_chat/answer", "{query_str}", "leaves out {context_str}"),
    ],
)
def test_ragstone_prompts_a_replacement_that_does_not_fit(tmp_path: Path, name: str, text: str, message: str) -> None:
    with open_host(tmp_path, prompts={name: text}) as host, pytest.raises(SettingsError, match=re.escape(message)):
        _ = host.hooks.prompts


def test_ragstone_prompts_none_of_that_name(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    with open_host(tmp_path, llm=llm, plugins={"notes": Notes()}) as host:
        host.corpus("notes", kind="note").ingest([note("A nut holds a bolt.")])
        with pytest.raises(PluginError, match="no plugin gives a prompt named 'notes/answer'"):
            host.assistant("notes").ask("What holds a bolt?")
    assert llm.prompts == ()


# ragstone_embed_model


def test_ragstone_embed_model(tmp_path: Path) -> None:
    passing, first, second = WithModel(None), WithModel(MockEmbedding(embed_dim=8)), WithModel(WordEmbedding())
    plugins: dict[str, object] = {"p": passing, "a": first, "b": second}
    with deployed(tmp_path, ["p", "a", "b"], plugins=plugins, encoder={"model": "mine"}) as host:
        assert not passing.asked
        assert host.hooks.encoder.dimension == 8
        assert passing.asked == first.asked == [EncoderSettings(model="mine")]
        assert second.asked == []
        assert host.hooks.encoder is host.hooks.encoder


def test_ragstone_embed_model_passed_by_all_is_the_hosts_own(tmp_path: Path, model_cache: Path) -> None:
    host = Host(Settings(data_dir=tmp_path / "data", cache_dir=model_cache), plugins={"mine": WithModel(None)})
    assert host.hooks.encoder.model.model_name == "all-MiniLM-L6-v2"
    host.close()


class Accelerator(WordEmbedding):
    """A model on a board beside the processor, which may be out of order."""

    kin: str = "other"
    works: bool = False

    @property
    def family(self) -> str:
        return self.kin

    def _get_text_embedding(self, text: str) -> list[float]:
        if not self.works:
            raise OSError("the board does not answer")
        return [1.0] + [0.0] * 383

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


def test_ragstone_embed_model_one_that_embeds_nothing_is_taken_out(tmp_path: Path, model_cache: Path) -> None:
    plugins: dict[str, object] = {"board": WithModel(Accelerator())}
    host = Host(Settings(data_dir=tmp_path / "data", cache_dir=model_cache), plugins=plugins)
    assert host.hooks.encoder.model.model_name == "all-MiniLM-L6-v2"
    state = plugin_state(host, "board")
    assert state.state == "failed"
    assert "the board does not answer" in str(state.reason)
    host.close()


@pytest.mark.parametrize("same", [True, False])
def test_ragstone_embed_model_when_it_fails_later_the_hosts_own_takes_over_if_it_may(
    tmp_path: Path, model_cache: Path, encoder: Encoder, same: bool, caplog: pytest.LogCaptureFixture
) -> None:
    board = Accelerator(works=True, kin=encoder.family if same else "other")
    plugins: dict[str, object] = {"board": WithModel(board)}
    host = Host(Settings(data_dir=tmp_path / "data", cache_dir=model_cache), plugins=plugins)
    before = host.hooks.encoder.fingerprint, host.hooks.encoder.family
    assert host.hooks.encoder.embed_query("wheel")[0] == 1.0
    board.works = False
    if same:
        assert host.hooks.encoder.embed_query("wheel") @ encoder.embed_query("wheel") > 0.98
        assert "takes over until the next start" in caplog.text
        board.works = True
        assert host.hooks.encoder.embed_texts(["wheel"])[0][0] != 1.0
        assert (host.hooks.encoder.fingerprint, host.hooks.encoder.family) == before
    else:
        for _ in range(2):
            with pytest.raises(EncoderError, match="the board does not answer"):
                host.hooks.encoder.embed_query("wheel")
        assert "vectors of another kind" in caplog.text
    host.close()


# ragstone_llm


class WithLLM:
    def __init__(self, llm: LLM | None) -> None:
        self.llm = llm
        self.asked: list[LLMSettings] = []

    @hookimpl
    def ragstone_llm(self, settings: LLMSettings) -> LLM | None:
        self.asked.append(settings)
        return self.llm


def test_ragstone_llm(tmp_path: Path) -> None:
    model = MockLLM()
    passing, first, second = WithLLM(None), WithLLM(model), WithLLM(MockLLM())
    plugins: dict[str, object] = {"p": passing, "a": first, "b": second}
    llm = {"provider": "mine", "temperature": 0}
    with Host(Settings(data_dir=tmp_path, llm=llm, plugins=["p", "a", "b"]), plugins=plugins) as host:
        assert not first.asked
        assert host.hooks.llm is model
        assert [settings.model_extra for settings in first.asked] == [{"temperature": 0}]
        assert len(passing.asked) == 1
        assert second.asked == []


def test_ragstone_llm_is_not_asked_for_the_extractive_answerer(tmp_path: Path, small_book: Path) -> None:
    mine = WithLLM(MockLLM())
    with open_host(tmp_path, plugins={"mine": mine}) as host:
        add_book(host, small_book)
        assert answered(host).startswith("A caster is a wheel")
        assert host.hooks.llm is None
    assert mine.asked == []


def test_ragstone_llm_passed_by_all_is_an_error_of_the_settings(tmp_path: Path) -> None:
    with (
        Host(Settings(data_dir=tmp_path, llm={"provider": "nobody"}), plugins={"mine": WithLLM(None)}) as host,
        pytest.raises(SettingsError, match="no plugin provides the language model 'nobody'"),
    ):
        _ = host.hooks.llm


# ragstone_assistants


def test_ragstone_assistants(tmp_path: Path) -> None:
    with deployed(tmp_path, ["book_chat", "notes"], plugins={"notes": Notes()}) as host:
        assert list(host.hooks.assistants) == ["book_chat", "notes"]
        host.find_corpus("notes").ingest([note("A nut holds a bolt.")])
        answer = host.assistant("notes").ask("What holds a bolt?")
        assert answer.text == "A nut holds a bolt. [1]"
        assert answer.citations[0].fields == {"title": "one"}
        assert host.assistant("notes").ask("Who was Napoleon's sister?").text == "The notes do not say."


def test_ragstone_assistants_order_is_the_deployments(tmp_path: Path) -> None:
    plugins: dict[str, object] = {"one": Notes("one"), "two": Notes("two", kind="other")}
    with deployed(tmp_path, ["two", "book_chat", "one"], plugins=plugins) as host:
        assert list(host.hooks.assistants) == ["two", "book_chat", "one"]


# ragstone_tools


class WithTools:
    def __init__(self, *names: str) -> None:
        self.names = names

    @hookimpl
    def ragstone_tools(self, host: Host) -> list[BaseTool]:
        return [FunctionTool.from_defaults(lambda asked: list(host.hooks.assistants), name=name) for name in self.names]


def test_ragstone_tools(tmp_path: Path) -> None:
    plugins: dict[str, object] = {"a": WithTools("look", "tell"), "b": WithTools("count")}
    with deployed(tmp_path, ["b", "book_chat", "a"], plugins=plugins) as host:
        assert [(name, plugin) for name, (plugin, _tool) in host.hooks.tools.items()] == [
            ("count", "b"),
            ("look", "a"),
            ("tell", "a"),
        ]
        assert host.hooks.tools["look"][1]({}).raw_output == ["book_chat"]


def test_ragstone_tools_collision_names_both(tmp_path: Path) -> None:
    plugins: dict[str, object] = {"a": WithTools("look"), "b": WithTools("count", "look")}
    with deployed(tmp_path, ["a", "b"], plugins=plugins) as host:
        assert list(host.hooks.tools) == ["look"]
        state = plugin_state(host, "b")
        assert (state.state, state.reason) == ("failed", "both a and b give a tool 'look'")


# ragstone_pages


class WithPages:
    def __init__(self, name: str) -> None:
        self.name = name

    @hookimpl
    def ragstone_pages(self, host: Host) -> Any:
        from flask import Blueprint

        pages = Blueprint(self.name, __name__, url_prefix=f"/{self.name}")
        pages.add_url_rule("/", "home", lambda: f"{self.name}: {', '.join(host.hooks.assistants)}")
        return pages


def test_ragstone_pages(tmp_path: Path) -> None:
    flask = pytest.importorskip("flask")
    plugins: dict[str, object] = {"a": WithPages("a"), "b": WithPages("b")}
    with deployed(tmp_path, ["b", "book_chat", "a"], plugins=plugins) as host:
        # without MCP's, an interface that depends on its extra
        pages = [(plugin, blueprint) for plugin, blueprint in host.hooks.pages() if plugin != "mcp"]
        assert [(plugin, blueprint.name) for plugin, blueprint in pages] == [
            ("b", "b"),
            ("book_chat", "book_chat"),
            ("a", "a"),
        ]
        app = flask.Flask("test")
        for _plugin, blueprint in pages:
            app.register_blueprint(blueprint)
        assert app.test_client().get("/a/").text == "a: book_chat"


# ragstone_commands


class WithCommand:
    def __init__(self, *names: str) -> None:
        self.names = names

    @hookimpl
    def ragstone_commands(self, cli: click.Group) -> None:
        for name in self.names:
            cli.add_command(click.Command(name, callback=lambda: click.echo(f"from {self.names}")))


def test_ragstone_commands(tmp_path: Path) -> None:
    cli = click.Group("ragstone")
    with open_host(tmp_path, plugins={"mine": WithCommand("sing")}) as host:
        host.hooks.commands.add(cli)
        assert {"book", "serve", "sing"} <= cli.commands.keys()
        assert CliRunner().invoke(cli, ["sing"]).output == "from ('sing',)\n"


def test_ragstone_commands_collision_names_both(tmp_path: Path) -> None:
    cli = click.Group("ragstone", commands={"ask": click.Command("ask")})
    plugins: dict[str, object] = {
        "a": WithCommand("dance", "sing"),
        "b": WithCommand("sing"),
        "c": WithCommand("ask"),
        "d": WithCommand("hum"),
    }
    with deployed(tmp_path, ["b", "a", "c", "d"], plugins=plugins) as host:
        host.hooks.commands.add(cli)
        assert {"ask", "sing", "hum", "serve"} <= cli.commands.keys()
        assert "dance" not in cli.commands
        assert plugin_state(host, "a").reason == "both b and a give a command 'sing'"
        assert plugin_state(host, "c").reason == "both ragstone and c give a command 'ask'"
        assert CliRunner().invoke(cli, ["sing"]).output == "from ('sing',)\n"


def test_ragstone_commands_of_one_that_raises_are_all_left_out(tmp_path: Path) -> None:
    class Mine:
        @hookimpl
        def ragstone_commands(self, cli: click.Group) -> None:
            cli.add_command(click.Command("half"))
            raise RuntimeError("no more")

    cli = click.Group("ragstone")
    with open_host(tmp_path, plugins={"mine": Mine()}) as host:
        host.hooks.commands.add(cli)
        assert plugin_state(host, "mine").state == "failed"
        assert "half" not in cli.commands


# ragstone_checks


class WithCheck:
    def __init__(self, *checks: Check) -> None:
        self.checks = checks

    @hookimpl
    def ragstone_checks(self, host: Host) -> list[Check]:
        return list(self.checks)


def test_ragstone_checks(tmp_path: Path) -> None:
    full = Check("disk", False, "nearly full", fatal=True)
    fan, belt = Check("fan", True, "turns"), Check("b", True, "")
    plugins: dict[str, object] = {"a": WithCheck(fan, full), "b": WithCheck(belt)}
    with deployed(tmp_path, ["b", "a"], plugins=plugins) as host:
        checks = host.checks()
        assert [check.name for check in checks] == ["encoder", "catalog", "b", "fan", "disk"]
        assert checks[-1] == full


# What every hook has in common


def _everything(host: Host) -> dict[str, Callable[[], object]]:
    """How each hook is made to fire."""
    corpus = host.corpus("books", kind="book")
    return {
        "ragstone_settings": lambda: None,
        "ragstone_opened": lambda: None,
        "ragstone_serving": host.serve,
        "ragstone_closing": host.close,
        "ragstone_readers": lambda: host.hooks.readers,
        "ragstone_node_parsers": lambda: host.hooks.node_parser("book"),
        "ragstone_vector_store": lambda: host.hooks.vector_store(corpus),
        "ragstone_retriever": lambda: host.hooks.retriever(corpus, 3),
        "ragstone_postprocessors": lambda: host.hooks.for_questions.postprocessors(corpus),
        "ragstone_prompts": lambda: host.hooks.prompts,
        "ragstone_embed_model": lambda: host.hooks.encoder,
        "ragstone_llm": lambda: host.hooks.llm,
        "ragstone_assistants": lambda: host.hooks.assistants,
        "ragstone_tools": lambda: host.hooks.tools,
        "ragstone_pages": host.hooks.pages,
        "ragstone_commands": lambda: host.hooks.commands.add(click.Group("ragstone")),
        "ragstone_checks": host.checks,
    }


HOOKS = [name for name in vars(spec) if name.startswith("ragstone_")]


def _raising(hook: str, error: BaseException) -> object:
    def implementation() -> None:
        raise error

    class Mine:
        """Raises in one hook."""

    setattr(Mine, hook, staticmethod(hookimpl(implementation)))
    return Mine()


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (KeyError("axle"), "KeyError: 'axle'"),
        (SystemExit(3), "SystemExit(3): a plugin must not end the process"),
        (PluginError("the wiki is not there", hint="start it"), "the wiki is not there (start it)"),
    ],
    ids=["raises", "exits", "says why"],
)
@pytest.mark.parametrize("hook", HOOKS)
def test_a_plugin_that_raises_is_disabled_and_the_others_serve(
    hook: str, error: BaseException, message: str, tmp_path: Path, small_book: Path
) -> None:
    named: dict[str, Any] = {"data_dir": tmp_path / "data", "index": {"store": "none"}}
    if hook == "ragstone_llm":
        named["llm"] = {"provider": "mock"}
    # first of all: it must not stop those behind it
    named["plugins"] = {"enabled": ["mine", "book_chat", "test_models"], "book_chat": {"sample": False}}
    llm = ScriptedLLM()
    host = Host(Settings(**named), plugins={"test_models": TestModels(llm), "mine": _raising(hook, error)})
    host.start()
    try:
        if hook != "ragstone_closing":
            _everything(host)[hook]()
        else:
            host.close()
            host.start()
        assert plugin_state(host, "mine") == PluginState("mine", "-", "given", "failed", f"{hook} raised {message}")
        add_book(host, small_book)
        llm.enqueue("A caster is a wheel that swivels about a vertical axis [1].")
        assert answered(host).startswith("A caster is a wheel")
        assert [state.state for state in host.plugins if state.name in {"book_chat", "test_models"}] == ["loaded"] * 2
    finally:
        host.close()


def test_ctrl_c_in_a_hook_is_not_the_plugins_fault(tmp_path: Path) -> None:
    with (
        open_host(tmp_path, plugins={"mine": _raising("ragstone_checks", KeyboardInterrupt())}) as host,
        pytest.raises(KeyboardInterrupt),
    ):
        host.checks()


def test_a_plugin_that_failed_can_no_longer_be_asked(tmp_path: Path) -> None:
    class Mine(Notes):
        @hookimpl
        def ragstone_checks(self, host: Host) -> list[Check]:
            raise RuntimeError("no check today")

    with deployed(tmp_path, ["book_chat", "mine"], plugins={"mine": Mine()}) as host:
        assert "notes" in host.hooks.assistants
        host.checks()
        with pytest.raises(NotFound, match=r"there is no assistant 'notes' \(known: book_chat\)"):
            host.assistant("notes")


def test_a_hook_may_leave_out_any_argument(tmp_path: Path) -> None:
    class Mine:
        @hookimpl
        def ragstone_retriever(self, top_k: int) -> None:
            assert top_k == 4

    with open_host(tmp_path, plugins={"mine": Mine()}) as host:
        host.hooks.retriever(host.corpus("books", kind="book"), 4)
        assert plugin_state(host, "mine").state == "loaded"
