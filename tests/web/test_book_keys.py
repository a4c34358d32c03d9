"""Keys for some books: every route and every tool, asked with a key that is not for one of the books."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from flask.testing import FlaskClient
from sqlalchemy import text

from ragstone.core import Answer, Host, RagstoneError
from ragstone.core.runtime import limited_to
from ragstone.core.testing import open_host
from ragstone.plugins.book_chat import Shelf
from ragstone.plugins.concept_tutor import Lessons, PlanStore, plan_from_corpus
from ragstone.web import create_app
from ragstone.web.keys.access import NOTHING
from ragstone.web.keys.store import Keys
from ragstone.web.settings import WebSettings
from tests.support.third_party_fakes import Here

from .conftest import running
from .test_keys import bearer

OPEN = """# Wheels

## Casters

A caster is a wheel that swivels about a vertical axis. A caster carries part of the load of a cart, and it gives no
traction of its own. Many carts have two casters at the back and two fixed wheels at the front, which keep the course.
"""
CLOSED = """# Metals

## Zorbium

Zorbium is a metal that quenches in seven minutes. A bar of zorbium keeps its Florian lattice when it is quenched in
oil, and it loses the lattice in water. The smelters of Veldt draw every bar of zorbium twice before it is sold.
"""
#: Words of the closed book that no request here says.
MARKS = ("quenches", "Florian", "smelters", "Sealed Handbook")
QUESTION = "What is zorbium?"
ADMIN = "a key of enough characters"


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("book_keys")
    options: dict[str, Any] = {
        "web": {"requests_per_minute": 0, "access": "key", "conversations_per_key": 5},
        "book_chat": {"sample": False, "serve_pdf": ["*"]},
    }
    with open_host(folder, options=options) as opened:
        shelf = Shelf(opened)
        for name, words, title in (("open", OPEN, "Open Handbook"), ("closed", CLOSED, "Sealed Handbook")):
            (folder / f"{name}.md").write_text(words, "utf-8")
            shelf.add(shelf.plan(folder / f"{name}.md"), title=title)
            made = plan_from_corpus(opened, "books", part=title, title=f"Plan of the {title}")
            opened.once(PlanStore).add(replace(made.plan, slug=f"plan-{name}"), made.sources)
        yield opened


@pytest.fixture(scope="module")
def client(host: Host) -> FlaskClient:
    return create_app(host).test_client()


@pytest.fixture(scope="module")
def values(host: Host) -> dict[str, list[str]]:
    """What the routes' parameters, forms and queries can be, of the closed book."""
    (concept,) = host.once(PlanStore).concepts("plan-closed")
    question = host.once(Lessons).questions("plan-closed", concept.key)[0]
    host.once(Lessons).answer(question.question_id, None, "attempt-closed")
    chunks = [node.node_id for node in _nodes(host, "sealed-handbook")]
    sources = [chunk.chunk_id for chunk in host.once(PlanStore).sources("plan-closed", concept.key)]
    return {
        "slug": ["sealed-handbook", "plan-closed"],
        "chunk_id": [*chunks[:1], *sources[:1]],
        "key": [concept.key],
        "name": ["book_chat", "concept_tutor"],
        "assistant": ["book_chat", "concept_tutor"],
        "question": [question.question_id],
        "way": ["names"],
        "number": ["conversation-1"],
        "job_id": ["0" * 32],
        "token": ["0" * 16],
    }


def _nodes(host: Host, book: str) -> list[Any]:
    documents = [each.doc_id for each in Shelf(host).corpus.contents.documents() if each.metadata["book"] == book]
    return [node for each in documents for node in Shelf(host).corpus.contents.document_nodes(each)]


def _requests(client: FlaskClient, values: dict[str, list[str]]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every route and method, with each value of its parameters, in every form that a question can have."""
    closed = {"book": "sealed-handbook", "plan": "plan-closed", "question": values["question"][0]}
    chat = {"messages": [{"role": "user", "content": QUESTION}]}
    selection = "A bar of zorbium keeps its lattice."
    bodies: list[dict[str, Any]] = [
        {"json": {"question": QUESTION}},
        {"json": {"question": QUESTION, "book": "sealed-handbook"}},
        {"json": {"question": QUESTION, "plan": "plan-closed"}},
        {"json": {"question": "Why was my last answer wrong?"}},
        {"json": {"question": "What is this book about?"}, "headers": {"Accept": "text/event-stream"}},
        {"json": {"question": QUESTION, "selection": selection}},
        *({"json": {"model": name, **chat, "stream": stream}} for name in values["name"] for stream in (False, True)),
        {"json": {"model": "book_chat", **chat, "ragstone": {"narrow": {"book": "sealed-handbook"}}}},
        {"data": {**closed, "text": QUESTION}},
        {"data": {**closed, "answer": "nothing", "do": "unknown", "attempt": "attempt-closed"}},
        {"data": {"names": "Zorbium", "title": "Mine", "q": QUESTION}},
    ]
    queries = [{"q": QUESTION}, {"q": QUESTION, **closed}, {"q": "Why was my answer wrong?"}, {}]
    for rule in client.application.url_map.iter_rules():
        if rule.endpoint.rpartition(".")[2] == "static" or rule.endpoint.startswith("ragstone_mcp"):
            continue
        addresses = [rule.rule]
        for argument in rule.arguments:
            begin = [each.partition("<") for each in addresses]
            addresses = [
                f"{before}{value}{after.partition('>')[2]}"
                for before, _, after in begin
                for value in values.get(argument, ["sealed-handbook"])
            ]
        for address in addresses:
            for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
                for more in [{"query_string": each} for each in queries] if method == "GET" else bodies:
                    yield method, address, more


@pytest.mark.parametrize("accept", ["text/html", pytest.param("application/json", marks=pytest.mark.slow)])
def test_every_route_with_a_key_that_is_not_for_the_book(
    client: FlaskClient, host: Host, values: dict[str, list[str]], accept: str
) -> None:
    both = ["book_chat", "concept_tutor"]
    limited = bearer(Keys(host).add(f"limited {accept}", assistants=both, books=["open-handbook"]))
    every = bearer(Keys(host).add(f"every {accept}"))
    closed = ("sealed-handbook", "plan-closed", *values["chunk_id"])
    seen_by_every, asked = set(), 0

    def shown(key: dict[str, str], accept: str) -> tuple[int, str]:
        headers = {"Accept": accept, **more.get("headers", {}), **key}
        with client.open(address, method=method, **{**more, "headers": headers}) as result:
            return result.status_code, result.data.decode("utf-8", "replace")

    for method, address, more in _requests(client, values):
        status, page = shown(limited, accept)
        asked += 1
        assert not [mark for mark in MARKS if mark in page], (method, address, more, page[:3000])
        assert status < 500, (method, address, more, page[:500])
        assert status >= 400 or not any(name in address for name in closed), (method, address, more)
        reads = method == "GET" or address in {"/query", "/v1/chat/completions"}
        if reads and address not in seen_by_every and any(mark in shown(every, "text/html")[1] for mark in MARKS):
            seen_by_every.add(address)
    assert asked > 100
    assert {"/query", "/search", "/v1/chat/completions", "/book_chat/", "/book_chat/books/"} < seen_by_every
    assert {"/concept_tutor/", "/concept_tutor/plans/plan-closed/", "/concept_tutor/chat"} < seen_by_every
    assert {f"/book_chat/source/{values['chunk_id'][0]}", "/book_chat/books/sealed-handbook/"} < seen_by_every
    assert [size.plan.slug for size in host.once(PlanStore).plans()][:2] == ["plan-open", "plan-closed"]


def test_its_own_book_is_answered_from(client: FlaskClient, host: Host) -> None:
    headers = bearer(Keys(host).add("class a", books=["open-handbook"]))
    answer = client.post("/query", json={"question": "What is a caster?"}, headers=headers).get_json()
    assert "swivels" in answer["answer"]
    assert client.post("/query", json={"question": QUESTION}, headers=headers).get_json()["refused"]
    assert (
        "'Open Handbook,'" in client.post("/query", json={"question": QUESTION}, headers=headers).get_json()["answer"]
    )
    shelf = client.get("/book_chat/books/", headers=headers).text
    assert ("Open Handbook" in shelf, "Sealed" in shelf) == (True, False)
    assert client.get("/concept_tutor/", headers=headers).status_code == 403, "the assistants of books alone"
    assert client.get("/health", headers=headers).get_json() == {"status": "ok"}
    plans = bearer(Keys(host).add("class b", assistants=["concept_tutor"], books=["open-handbook"]))
    assert "Plan of the Open Handbook" in client.get("/concept_tutor/", headers=plans).text


def test_a_misspelt_word_is_no_word_of_another_book(client: FlaskClient, host: Host) -> None:
    few = bearer(Keys(host).add("spelling", books=["open-handbook"]))
    for word in ("Floorian", "Smellters"):
        question = {"question": f"What is a caster of {word}?"}
        answer = client.post("/query", json=question, headers=few).get_json()["answer"]
        assert ("Florian" in answer, "Smelters" in answer) == (False, False), answer


def test_a_stream_keeps_the_scope_that_it_was_made_in(host: Host) -> None:
    with limited_to({"book": frozenset({"open-handbook"})}):
        pieces = host.assistant("book_chat").stream(QUESTION)
        about = host.assistant("book_chat").stream("What is this book about?")
    *_, answer = pieces
    assert isinstance(answer, Answer)
    assert answer.refused
    *_, answer = about
    assert "A caster is a wheel" in answer.text
    assert "Metals" not in answer.text


def test_every_tool_with_a_key_that_is_not_for_the_book(host: Host, values: dict[str, list[str]]) -> None:
    pytest.importorskip("mcp")
    from ragstone.web.keys.access import EVERYTHING
    from ragstone.web.mcp.server import chunk_text
    from ragstone.web.mcp.tools import called, chunk_uri, offers

    keys = Keys(host)
    limited = keys.find(keys.add("agent", assistants=list(host.hooks.assistants), books=["open-handbook"]))
    assert limited is not None
    tools = offers(host, limited)
    every, seen_by_every = offers(host, EVERYTHING), set()
    for name, offer in tools.items():
        known = offer.tool.input_schema.get("properties", {})
        closed = {"book": "sealed-handbook", "plan": "plan-closed"}
        words = {key: QUESTION for key in ("question", "query", "text") if key in known}
        pieces: list[str] = []
        for more in ({}, {key: value for key, value in closed.items() if key in known}):
            with limited_to(limited.scope):
                shown = called(offer, {**words, **more}, pieces.append)
            whole = json.dumps([shown.text, shown.data, pieces], default=str)
            assert not [mark for mark in MARKS if mark in whole], (name, whole)
        if any(mark in called(every[name], words, pieces.append).text for mark in MARKS):
            seen_by_every.add(name)
    assert tools.keys() == every.keys()
    assert {"ask_book_chat", "search_book_chat", "search_concept_tutor"} <= seen_by_every
    for assistant, chunk_id in zip(("book_chat", "concept_tutor"), values["chunk_id"], strict=True):
        assert "orbium" in chunk_text(host, EVERYTHING, chunk_uri(assistant, chunk_id))
        with limited_to(limited.scope), pytest.raises(RagstoneError, match="there is no"):
            chunk_text(host, limited, chunk_uri(assistant, chunk_id))


@pytest.mark.parametrize(("books", "seen"), [((), True), (("open-handbook",), False)])
def test_mcp_passes_the_limit_on(
    client: FlaskClient, host: Host, values: dict[str, list[str]], books: tuple[str, ...], seen: bool
) -> None:
    pytest.importorskip("mcp")
    from ragstone.web.mcp.tools import chunk_uri

    key = bearer(Keys(host).add(f"mcp {seen}", books=books))
    headers = {"Accept": "application/json, text/event-stream", **key}

    def shown(method: str, **params: Any) -> str:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return client.post("/mcp", json=body, headers=headers).text

    asked = {"question": QUESTION}
    for method, params in (
        ("tools/call", {"name": "search_book_chat", "arguments": asked}),
        ("tools/call", {"name": "ask_book_chat", "arguments": asked}),
        ("prompts/get", {"name": "book_chat", "arguments": asked}),
        ("resources/read", {"uri": chunk_uri("book_chat", values["chunk_id"][0])}),
    ):
        page = shown(method, **params)
        assert any(mark in page for mark in MARKS) is seen, (method, page)


def test_threads_that_serve_several_keys_keep_them_apart(host: Host) -> None:
    keys = [(Keys(host).add("threads all"), True), (Keys(host).add("threads few", books=["open-handbook"]), False)] * 4

    def asked(key: str, accept: str) -> str:
        headers = {**bearer(key), "Accept": accept}
        return httpx.post(f"{url}query", json={"question": QUESTION}, headers=headers, timeout=60).text

    with running(create_app(host), host.hooks.options(WebSettings)) as url, ThreadPoolExecutor(8) as pool:
        answers = [
            (sees, pool.submit(asked, key, accept))
            for key, sees in keys
            for accept in ("application/json", "text/event-stream")
        ]
        for sees, answer in answers:
            assert ("Florian" in answer.result() or "quenches" in answer.result()) is sees, answer.result()


def test_the_shelf_of_the_admin_is_whole(client: FlaskClient, host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_ADMIN_KEY", ADMIN)
    client.get("/book_chat/books/", headers=bearer(Keys(host).add("before", books=["open-handbook"])))
    listed = client.get("/api/books", headers=bearer(ADMIN)).get_json()["books"]
    assert [book["slug"] for book in listed] == ["open-handbook", "sealed-handbook"]


def test_conversations_go_when_the_books_change(client: FlaskClient, host: Host) -> None:
    from ragstone.web.conversations import Conversations

    keys = Keys(host)
    headers = bearer(keys.add("wide", books=["open-handbook", "sealed-handbook"]))
    address = "/conversations/book_chat/conversation-2"
    turns = [{"question": QUESTION, "answer": {"answer": "It quenches."}}]
    assert client.put(address, json={"title": "Zorbium", "turns": turns}, headers=headers).status_code == 204
    assert "quenches" in client.get(address, headers=headers).text
    changed = keys.change("wide", books=["open-handbook"])
    Conversations(host).forget(changed.id)
    assert client.get(address, headers=headers).status_code == 404
    assert client.post("/query", json={"question": QUESTION}, headers=headers).get_json()["refused"]


def test_a_key_of_before_is_for_all_books(tmp_path: Path) -> None:
    with open_host(tmp_path) as host:
        key = Keys(host).add("old")
        with Keys(host)._tables.write() as old:
            old.execute(text("ALTER TABLE web_key DROP COLUMN books"))
            old.execute(text("UPDATE about SET value = '1' WHERE key = 'tables/web'"))
        found = Keys(host).find(key)
        assert found is not None
        assert found.books is None


# The command


@pytest.fixture
def here(fast_here: Here, tmp_path: Path) -> Here:
    """The command in this process, with fast models and two books."""
    for name, words in (("open", OPEN), ("closed", CLOSED)):
        (tmp_path / f"{name}.md").write_text(words, "utf-8")
        assert fast_here("book", "add", str(tmp_path / f"{name}.md"), "--title", f"{name} book").code == 0
    return fast_here


def test_books_of_a_key_are_chosen_and_changed(here: Here) -> None:
    assert here("key", "add", "class-a", "--book", "open-book").code == 0
    (listed,) = json.loads(here("key", "list", "--json").out)
    assert (listed["books"], listed["assistants"]) == (["open-book"], ["book_chat"])
    changed = here("key", "change", "class-a", "--book", "closed-book", "--door", "web")
    assert changed.out == "doors: web; assistants: book_chat; books: closed-book\n"
    lifted = json.loads(here("key", "change", "class-a", "--all", "books", "--all", "assistants", "--json").out)
    assert (lifted["books"], lifted["assistants"], lifted["doors"]) == (None, None, ["web"])
    for arguments, words in (
        (("add", "x", "--book", "no-such"), "there is no book 'no-such'"),
        (("change", "nobody", "--book", "open-book"), "there is no key 'nobody'"),
        (("change", "class-a"), "Name what is to change"),
        (("change", "class-a", "--book", "open-book", "--all", "books"), "contradict each other"),
    ):
        done = here("key", *arguments)
        assert done.code == 2
        assert words in done.err


def test_a_key_for_books_is_for_nothing_where_no_assistant_answers_from_books(tmp_path: Path) -> None:
    with open_host(tmp_path, options={"book_chat": {"sample": False}}) as host:
        (tmp_path / "open.md").write_text(OPEN, "utf-8")
        shelf = Shelf(host)
        slug = shelf.add(shelf.plan(tmp_path / "open.md"), title="Open Handbook").book
        key = Keys(host).add("few", assistants=["book_chat", "concept_tutor"], books=[slug])
        found = Keys(host).find(key)
        assert found is not None
        assert found.scope == {"book": frozenset({slug})}
    with open_host(tmp_path, options={"enabled": ["concept_tutor"]}) as host:
        assert Keys(host).find(key) == NOTHING
