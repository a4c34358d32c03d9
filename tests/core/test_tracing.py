"""One question, one trace: as a tool sees it that is made for LlamaIndex and speaks OpenTelemetry."""

from __future__ import annotations

import gc
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.span import active_span_id

from ragstone.core import Assistant, Host, LLMError, Question, Settings
from ragstone.core.testing import TestModels, open_host
from ragstone.core.tracing import has_listeners, step
from tests.support.llm_server import Server, refuse, say
from tests.support.needs import needed
from tests.support.patience import HANG, until
from tests.support.third_party_fakes import add_book

QUESTION = "What is a caster?"
CASTER = "A caster is a wheel that swivels about a vertical axis."
KEY = "sk-secret-7Yq2mBvT0aLxW9"

#: What a question goes through whatever answers it.
STEPS = {
    "Assistant.ask",
    "Pipeline.retrieve",
    "HybridRetriever.search",
    "HybridRetriever.lexical",
    "HybridRetriever.dense",
    "HybridRetriever.fuse",
    "Gate.weigh",
}


class Traces:
    """The spans that have ended, as they would be sent away."""

    def __init__(self, exporter: Any, handler: Any) -> None:
        self._exporter = exporter
        self._handler = handler

    def __iter__(self) -> Iterator[Any]:
        return iter(self._exporter.get_finished_spans())

    def named(self, name: str) -> list[Any]:
        return [span for span in self if span.name == name]

    def of(self, span: Any) -> list[Any]:
        return [other for other in self if other.context.trace_id == span.context.trace_id]

    @property
    def open(self) -> list[str]:
        """Ids of the spans that were begun and not ended."""
        return [*self._handler.open_spans]

    @property
    def orphans(self) -> list[Any]:
        """Spans whose parent has not ended: a model's may end a moment after the answer."""
        ended = {span.context.span_id for span in self}
        return [span for span in self if span.parent is not None and span.parent.span_id not in ended]

    @property
    def text(self) -> str:
        return "\n".join(span.to_json() for span in self)


@pytest.fixture
def traces() -> Iterator[Traces]:
    tool = needed("openinference.instrumentation.llama_index").LlamaIndexInstrumentor()
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tool.instrument(tracer_provider=provider)
    try:
        yield Traces(exporter, get_dispatcher().span_handlers[-1])
    finally:
        tool.uninstrument()
        provider.shutdown()


@contextmanager
def with_book(folder: Path, book: Path, **settings: Any) -> Iterator[Host]:
    named: dict[str, Any] = {"data_dir": folder / "data", "cache_dir": folder / "cache", "index": {"store": "none"}}
    with Host(Settings(**named, **settings), plugins={"test_models": TestModels()}) as host:
        host.start()
        add_book(host, book)
        yield host


@pytest.fixture
def assistant(tmp_path: Path, small_book: Path) -> Iterator[Assistant]:
    with with_book(tmp_path, small_book) as host:
        yield host.assistant("book_chat")


@pytest.fixture
def with_model(
    tmp_path: Path, small_book: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Assistant]:
    """The assistant with a language model that is sent a key."""
    monkeypatch.setenv("RAGSTONE_LLM_API_KEY", KEY)
    llm = {"provider": "openai_like", "model": "m", "api_base": server.base, "timeout": 20, "remember": False}
    with with_book(tmp_path, small_book, llm=llm) as host:
        yield host.assistant("book_chat")


def one_trace(traces: Traces) -> dict[str, Any]:
    """The spans of the only question by name, each with a parent in it, none left open."""
    until(lambda: not traces.open and not traces.orphans, "the end of every span")
    (root,) = traces.named("Assistant.ask")
    spans = traces.of(root)
    assert [span for span in spans if span.parent is None] == [root]
    assert active_span_id.get() is None
    return {span.name: span for span in spans}


def requests(traces: Traces) -> list[Any]:
    """The language model's answers; the class below has a span for each request too."""
    return [span for span in traces.named("OpenAILike.stream_chat") if "output.value" in span.attributes]


def output(span: Any) -> Any:
    return json.loads(span.attributes["output.value"])


# Every step


def test_a_quoted_answer_is_one_trace(traces: Traces, assistant: Assistant) -> None:
    gc.collect()
    answer = assistant.ask(QUESTION)
    spans = one_trace(traces)
    assert spans.keys() >= STEPS | {"WordEmbedding.get_query_embedding", "Extractive.sentences", "Composition.add"}
    root = spans["Assistant.ask"]
    assert (root.attributes["input.value"], root.attributes["output.value"]) == (QUESTION, answer.text)
    kinds = {name: span.attributes["openinference.span.kind"] for name, span in spans.items()}
    assert kinds["Pipeline.retrieve"] == kinds["HybridRetriever.search"] == "RETRIEVER"
    assert kinds["WordEmbedding.get_query_embedding"] == "EMBEDDING"
    offered = spans["Pipeline.retrieve"].attributes
    assert offered["retrieval.documents.0.document.content"] == answer.chunks[0].node.get_content()
    assert output(spans["Gate.weigh"])["verdict"] == "answered"
    assert all(span.status.is_ok for span in spans.values())


def test_the_steps_stand_in_each_other(traces: Traces, assistant: Assistant) -> None:
    assistant.ask(QUESTION)
    spans = one_trace(traces)
    above = {
        name: next(n for n, s in spans.items() if span.parent and s.context.span_id == span.parent.span_id)
        for name, span in spans.items()
        if span.parent
    }
    assert above["Pipeline.retrieve"] == above["Gate.weigh"] == above["Extractive.sentences"] == "Assistant.ask"
    assert above["HybridRetriever.search"] == "Pipeline.retrieve"
    assert {above[f"HybridRetriever.{part}"] for part in ("lexical", "dense", "fuse")} == {"HybridRetriever.search"}
    assert above["WordEmbedding.get_query_embedding"] == "HybridRetriever.search"
    assert above["Composition.add"] == "Extractive.sentences"


def test_the_real_encoder_is_heard_only_where_somebody_listens(
    traces: Traces, tmp_path: Path, model_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(data_dir=tmp_path / "data", cache_dir=model_cache, index={"store": "none"})
    with Host(settings) as host:
        host.start()
        vector = host.hooks.encoder.embed_query(QUESTION)
        report = traces.named("MiniLMEmbedding.get_query_embedding")
        assert report[-1].attributes["embedding.embeddings.0.embedding.text"] == QUESTION
        with monkeypatch.context() as nobody:
            nobody.setattr(get_dispatcher(), "span_handlers", [])
            nobody.setattr(get_dispatcher(), "event_handlers", [])
            assert not has_listeners()
            assert (host.hooks.encoder.embed_query(QUESTION) == vector).all()
    assert traces.named("MiniLMEmbedding.get_query_embedding") == report


def test_a_refusal_ends_at_the_gate(traces: Traces, assistant: Assistant) -> None:
    assert assistant.ask("Who won the war of Troy?").refused
    spans = one_trace(traces)
    assert output(spans["Gate.weigh"])["verdict"] == "refused"
    assert "Extractive.sentences" not in spans


def test_a_selected_text(traces: Traces, assistant: Assistant) -> None:
    assert not assistant.ask(Question(QUESTION, selection=CASTER)).refused
    assert one_trace(traces).keys() >= {"Gate.weigh", "Extractive.sentences", "Composition.add"}


def test_a_language_models_answer_is_one_trace(traces: Traces, with_model: Assistant, server: Server) -> None:
    server.acts(say(f"{CASTER} [1]. ", "It is made of cheese [1]."))
    answer = with_model.ask(QUESTION)
    assert answer.dropped
    spans = one_trace(traces)
    until(lambda: len(requests(traces)) == 1, "the end of the request")
    assert spans.keys() >= STEPS | {"Generative.sentences", "Proofreading.read", "Composition.add"}
    root = traces.named("Assistant.ask")[0]
    for span in requests(traces):
        assert span.context.trace_id == root.context.trace_id
        assert span.attributes["openinference.span.kind"] == "LLM"
        assert span.attributes["llm.model_name"] == "m"
    checked = [output(span) for span in traces.named("Proofreading.read")]
    assert checked[0]["passed"] == [f"{CASTER}."]
    assert any(not each["passed"] for each in checked)
    assert KEY not in traces.text


def test_searching_is_one_trace_too(traces: Traces, assistant: Assistant) -> None:
    assistant.retrieve_for(QUESTION)
    (root,) = traces.named("Assistant.retrieve_for")
    assert {span.name for span in traces.of(root)} >= STEPS - {"Assistant.ask"}
    assert not traces.open


def test_inside_llama_index_it_is_a_part_of_its_trace(traces: Traces, assistant: Assistant) -> None:
    assistant.query(QUESTION)
    (root,) = traces.named("Assistant.query")
    names = {span.name for span in traces.of(root)}
    assert names >= STEPS
    assert root.parent is None
    assert not traces.open


# Streams and threads


def test_a_stream_may_be_read_by_any_thread(traces: Traces, assistant: Assistant) -> None:
    pieces = assistant.stream(QUESTION)
    seen = []

    def one() -> Any:
        piece = next(pieces, None)
        seen.append(active_span_id.get())
        return piece

    while True:
        with ThreadPoolExecutor(1) as fresh:
            if fresh.submit(one).result(HANG) is None:
                break
        assert active_span_id.get() is None
    assert len(seen) > 2
    assert set(seen) == {None}, "a step stayed open for whoever reads"
    assert one_trace(traces).keys() >= STEPS


def test_what_stands_around_a_stream_is_none_of_its_steps(traces: Traces, assistant: Assistant) -> None:
    pieces = assistant.stream(QUESTION)
    next(pieces)
    with step("Reader.reads", piece=1):
        pass
    for _ in pieces:
        pass
    (own,) = traces.named("Reader.reads")
    assert own.parent is None
    assert own not in traces.of(traces.named("Assistant.ask")[0])


@pytest.mark.parametrize("leave", [lambda pieces: pieces.close(), lambda _pieces: None], ids=["closed", "forgotten"])
def test_a_stream_that_nobody_reads_to_its_end_leaves_no_span_open(
    traces: Traces, assistant: Assistant, leave: Callable[[Any], None]
) -> None:
    pieces: Any = assistant.stream(QUESTION)
    next(pieces)
    assert traces.open
    leave(pieces)
    del pieces
    gc.collect()
    spans = one_trace(traces)
    assert all(span.status.is_ok for span in spans.values()), "whoever leaves has not failed"


def test_a_model_that_nobody_hears_to_the_end_ends_its_span(
    traces: Traces, with_model: Assistant, server: Server
) -> None:
    server.acts(say(f"{CASTER} [1]. ", *[f"{CASTER} [1]. "] * 200))
    pieces: Any = with_model.stream(QUESTION)
    next(pieces)
    pieces.close()
    until(lambda: traces.named("OpenAILike.stream_chat"), "the end of the model's span")
    assert one_trace(traces)["OpenAILike.stream_chat"].end_time is not None


def test_questions_at_once_are_traces_of_their_own(traces: Traces, assistant: Assistant) -> None:
    questions = [f"What is a caster number {number}?" for number in range(4)]
    together = threading.Barrier(4)

    def ask(question: str) -> None:
        together.wait(HANG)
        assistant.ask(question)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(ask, questions, timeout=HANG))
    roots = traces.named("Assistant.ask")
    assert {root.attributes["input.value"] for root in roots} == {*questions}
    assert len({root.context.trace_id for root in roots}) == 4
    for root in roots:
        searches = [span for span in traces.of(root) if span.name == "HybridRetriever.search"]
        assert len(searches) == 1
        assert root.attributes["input.value"] in searches[0].attributes["input.value"]
    assert not traces.open


def test_a_servers_own_span_is_above_the_question(traces: Traces, assistant: Assistant) -> None:
    from opentelemetry.sdk.trace import TracerProvider

    with TracerProvider().get_tracer("web").start_as_current_span("POST /query") as above:
        for _ in assistant.stream(QUESTION):
            pass
    (root,) = traces.named("Assistant.ask")
    assert root.parent is not None
    assert root.parent.span_id == above.get_span_context().span_id


# Failures and secrets


def test_a_failed_answer_is_a_failed_trace_without_the_key(
    traces: Traces, with_model: Assistant, server: Server
) -> None:
    server.acts(refuse(401, body={"error": {"message": f"Incorrect API key provided: {KEY}"}}))
    with pytest.raises(LLMError, match="refuses the key"):
        with_model.ask(QUESTION)
    spans = one_trace(traces)
    assert not spans["Assistant.ask"].status.is_ok
    assert "refuses the key" in spans["Assistant.ask"].status.description
    until(lambda: traces.named("OpenAILike.stream_chat"), "the end of the model's span")
    assert "Incorrect API key provided: ***" in traces.text
    assert KEY not in traces.text


@pytest.mark.parametrize("pieces", [[f"{CASTER} [1]. It was {KEY} [1]."], [f"{CASTER} [1]. It was {KEY}", " [1]."]])
def test_a_server_that_says_the_key_tells_it_to_nobody(
    traces: Traces, with_model: Assistant, server: Server, pieces: list[str]
) -> None:
    server.acts(say(*pieces), say("Nothing."))
    with_model.ask(QUESTION)
    until(lambda: len(requests(traces)) == 1, "the end of the request")
    assert KEY not in traces.text
    assert "***" in traces.text


class Raises(BaseEventHandler):
    def handle(self, event: Any, **_: Any) -> Any:
        raise RuntimeError("a listener's bug")


def test_a_listener_that_fails_changes_no_answer(assistant: Assistant) -> None:
    before = assistant.ask(QUESTION).to_dict()
    handler = Raises()
    get_dispatcher().add_event_handler(handler)
    try:
        after = assistant.ask(QUESTION).to_dict()
    finally:
        get_dispatcher().event_handlers.remove(handler)
    assert {**after, "timings_ms": {}} == {**before, "timings_ms": {}}


# Without a listener


def test_without_a_listener_nothing_is_made(tmp_path: Path, small_book: Path) -> None:
    assert not has_listeners()

    def never() -> Any:
        raise AssertionError("made for nobody")

    with step("A.b", thing=1) as unheard:
        assert active_span_id.get() is None
        unheard.emit(never)
        unheard.set_result(never)


def test_what_cannot_be_reported_harms_nobody(traces: Traces, tmp_path: Path) -> None:
    with open_host(tmp_path), step("A.b", strange=object()) as heard:
        heard.emit(lambda: 1 / 0)  # type: ignore[arg-type,return-value]
        heard.set_result(lambda: 1 / 0)
    assert traces.named("A.b")[0].status.is_ok
    assert not traces.open
