"""The shelf's page and its forms: who may open them, and with what."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from ragstone.core.testing import open_host
from ragstone.web import create_app
from tests.support.patience import until

KEY = "a key of enough characters"
COOKIE = "ragstone_shelf"
SHELF = "/book_chat/books/"
PAGE = {"Accept": "text/html"}
BOOK = b"# Wheels\n\nThey go.\n\n## Casters\n\nA caster <i>swivels</i> about an axis.\n\n### Forks\n\nOne holds it.\n"


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FlaskClient]:
    monkeypatch.setenv("RAGSTONE_ADMIN_KEY", KEY)
    options = {"book_chat": {"sample": False}, "web": {"max_body_bytes": 10_000, "max_upload_bytes": 200_000}}
    with open_host(tmp_path, options=options) as host:
        yield create_app(host).test_client()


def open_shelf(client: FlaskClient) -> None:
    done = client.post(f"{SHELF}key", data={"key": KEY})
    assert (done.status_code, done.headers["Location"]) == (303, SHELF)
    cookie = done.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert KEY not in cookie


def add(client: FlaskClient) -> int:
    file = (io.BytesIO(BOOK), "wheels.md")
    return client.post(SHELF, data={"file": file, "title": "Robot <b>parts"}, headers=PAGE).status_code


def _is_listed(client: FlaskClient, title: str) -> bool:
    return f"{SHELF}{title.lower()}/" in client.get(SHELF).text


def test_a_title_is_named_once_and_a_setting_asked_for_where_there_are_two(client: FlaskClient) -> None:
    both = b"# Arms\n\n## Gazebo\n\nThe joints have damping.\n\n## Real hardware\n\nThe motors have brakes.\n"
    books = (BOOK, "Wheels", False), (both, "Arms", True)
    open_shelf(client)
    for text, title, has_settings in books:
        client.post(SHELF, data={"file": (io.BytesIO(text), "book.md"), "title": title}, headers=PAGE)
        until(partial(_is_listed, client, title))
        assert ('name="setting"' in client.get("/book_chat/").text) == has_settings
    page = client.get("/book_chat/?q=What+is+a+caster%3F").text
    assert '<span class="place">First Edition › Casters</span>' in page
    assert '>First Edition › Casters</a><span class="from">Wheels</span>' in page
    source = client.get(page[: page.index("#passage")].rpartition('href="')[2]).text
    crumbs = source[source.index('class="crumbs"') :].partition("</nav>")[0]
    assert (crumbs.count("Wheels"), crumbs.count("Casters")) == (1, 1)


def test_a_book_is_added_read_and_removed_with_forms_alone(client: FlaskClient) -> None:
    assert "There is no book yet." in client.get(SHELF).text
    assert client.get("/book_chat/admin").headers["Location"] == SHELF
    open_shelf(client)
    assert add(client) == 303
    until(lambda: "robot-b-parts" in client.get(SHELF).text)
    page = client.get(f"{SHELF}robot-b-parts/").text
    assert "Robot &lt;b&gt;parts" in page
    assert page.index("Beginning of the chapter") < page.index(">Casters<") < page.index(">Forks<")
    assert '<details class="kinds-of-text">\n  <summary>Kinds of text' in page
    section = page[: page.index(">Casters<")].rpartition('href="')[2].rstrip('"')
    read = client.get(section).text
    assert "Cited passage" not in read
    assert f'href="{SHELF}robot-b-parts/"' in read
    assert client.post(f"{SHELF}robot-b-parts/remove").status_code == 303
    assert "robot-b-parts" not in client.get(SHELF).text
    gone = client.get(f"{SHELF}robot-b-parts/", headers=PAGE)
    assert (gone.status_code, gone.mimetype) == (404, "text/html")


def test_without_the_key_books_are_seen_and_not_changed(client: FlaskClient) -> None:
    assert add(client) == 401
    assert client.post(f"{SHELF}anything/remove").status_code == 401
    wrong = client.post(f"{SHELF}key", data={"key": "another key of enough characters"})
    assert (wrong.status_code, "Set-Cookie" in wrong.headers) == (401, False)
    assert "not the key of this shelf" in wrong.text
    page = client.get(SHELF).text
    assert 'name="file"' not in page
    assert "RAGSTONE_ADMIN_KEY" not in page


def test_a_session_is_signed_ends_and_dies_with_the_key(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    open_shelf(client)
    cookie = client.get_cookie(COOKIE)
    assert cookie is not None
    good = cookie.value
    assert client.get("/api/books").status_code == 200
    begun, _, signature = good.rpartition(".")
    later = f"{begun[:-1]}{'A' if begun[-1] != 'A' else 'B'}.{signature}"
    for forged in (later, f"{begun}.", begun, "", "x.y", f"{good}0", "9" * 40, "²." + signature):
        client.set_cookie(COOKIE, forged)
        assert client.get("/api/books").status_code == 401, forged
    client.set_cookie(COOKIE, good)
    with monkeypatch.context() as patch:
        now = time.time()
        patch.setattr("time.time", lambda: now + 30 * 86_400 + 5)
        assert client.get("/api/books").status_code == 401
    monkeypatch.setenv("RAGSTONE_ADMIN_KEY", "some other key, long enough")
    assert client.get("/api/books").status_code == 401


def test_other_sites_cannot_use_the_session(client: FlaskClient) -> None:
    open_shelf(client)
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}):
        for path in (SHELF, f"{SHELF}x/remove", f"{SHELF}key"):
            assert client.post(path, headers=headers).status_code == 403


def test_leaving_ends_the_session(client: FlaskClient) -> None:
    open_shelf(client)
    assert client.post(f"{SHELF}key").status_code == 303
    assert client.get("/api/books").status_code == 401


def test_a_server_without_a_key_says_what_to_do(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAGSTONE_ADMIN_KEY")
    assert "ragstone book add" in client.get(SHELF).text
    assert client.post(f"{SHELF}key", data={"key": KEY}).status_code == 401
    assert add(client) == 403


def test_the_shelf_needs_the_key_of_a_server_that_needs_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_ADMIN_KEY", KEY)
    with open_host(tmp_path, options={"web": {"access": "key"}}) as host:
        client = create_app(host).test_client()
        for path in (SHELF, f"{SHELF}any/", "/book_chat/admin"):
            assert client.get(path).status_code == 401
        assert client.post(f"{SHELF}key", data={"key": KEY}).status_code == 401
