"""A host that says what a test tells it to, and the app over it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from flask import Blueprint, Flask
from flask.testing import FlaskClient
from llama_index.core.schema import NodeWithScore, TextNode

from ragstone.core import Answer, Citation, CitationFormat, Delta, Host, NotFound, Profile, Question, QuestionFilter
from ragstone.core.answering import AssistantPaths, EmptyState, QuestionFilters
from ragstone.core.retrieval import Retrieval, Timings
from ragstone.core.testing import open_host
from ragstone.web import create_app
from ragstone.web.serve import bind, make_server, url_of
from ragstone.web.settings import WebSettings
from tests.support.third_party_fakes import add_book

#: A book, a question to it, and the sentence that answers it.
BOOK = "# Wheels\n\n## Casters\n\nA caster is a wheel that swivels about a vertical axis. Casters give no traction.\n"
QUESTION = "What is a caster?"
SENTENCE = "A caster is a wheel that swivels about a vertical axis."
FIELDS: dict[str, Any] = {
    "book_title": "A Book",
    "edition": "First Edition",
    "chapter": "Chapter 3",
    "section": "3.2 Nodes",
    "page_label": None,
    "page_index": None,
    "content_type": "text",
    "is_simulation": True,
}
FORMAT = CitationFormat(
    tuple(FIELDS),
    url=lambda node: f"/book_chat/source/{node.node_id}",
    title="book_title",
    parts=("chapter", "section"),
    tags={"is_simulation": "Simulation"},
)
ANSWER = Answer(
    "A node does one job. [1] It has a name [7].",
    (Citation(1, "c1", "A node does one job.", "/book_chat/source/c1", FIELDS, place=FORMAT.place(FIELDS)),),
    timings=Timings(1.234, 2, 3),
)
REFUSAL = Answer("I can only answer questions about this book.", refused=True, reason="no evidence")


@dataclass
class Speaker:
    """An assistant that answers as it is told and notes what it was asked."""

    name: str = "book_chat"
    title: str = "Book chat"
    description: str = "Answers from a book."
    examples: tuple[str, ...] = ("What is a node?", "Why <b>?")
    empty_state: EmptyState | None = None
    own_page: str | None = None
    filters: Mapping[str, QuestionFilter] = field(default_factory=lambda: {"book": QuestionFilter("slug of one book")})
    query_path: str = "/query"
    selection_path: str | None = "/query-selection"
    answer: Answer = ANSWER
    error: Exception | None = None
    verdict: str = "answered"
    #: Fail after so many words of a stream.
    fails_after: int | None = None
    pause: float = 0
    #: Called before it answers.
    waits: Callable[[], object] = lambda: None
    heard: list[Question] = field(default_factory=list)
    closed: threading.Event = field(default_factory=threading.Event)

    @property
    def plugin(self) -> str:
        return self.name

    @property
    def profile(self) -> Profile:
        return Profile(
            name=self.name,
            title=self.title,
            description=self.description,
            citations=FORMAT,
            refusal=lambda _filters: REFUSAL.text,
            prompt="book_chat/answer",
            filters=QuestionFilters(self.filters),
            paths=AssistantPaths(self.own_page, self.query_path, self.selection_path),
        )

    def ask(self, question: Question) -> Answer:
        self.heard.append(question)
        self.waits()
        if self.error:
            raise self.error
        if question.filters.get("book") == "unknown":
            raise NotFound("there is no book 'unknown'")
        return self.answer

    def retrieve_for(self, question: str) -> tuple[Any, str]:
        if self.error:
            raise self.error
        text = "A node does <b>one</b> job."
        nodes = (TextNode(id_=name, text=text, metadata=FIELDS) for name in ("c1", "copy-of-c1"))
        return Retrieval(question, tuple(NodeWithScore(node=node, score=0.5) for node in nodes)), self.verdict

    def stream(self, question: Question) -> Iterator[Delta | Answer]:
        try:
            answer = self.ask(question)
            for count, word in enumerate(answer.text.split(" ")):
                if count == self.fails_after:
                    raise RuntimeError("secret insides")
                time.sleep(self.pause)
                yield Delta(f"{word} ")
            if self.fails_after is None:
                yield answer
        finally:
            self.closed.set()


@dataclass
class State:
    name: str
    version: str = "1.0"
    origin: str = "test"
    state: str = "loaded"
    reason: str | None = None


@dataclass
class Result:
    name: str
    ok: bool = True
    detail: str = ""
    fatal: bool = False
    mend: str | None = None


@dataclass
class Size:
    name: str
    documents: int
    chunks: int


class States:
    """The plugins' states."""

    def __init__(self, states: dict[str, State]) -> None:
        self.states = states

    def __iter__(self) -> Iterator[State]:
        return iter(tuple(self.states.values()))

    def note(self, plugin: str, reason: str) -> None:
        if plugin in self.states:
            self.states[plugin].reason = reason

    def disable(self, plugin: str, reason: str) -> None:
        self.states[plugin].state, self.states[plugin].reason = "failed", reason


class SpeakingHost:
    """What ``create_app`` uses of a host."""

    def __init__(self, *speakers: Speaker) -> None:
        self.assistants = {speaker.name: speaker for speaker in speakers}
        self.blueprints: list[tuple[str, Blueprint]] = []
        self.plugins = States({"book_chat": State("book_chat")})
        self.hooks = self
        self.checks = self
        self.results = [Result("catalog", fatal=True)]
        self.settings = WebSettings()
        self.broken: Exception | None = None
        #: Called by the check of the catalog.
        self.look: Callable[[], None] = lambda: None

    def assistant(self, name: str) -> Speaker:
        if name not in self.assistants:
            raise NotFound(f"there is no assistant {name!r}")
        return self.assistants[name]

    def add_pages(self, plugin: str, blueprint: Blueprint) -> None:
        self.plugins.states[plugin] = State(plugin)
        self.blueprints.append((plugin, blueprint))

    def pages(self) -> list[tuple[str, Blueprint]]:
        return self.blueprints

    def parts(self) -> dict[str, Callable[[], list[Result]]]:
        return {"catalog": lambda: self.look() or self.results}

    def corpora(self) -> tuple[Size, ...]:
        if self.broken:
            raise self.broken
        return (Size("book_chat", 6, 91),)

    def options(self, model: type[WebSettings]) -> WebSettings:
        return self.settings


@pytest.fixture
def speaker() -> Speaker:
    return Speaker()


@pytest.fixture
def host(speaker: Speaker) -> SpeakingHost:
    return SpeakingHost(speaker)


@pytest.fixture
def app_of() -> Callable[[SpeakingHost], Flask]:
    return lambda host: create_app(cast("Host", host))


@pytest.fixture
def client(host: SpeakingHost, app_of: Callable[[SpeakingHost], Flask]) -> FlaskClient:
    return app_of(host).test_client()


@contextmanager
def wheels_host(folder: Path, *, llm: Any = None, plugins: Any = None, **web: Any) -> Iterator[Host]:
    """A host with that book alone. ``web``: options of the web front."""
    (folder / "wheels.md").write_text(BOOK, "utf-8")
    options = {"book_chat": {"sample": False}, "web": {"requests_per_minute": 0, **web}}
    with open_host(folder, options=options, llm=llm, plugins=plugins) as opened:
        add_book(opened, folder / "wheels.md")
        yield opened


@contextmanager
def running(app: Flask, options: WebSettings) -> Iterator[str]:
    """Serve the app on a free port; gives the address."""
    sockets = bind("127.0.0.1", 0)
    server = make_server(app, sockets, options)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield url_of(sockets[0])
    finally:
        server.stop()
        thread.join(10)


@pytest.fixture
def served(host: SpeakingHost, app_of: Callable[[SpeakingHost], Flask]) -> Callable[[], Any]:
    """Serve the host's app; gives the address."""
    return lambda: running(app_of(host), host.settings)
