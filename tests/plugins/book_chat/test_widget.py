"""How the widget's script is served."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

import ragstone.plugins.book_chat
from ragstone.core.testing import open_host
from ragstone.web import create_app

SCRIPT = Path(ragstone.plugins.book_chat.__file__).parent / "static" / "book_chat" / "widget.js"
BOOK = "https://book.example"
AS_A_SCRIPT = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[FlaskClient]:
    options = {"book_chat": {"sample": False}, "web": {"origins": [BOOK]}}
    with open_host(tmp_path, options=options) as host:
        yield create_app(host).test_client()


def test_the_script_is_small_and_needs_nothing_that_a_strict_policy_forbids() -> None:
    text = SCRIPT.read_text("utf-8")
    assert len(text.encode()) < 30_000
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|localStorage"
    forbidden += (
        r"|sessionStorage|document\.cookie|setAttribute\(\"style|\bimport\b|https?://(?!HOST|www\.w3\.org/2000/svg)"
    )
    assert not re.search(forbidden, text)


def test_any_page_may_load_the_script_and_keeps_it_for_a_while(client: FlaskClient) -> None:
    with client.get("/book_chat/widget.js", headers=AS_A_SCRIPT) as response:
        assert response.status_code == 200
        assert response.mimetype == "text/javascript"
        assert response.data == SCRIPT.read_bytes()
        assert response.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.cache_control.public
        assert response.cache_control.max_age == 600
        assert "Access-Control-Allow-Origin" not in response.headers
        etag = response.headers["ETag"]
    with client.get("/book_chat/widget.js", headers={**AS_A_SCRIPT, "If-None-Match": etag}) as again:
        assert (again.status_code, again.data) == (304, b"")
        assert again.headers["Cross-Origin-Resource-Policy"] == "cross-origin"


def test_a_listed_page_may_also_read_the_script(client: FlaskClient) -> None:
    for origin, allowed in ((BOOK, BOOK), ("https://evil.example", None)):
        with client.get("/book_chat/widget.js", headers={"Origin": origin, "Sec-Fetch-Site": "cross-site"}) as response:
            assert response.status_code == 200
            assert response.headers.get("Access-Control-Allow-Origin") == allowed
            assert "Origin" in response.headers["Vary"]


def test_nothing_else_of_book_chat_is_for_other_sites(client: FlaskClient) -> None:
    for path in ("/book_chat/", "/book_chat/source/x"):
        assert client.get(path, headers=AS_A_SCRIPT).status_code == 403
