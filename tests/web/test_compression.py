from __future__ import annotations

import gzip
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace

import httpx
import pytest
from flask.testing import FlaskClient

from .conftest import Speaker

GZIP = {"Accept-Encoding": "gzip, deflate, br"}
STYLE = "/static/ragstone/ragstone.css"
PAGE = "/assistants/book_chat/?q=x"


@pytest.mark.parametrize("path", [STYLE, PAGE, "/", "/openapi.json"])
def test_what_is_text_is_compressed_for_those_who_take_it(client: FlaskClient, path: str) -> None:
    with client.get(path) as plain, client.get(path, headers=GZIP) as packed:
        assert "Content-Encoding" not in plain.headers
        assert packed.headers["Content-Encoding"] == "gzip"
        assert "Accept-Encoding" in plain.vary
        assert "Accept-Encoding" in packed.vary
        assert gzip.decompress(packed.data) == plain.data
        assert int(packed.headers["Content-Length"]) == len(packed.data) < len(plain.data) / 2


def test_errors_are_compressed_and_short_answers_are_not(client: FlaskClient) -> None:
    page = client.get("/nowhere", headers={**GZIP, "Accept": "text/html"})
    assert (page.status_code, page.headers["Content-Encoding"]) == (404, "gzip")
    assert "Content-Encoding" not in client.get("/nowhere", headers=GZIP).headers


def test_a_copy_in_the_browser_stays_good(client: FlaskClient) -> None:
    with client.get(STYLE, headers=GZIP) as first:
        tag = first.headers["ETag"]
    assert tag.startswith('W/"')
    with client.get(STYLE, headers={**GZIP, "If-None-Match": tag}) as again:
        assert (again.status_code, again.data) == (304, b"")
    with client.get(STYLE, headers={**GZIP, "Range": "bytes=0-9"}) as part:
        assert "Content-Encoding" not in part.headers or part.status_code == 200
    with client.head(STYLE, headers=GZIP) as head:
        assert "Content-Encoding" not in head.headers


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_the_length_of_a_page_that_another_site_led_to_tells_nothing(client: FlaskClient, site: str) -> None:
    led = {**GZIP, "Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    page = client.get(PAGE, headers=led)
    assert page.status_code == 200
    assert "Content-Encoding" not in page.headers


def test_events_come_one_by_one(served: Callable[[], AbstractContextManager[str]], speaker: Speaker) -> None:
    speaker.answer = replace(speaker.answer, text="word " * 500)
    speaker.pause = 0.01
    with (
        served() as url,
        httpx.stream(
            "POST", f"{url}/query", json={"question": "q"}, headers={**GZIP, "Accept": "text/event-stream"}
        ) as events,
    ):
        assert "Content-Encoding" not in events.headers
        first = next(events.iter_text())
        assert first.count("event: delta") < 100
