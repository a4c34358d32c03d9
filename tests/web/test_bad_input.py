from __future__ import annotations

import json
from typing import Any

import pytest
from flask.testing import FlaskClient

from .conftest import Speaker

AS_JSON = {"content_type": "application/json"}


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        pytest.param({"data": "{", **AS_JSON}, 400, id="not JSON"),
        pytest.param({"data": "", **AS_JSON}, 400, id="nothing"),
        pytest.param({"data": b"\xff\xfe{}", **AS_JSON}, 400, id="not UTF-8"),
        pytest.param({"data": '{"question": NaN}', **AS_JSON}, 400, id="NaN"),
        pytest.param({"data": '{"question": "\\ud800"}', **AS_JSON}, 400, id="half a surrogate"),
        pytest.param({"data": '{"question": "a", "question": "b"}', **AS_JSON}, 400, id="a key twice"),
        pytest.param({"data": "[" * 100_000, **AS_JSON}, 400, id="nested too deep"),
        pytest.param({"data": '{"top_k": ' + "9" * 5000 + "}", **AS_JSON}, 400, id="a number too long"),
        pytest.param({"json": ["question"]}, 400, id="no object"),
        pytest.param({"json": {}}, 400, id="no question"),
        pytest.param({"json": {"question": 3}}, 400, id="a number as the question"),
        pytest.param({"json": {"question": None}}, 400, id="null as the question"),
        pytest.param({"json": {"question": "q", "top_k": "3"}}, 400, id="text as a number"),
        pytest.param({"json": {"question": "q", "book": ["a"]}}, 400, id="a list as the book"),
        pytest.param({"json": {"question": "q", "bok": "a"}}, 400, id="unknown key"),
        pytest.param({"json": {"question": "q", "selection": "s"}}, 400, id="a selection where none belongs"),
        pytest.param({"json": {"question": " "}}, 400, id="empty question"),
        pytest.param({"json": {"question": "q", "book": "unknown"}}, 404, id="unknown book"),
        pytest.param({"json": {"question": "x" * 100_000}}, 413, id="100,000 characters"),
        pytest.param({"json": {"question": "x" * 1_000_001}}, 413, id="a body too large"),
        pytest.param({"data": '{"question": "q"}'}, 415, id="no content type"),
        pytest.param({"data": {"question": "q"}}, 415, id="a form"),
        pytest.param({"data": '{"question": "q"}', "content_type": "text/plain"}, 415, id="plain text"),
    ],
)
@pytest.mark.parametrize("accept", ["*/*", "text/event-stream"])
def test_bad_input_is_a_problem_and_no_error_of_ours(
    client: FlaskClient, request_: dict[str, Any], status: int, accept: str
) -> None:
    response = client.post("/query", headers={"Accept": accept}, **request_)
    assert response.status_code == status, response.text
    assert response.mimetype == "application/problem+json"
    problem = json.loads(response.text)
    assert problem["status"] == status
    assert problem["title"]
    assert problem["detail"]
    assert "Traceback" not in response.text


def test_a_selection_is_required_where_it_belongs(client: FlaskClient, speaker: Speaker) -> None:
    assert client.post("/query-selection", json={"question": "q"}).status_code == 400
    assert speaker.heard == []


def test_methods_and_addresses_that_do_not_exist(client: FlaskClient) -> None:
    wrong_method = client.get("/query")
    assert wrong_method.status_code == 405
    assert "POST" in wrong_method.headers["Allow"]
    assert client.get("/nowhere").status_code == 404
    assert client.post("/assistants/nobody/query", json={"question": "q"}).status_code == 404
    assert client.get("/assistants/nobody/").status_code == 404


def test_a_browser_reads_a_page_where_a_program_reads_a_problem(client: FlaskClient) -> None:
    page = client.get("/nowhere", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert (page.status_code, page.mimetype) == (404, "text/html")
    assert "There is no such page here" in page.text
    for accept in ("*/*", "application/json"):
        problem = client.get("/nowhere", headers={"Accept": accept})
        assert (problem.status_code, problem.mimetype) == (404, "application/problem+json")
