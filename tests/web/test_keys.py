"""Keys: where they are needed, what they open, and how they are kept."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from flask import Blueprint
from flask.testing import FlaskClient
from sqlalchemy import text

from ragstone.core import Host, hookimpl
from ragstone.core.testing import open_host
from ragstone.web import create_app
from ragstone.web.keys.access import Access
from ragstone.web.keys.store import Keys
from tests.support.third_party_fakes import Here

PAGE = {"Accept": "text/html"}
CHAT = {"model": "book_chat", "messages": [{"role": "user", "content": "What is a caster?"}]}


class Notes:
    """A plugin with a page and no assistant."""

    @hookimpl
    def ragstone_pages(self, host: Host) -> Blueprint:
        pages = Blueprint("notes", __name__, url_prefix="/notes")
        pages.add_url_rule("/", "home", lambda: "notes")
        return pages


NAMES = count()


def new(host: Host, **limits: Any) -> str:
    """A key of a name of its own."""
    return Keys(host).add(f"key {next(NAMES)}", **limits)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    options = {"web": {"requests_per_minute": 0, "host": "0.0.0.0"}}
    with open_host(tmp_path_factory.mktemp("keys"), options=options, plugins={"notes": Notes()}) as opened:
        yield opened


@pytest.fixture(scope="module")
def client(host: Host) -> FlaskClient:
    host.serve()  # puts the sample book on the shelf
    return create_app(host).test_client()


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def basic(key: str) -> dict[str, str]:
    return {"Authorization": f"Basic {base64.b64encode(f'me:{key}'.encode()).decode()}"}


# Where they are needed


@pytest.mark.parametrize(
    ("access", "listen", "status"),
    [
        ("key-beyond-loopback", "127.0.0.1", 200),
        ("key-beyond-loopback", "localhost", 200),
        ("key-beyond-loopback", "::1", 200),
        ("key-beyond-loopback", "0.0.0.0", 401),
        ("key-beyond-loopback", "::", 401),
        ("key-beyond-loopback", "192.0.2.7", 401),
        ("key-beyond-loopback", "books.example", 401),
        ("key", "127.0.0.1", 401),
        ("open-to-everybody", "0.0.0.0", 200),
    ],
)
def test_a_key_is_needed_as_soon_as_others_can_come(tmp_path: Path, access: str, listen: str, status: int) -> None:
    with open_host(tmp_path, options={"web": {"access": access}}) as host:
        client = create_app(host, listen=listen).test_client()
        for path in ("/", "/v1/models", "/book_chat/", "/openapi.json", "/nowhere-at-all"):
            expected = 404 if (status, path) == (200, "/nowhere-at-all") else status
            assert client.get(path).status_code == expected, path
        assert client.post("/query", json={"question": ""}).status_code == (400 if status == 200 else 401)
        assert client.get("/health").status_code == 200
        with client.get("/static/ragstone/chat.js") as script:
            assert script.status_code == 200


def test_where_no_key_is_needed_none_is_looked_at(tmp_path: Path) -> None:
    with open_host(tmp_path) as host:
        assert create_app(host).test_client().get("/v1/models", headers=bearer("sk-anything")).status_code == 200


def test_health_without_a_key_is_one_word(client: FlaskClient, host: Host) -> None:
    assert client.get("/health").json == {"status": "ok"}
    assert "plugins" in client.get("/health", headers=bearer(new(host))).get_json()


# What they open


@pytest.mark.parametrize("send", [bearer, basic])
def test_a_key_opens_every_door(client: FlaskClient, host: Host, send: Any) -> None:
    headers = send(new(host))
    assert client.get("/", headers=headers).status_code == 200
    assert client.get("/notes/", headers=headers).status_code == 200
    assert client.post("/query", json={"question": "What is a caster?"}, headers=headers).status_code == 200
    assert client.post("/v1/chat/completions", json=CHAT, headers=headers).status_code == 200
    assert client.get("/nowhere-at-all", headers=headers).status_code == 404


@pytest.mark.parametrize(
    "headers",
    [
        {},
        bearer(""),
        bearer("ragstone_0123456789ab_wrong"),
        bearer("x" * 10_000),
        bearer("ragstone__"),
        basic("wrong"),
        {"Authorization": "Basic !"},
        {"Authorization": "Digest username=me"},
        {"Authorization": "Bearer \x00\xff"},
    ],
)
def test_no_key_and_a_wrong_one_open_nothing(client: FlaskClient, host: Host, headers: dict[str, str]) -> None:
    new(host)
    result = client.post("/query", json={"question": "What is a caster?"}, headers=headers)
    assert (result.status_code, result.mimetype) == (401, "application/problem+json")
    assert result.get_json()["title"] == "A valid key is needed"
    assert result.headers["WWW-Authenticate"].startswith("Bearer")
    result = client.post("/v1/chat/completions", json=CHAT, headers=headers)
    assert (result.status_code, result.get_json()["error"]["code"]) == (401, "invalid_api_key")


def test_every_part_of_a_key_counts(client: FlaskClient, host: Host) -> None:
    key = new(host)
    assert client.get("/", headers=bearer(key)).status_code == 200
    for number in (0, len("ragstone_"), len("ragstone_") + 5, -20, -3):
        wrong = list(key)
        wrong[number] = "A" if wrong[number] != "A" else "B"
        assert client.get("/", headers=bearer("".join(wrong))).status_code == 401, number
    assert client.get("/", headers=bearer(key[:-1])).status_code == 401


def test_a_browser_is_asked_for_the_key_and_a_program_is_reported(client: FlaskClient) -> None:
    result = client.get("/", headers=PAGE)
    assert (result.status_code, result.mimetype) == (401, "text/html")
    assert '<form class="panel sign-in" method="post" action="/sign-in">' in result.text
    for response in (result, client.post("/query"), client.get("/v1/models")):
        assert response.headers["WWW-Authenticate"] == 'Bearer realm="Ragstone key"', "no prompt of the browser"
        assert "Set-Cookie" not in response.headers
    assert "Book chat" not in result.text, "the header names no assistant to those who may ask none"


def test_a_reader_gives_the_key_once(client: FlaskClient, host: Host) -> None:
    key = new(host, assistants=["book_chat"])
    browser = client.application.test_client()
    page = browser.get("/book_chat/?q=a+b", headers=PAGE)
    assert 'value="/book_chat/?q=a+b"' in page.text
    wrong = browser.post("/sign-in", data={"key": "ragstone_no_key", "next": "/"})
    assert (wrong.status_code, "Set-Cookie" in wrong.headers) == (401, False)
    done = browser.post("/sign-in", data={"key": f" {key} ", "next": "/book_chat/"})
    assert (done.status_code, done.headers["Location"]) == (303, "/book_chat/")
    cookie = done.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert key.split("_", 2)[2] not in cookie
    assert "; Secure" not in cookie, "without TLS the browser would not send it"
    by_proxy = {"X-Forwarded-Proto": "https"}
    behind = client.application.test_client().post("/sign-in", data={"key": key}, headers=by_proxy)
    assert "; Secure" in behind.headers["Set-Cookie"]
    found = browser.get("/search?q=What+is+a+caster").text
    assert "Book chat" in found
    assert "Wiki edge" not in found, "neither in the header nor among the results"
    assert "Sign out" in browser.get("/book_chat/", headers=PAGE).text
    assert browser.get("/health").get_json().keys() > {"status"}
    assert browser.get("/assistants/wiki_edge/").status_code == 403, "the session opens what its key does"
    assert browser.get("/v1/models").status_code == 401, "pages only"
    cross = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert browser.post("/query", json={"question": "q"}, headers=cross).status_code == 403
    assert browser.post("/sign-out", headers=cross).status_code == 403
    session = browser.get_cookie("ragstone_session")
    assert session is not None
    assert browser.post("/sign-out").status_code == 303
    browser.set_cookie("ragstone_session", session.value)
    assert browser.get("/book_chat/").status_code == 401, "the session has ended on the server too"


def test_a_session_ends_with_its_key_and_with_time(client: FlaskClient, host: Host, monkeypatch: Any) -> None:
    for end in (lambda: Keys(host).remove("short"), lambda: monkeypatch.setattr("time.time", lambda: 4e9)):
        browser = client.application.test_client()
        browser.post("/sign-in", data={"key": Keys(host).add("short")})
        assert browser.get("/").status_code == 200
        end()
        assert browser.get("/").status_code == 401


@pytest.mark.parametrize(
    "wanted",
    [
        *("//evil.example", "https://evil.example", "/\\evil.example", ""),
        *("/\t/evil.example", "/\n/evil.example", "/\r\\evil.example", "\t//evil.example", "/\x00"),
    ],
)
def test_signing_in_leads_to_no_other_site(client: FlaskClient, host: Host, wanted: str) -> None:
    done = client.application.test_client().post("/sign-in", data={"key": new(host), "next": wanted})
    assert done.headers["Location"] == "/"


def test_a_removed_key_opens_nothing_from_the_next_request_on(client: FlaskClient, host: Host) -> None:
    key = Keys(host).add("laptop")
    assert client.get("/", headers=bearer(key)).status_code == 200
    Keys(host).remove("laptop")
    assert client.get("/", headers=bearer(key)).status_code == 401


def test_a_key_for_one_door_opens_no_other(client: FlaskClient, host: Host) -> None:
    key = new(host, doors=["openai"])
    assert client.get("/v1/models", headers=bearer(key)).status_code == 200
    for path in ("/", "/book_chat/", "/openapi.json", "/nowhere-at-all"):
        assert client.get(path, headers=bearer(key)).status_code == 403, path
    assert client.post("/query", json={"question": "q"}, headers=bearer(key)).status_code == 403
    result = client.get("/v1/models", headers=bearer(new(host, doors=["web"])))
    assert (result.status_code, result.get_json()["error"]["type"]) == (403, "permission_error")


def test_a_key_for_one_assistant_asks_no_other(client: FlaskClient, host: Host) -> None:
    headers = bearer(new(host, assistants=["book_chat"]))
    other = bearer(new(host, assistants=["wiki_edge"]))
    body = {"question": "What is a caster?"}
    assert client.post("/query", json=body, headers=headers).status_code == 200
    assert client.post("/query", json=body, headers=other).status_code == 403
    assert client.post("/assistants/wiki_edge/query", json=body, headers=headers).status_code == 403
    assert client.get("/book_chat/", headers=headers).status_code == 200
    assert client.get("/book_chat/", headers=other).status_code == 403
    assert client.get("/notes/", headers=headers).status_code == 403, "what belongs to no assistant"
    assert client.get("/assistants/wiki_edge/", headers=headers).status_code == 403
    home = client.get("/", headers=headers).text
    assert ("Book chat" in home, "Wiki edge" in home) == (True, False)
    assert [model["id"] for model in client.get("/v1/models", headers=headers).get_json()["data"]][:-1] == ["book_chat"]
    assert client.post("/v1/chat/completions", json=CHAT, headers=headers).status_code == 200
    assert client.post("/v1/chat/completions", json=CHAT, headers=other).status_code == 404


def test_books_are_added_with_their_own_key(client: FlaskClient, host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_ADMIN_KEY", "a key of enough characters")
    assert client.get("/api/books", headers=bearer("a key of enough characters")).status_code == 200
    assert client.get("/api/books", headers=bearer(new(host))).status_code == 401
    assert client.get("/", headers=bearer("a key of enough characters")).status_code == 401


# How they are kept


def test_only_a_hash_is_kept(host: Host) -> None:
    key = new(host)
    with Keys(host)._tables.read() as connection:
        asked = text("SELECT * FROM web_key WHERE id = :id").bindparams(id=key.split("_")[1])
        (row,) = connection.execute(asked).mappings()
    secret = key.split("_", 2)[2]
    assert row["hash"] == hashlib.sha256(secret.encode()).hexdigest()
    assert secret not in json.dumps(dict(row))
    assert len(base64.urlsafe_b64decode(secret + "=")) == 32
    for file in (host.settings.data_dir).rglob("*"):
        assert not file.is_file() or secret.encode() not in file.read_bytes()


@pytest.mark.parametrize("damage", ["null", "5", "[1]", '{"mcp": 1}', '"mcp"', "[" * 100_000, "", "{"])
def test_a_key_whose_limits_are_damaged_opens_nothing(host: Host, damage: str) -> None:
    keys, key, other = Keys(host), new(host), new(host)
    for column, limit in (("doors", "interfaces"), ("assistants", "assistants"), ("books", "books")):
        change = text(f"UPDATE web_key SET {column} = :value WHERE id = :id")
        with keys._tables.write() as connection:
            connection.execute(change, {"value": damage, "id": key.split("_")[1]})
        access = keys.find(key)
        assert access is not None
        assert getattr(access, limit) == set()
    assert keys.find(other) == Access()
    assert {each.id for each in keys.list()} >= {key.split("_")[1], other.split("_")[1]}


@pytest.mark.parametrize("damage", ["", "no hash", "\u00df" * 64, b"\x00"])
def test_a_damaged_hash_is_of_no_key(host: Host, damage: str | bytes) -> None:
    keys, key = Keys(host), new(host)
    with keys._tables.write() as connection:
        change = text("UPDATE web_key SET hash = :value WHERE id = :id")
        connection.execute(change, {"value": damage, "id": key.split("_")[1]})
    assert keys.find(key) is None


def test_keys_work_in_every_database(tmp_path: Path, database: str | None) -> None:
    named: dict[str, Any] = {} if database is None else {"database": database}
    with open_host(tmp_path, **named) as host:
        keys = Keys(host)
        key = keys.add("one", doors=["mcp", "openai"], assistants=["book_chat"])
        assert keys.find(key) == Access(frozenset({"mcp", "openai"}), frozenset({"book_chat"}))
        assert [each.name for each in keys.list()] == ["one"]
        keys.remove("one")
        assert keys.find(key) is None


# The command


def test_a_key_is_shown_once(fast_here: Here) -> None:
    made = fast_here("key", "add", "laptop", "--door", "openai", "--assistant", "book_chat")
    assert (made.code, made.err) == (0, "Keep it: it is not shown again.\n")
    assert made.out.startswith("ragstone_")
    listed = fast_here("key", "list", "--json")
    (result,) = json.loads(listed.out)
    assert (result["name"], result["doors"], result["assistants"]) == ("laptop", ["openai"], ["book_chat"])
    assert made.out.strip().split("_", 2)[2] not in listed.out
    assert fast_here("key", "list").out.splitlines()[1].split()[0] == "laptop"
    assert fast_here("key", "remove", "laptop").code == 0
    assert fast_here("key", "list").out == "There is no key yet: ragstone key add NAME\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["add", "twice"], "there is a key 'twice' already (ragstone key remove twice)"),
        (["add", "x", "--assistant", "nobody"], "there is no assistant 'nobody'"),
        (["add", " "], "a key's name has 1 to 100"),
        (["remove", "nobody"], "there is no key 'nobody'"),
    ],
)
def test_what_cannot_be_is_one_line(fast_here: Here, arguments: list[str], words: str) -> None:
    fast_here("key", "add", "twice", "--json")
    done = fast_here("key", *arguments)
    assert done.code == 2
    assert words in done.line
