"""Pages of other sites: those that the deployment lists may ask, and read what they are told; no others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask import Blueprint, Flask
from flask.testing import FlaskClient
from pydantic import ValidationError

from ragstone.core.pages import ViewOptions
from ragstone.web.settings import WebSettings

from .conftest import Speaker, SpeakingHost

BOOK = "https://book.example"
FROM_THE_BOOK = {"Origin": BOOK, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}


@pytest.fixture
def listed(host: SpeakingHost, app_of: Callable[[SpeakingHost], Flask]) -> FlaskClient:
    host.settings = WebSettings(origins=[BOOK])
    pages = Blueprint("own", "test.own")

    @pages.get("/own/widget.js")
    @ViewOptions(reach="any")
    def script() -> str:
        return "script"

    pages.add_url_rule("/own/page", view_func=lambda: "page", methods=["GET", "POST"], endpoint="page")
    host.add_pages("own", pages)
    return app_of(host).test_client()


@pytest.mark.parametrize("path", ["/query", "/query-selection"])
def test_a_listed_page_asks_and_reads_the_answer(listed: FlaskClient, path: str) -> None:
    body = {"question": "q", **({"selection": "s"} if "selection" in path else {})}
    response = listed.post(path, json=body, headers=FROM_THE_BOOK)
    assert response.status_code == 200
    assert response.headers["Access-Control-Allow-Origin"] == BOOK
    assert "Origin" in response.headers["Vary"]
    assert "Access-Control-Allow-Credentials" not in response.headers
    assert response.headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_a_listed_page_can_read_what_went_wrong(listed: FlaskClient) -> None:
    response = listed.post("/query", json={"question": ""}, headers=FROM_THE_BOOK)
    assert response.status_code == 400
    assert response.mimetype == "application/problem+json"
    assert response.headers["Access-Control-Allow-Origin"] == BOOK


def test_a_preflight_is_answered_for_listed_pages_only(listed: FlaskClient, speaker: Speaker) -> None:
    asks = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    response = listed.options("/query", headers={**FROM_THE_BOOK, **asks})
    assert response.status_code == 200
    assert response.headers["Access-Control-Allow-Origin"] == BOOK
    assert "POST" in response.headers["Access-Control-Allow-Methods"]
    assert response.headers["Access-Control-Allow-Headers"] == "content-type"
    refused = listed.options("/query", headers={**FROM_THE_BOOK, **asks, "Origin": "https://evil.example"})
    assert refused.status_code == 403
    assert "Access-Control-Allow-Origin" not in refused.headers
    assert speaker.heard == []


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "http://book.example",
        "https://book.example:8443",
        "https://book.example.evil.example",
        "https://evil-book.example",
        "null",
        "",
        "*",
    ],
)
@pytest.mark.parametrize("fetch", [{}, {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}])
def test_a_page_that_is_not_listed_may_not_ask(
    listed: FlaskClient, speaker: Speaker, origin: str, fetch: dict[str, str]
) -> None:
    response = listed.post("/query", json={"question": "q"}, headers={"Origin": origin, **fetch})
    assert response.status_code == 403
    assert response.mimetype == "application/problem+json"
    assert "origins" in response.get_json()["detail"]
    assert "Access-Control-Allow-Origin" not in response.headers
    assert speaker.heard == []


def test_a_listed_page_reaches_nothing_but_the_assistants(listed: FlaskClient) -> None:
    for method, path in (("POST", "/own/page"), ("GET", "/own/page"), ("GET", "/health"), ("GET", "/")):
        response = listed.open(path, method=method, headers=FROM_THE_BOOK)
        assert response.status_code == 403, path
        assert "Access-Control-Allow-Origin" not in response.headers


def test_programs_ask_without_an_origin(listed: FlaskClient) -> None:
    response = listed.post("/query", json={"question": "q"})
    assert response.status_code == 200
    assert "Access-Control-Allow-Origin" not in response.headers


def test_a_form_of_a_listed_page_is_not_json(listed: FlaskClient, speaker: Speaker) -> None:
    assert listed.post("/query", data={"question": "q"}, headers=FROM_THE_BOOK).status_code == 415
    assert speaker.heard == []


def test_only_what_is_for_anybody_can_be_loaded_elsewhere(listed: FlaskClient) -> None:
    asks = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}
    script = listed.get("/own/widget.js", headers=asks)
    assert script.status_code == 200
    assert script.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert listed.get("/static/ragstone/chat.js", headers=asks).status_code == 403
    assert listed.get("/own/page", headers=asks).status_code == 403


@pytest.mark.parametrize(
    "origin", ["book.example", "https://book.example/", "https://book.example/docs", "ftp://x", "*", "null", "https://"]
)
def test_an_origin_that_is_none_is_an_error_of_the_settings(origin: str) -> None:
    with pytest.raises(ValidationError, match="is no origin"):
        WebSettings(origins=[origin])


def test_the_environment_gives_lists_with_commas() -> None:
    given: dict[str, Any] = {"origins": "https://a.example, http://b.example:81", "trusted_proxies": "10.0.0.0/8"}
    settings = WebSettings(**given)
    assert settings.origins == ["https://a.example", "http://b.example:81"]
    assert settings.trusted_proxies == ["10.0.0.0/8"]


def test_a_form_of_our_own_is_let_in_although_its_origin_is_not_named(listed: FlaskClient) -> None:
    assert listed.post("/own/page", headers={"Origin": "null", "Sec-Fetch-Site": "same-origin"}).status_code == 200
    assert listed.post("/own/page", headers={"Origin": "null", "Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert listed.post("/own/page", headers={"Origin": "null", "Sec-Fetch-Site": "none"}).status_code == 403
    assert listed.post("/own/page", headers={"Origin": "null"}).status_code == 403
