from __future__ import annotations

from importlib import metadata
from typing import cast

from flask.testing import FlaskClient

from ragstone.core import Host, StorageDenied
from ragstone.web import create_app

from .conftest import SpeakingHost


def test_health_says_what_there_is(client: FlaskClient) -> None:
    response = client.get("/health")
    assert response.status_code == 200
    assert response.headers["Cache-Control"] == "no-store"
    assert response.get_json() == {
        "status": "ok",
        "version": metadata.version("ragstone"),
        "plugins": [{"name": "book_chat", "version": "1.0", "state": "loaded", "reason": None}],
        "corpora": [{"name": "book_chat", "documents": 6, "chunks": 91}],
        "checks": [{"name": "catalog", "ok": True, "fatal": True, "detail": ""}],
    }


def test_a_failed_plugin_or_check_is_reported_and_the_rest_serves(client: FlaskClient, host: SpeakingHost) -> None:
    host.plugins.disable("book_chat", "it raised")
    host.results[0].fatal = False
    host.results[0].ok = False
    response = client.get("/health")
    assert response.status_code == 200
    assert response.get_json()["plugins"][0]["reason"] == "it raised"
    assert response.get_json()["checks"][0]["ok"] is False
    assert "mend" not in response.get_json()["checks"][0]


def test_a_check_tells_what_mends_it_and_its_first_line_alone(client: FlaskClient, host: SpeakingHost) -> None:
    host.results[0].detail = "not found\n  - nothing in /secret/place"
    host.results[0].mend = "pip install it"
    response = client.get("/health")
    (check,) = response.get_json()["checks"]
    assert (check["detail"], check["mend"]) == ("not found", "pip install it")


def test_a_fatal_check_is_503_with_its_reason(client: FlaskClient, host: SpeakingHost) -> None:
    host.results[0].ok = False
    host.results[0].detail = "cannot be read"
    response = client.get("/health")
    assert response.status_code == 503
    assert (response.get_json()["status"], response.get_json()["reason"]) == ("unavailable", "catalog: cannot be read")


def test_storage_that_fails_is_503_with_its_reason(client: FlaskClient, host: SpeakingHost) -> None:
    host.broken = StorageDenied("the data folder may not be read", where="/secret/place")
    response = client.get("/health")
    assert response.status_code == 503
    assert response.get_json()["reason"] == "the data folder may not be read"
    assert "/secret/place" not in response.text


def test_people_get_a_page_and_programs_json(client: FlaskClient, host: SpeakingHost) -> None:
    page = {"Accept": "text/html,application/xhtml+xml"}
    found = client.get("/health", headers=page)
    assert (found.status_code, found.mimetype, "Accept" in found.vary) == (200, "text/html", True)
    assert "All is well" in found.text
    assert "6 documents, 91 passages" in found.text
    assert "<details" in found.text.partition("91 passages")[2]  # and what only its administrator understands
    assert " open>" not in found.text
    for accept in ("*/*", "application/json", ""):
        assert client.get("/health", headers={"Accept": accept}).mimetype == "application/json"
    host.results[0].ok, host.results[0].fatal, host.results[0].detail = False, False, "it is <slow>"
    host.plugins.disable("book_chat", "it <raised>")
    later = create_app(cast("Host", host)).test_client().get("/health", headers=page)
    assert later.status_code == 200
    said, _open, parts = later.text.partition('<details class="panel" open>')
    assert "not all is well" in said
    for words in ("it is &lt;slow&gt;", "it &lt;raised&gt;"):
        assert words in parts
    host.results[0].fatal = True
    down = create_app(cast("Host", host)).test_client().get("/health", headers=page)
    assert down.status_code == 503
    assert "Nothing can be answered right now" in down.text
