"""``/openapi.json`` describes what there is, and what there is keeps to it, whatever is sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings

from ragstone.web import create_app
from tests.support.needs import needed

from .conftest import wheels_host

schemathesis = needed("schemathesis")
checks = needed("schemathesis.specs.openapi.checks")
KEY = "a key of enough characters"
HEALTH_CHECKS = list(HealthCheck)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    folder = tmp_path_factory.mktemp("described")
    with pytest.MonkeyPatch.context() as patch, wheels_host(folder, max_upload_bytes=100_000) as host:
        patch.setenv("RAGSTONE_ADMIN_KEY", KEY)
        yield create_app(host)


@pytest.mark.slow
def test_every_answer_is_as_described(app: Flask) -> None:
    schema = schemathesis.openapi.from_wsgi("/openapi.json", app)
    operations = [found.ok() for found in schema.get_all_operations()]
    assert {operation.label for operation in operations} >= {"POST /query", "POST /api/books"}
    for operation in operations:

        @given(case=operation.as_strategy())
        @settings(max_examples=50, deadline=None, derandomize=True, database=None, suppress_health_check=HEALTH_CHECKS)
        def check(case: Any) -> None:
            # a book that is made up is none, and no schema can say whose the last message must be
            free = case.media_type == "multipart/form-data" or case.path in {"/v1/chat/completions", "/mcp"}
            left_out = [checks.positive_data_acceptance] if free else []
            # schemathesis reads no compressed answer of a WSGI app
            headers = {"Authorization": f"Bearer {KEY}", "Accept-Encoding": "identity"}
            case.call_and_validate(headers=headers, excluded_checks=left_out)

        check()


def test_everything_that_programs_use_is_described(app: Flask) -> None:
    result = app.test_client().get("/openapi.json").get_json()
    assert result["openapi"] == "3.1.0"
    described = {f"{method.upper()} {path}" for path, methods in result["paths"].items() for method in methods}
    assistants = {each for each in described if each.startswith("POST /assistants/")}
    assert "POST /assistants/wiki_edge/query" in assistants
    assert described - assistants == {
        "GET /health",
        "GET /openapi.json",
        "GET /v1/models",
        "GET /v1/models/{name}",
        "POST /v1/chat/completions",
        "POST /v1/embeddings",
        "POST /mcp",
        "POST /query",
        "POST /query-selection",
        "GET /api/books",
        "POST /api/books",
        "DELETE /api/books/{slug}",
        "GET /api/books/jobs",
        "GET /api/books/queue",
        "GET /api/books/jobs/{job_id}/events",
    }
    changing = {
        rule.rule for rule in app.url_map.iter_rules() if (rule.methods or set()) & {"POST", "PUT", "PATCH", "DELETE"}
    }
    # what their own pages alone send
    forms = {"/formulas", "/sign-in", "/sign-out", "/assistants/<name>/", "/book_chat/"}
    pages = ("/concept_tutor/", "/book_chat/books/")
    changing = {rule for rule in changing - forms if not rule.startswith(pages)}
    assert {path.replace("{", "<").replace("}", ">") for path in result["paths"]} >= changing
    asked = result["paths"]["/query"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert set(asked["properties"]) >= {"question", "top_k", "history", "book"}
    assert asked["properties"]["setting"]["enum"] == ["simulation", "hardware"]
    assert set(result["paths"]["/query-selection"]["post"]["responses"]) >= {"200", "400", "403", "413", "415", "429"}
    asked = result["paths"]["/assistants/wiki_edge/query"]["post"]["requestBody"]["content"]["application/json"][
        "schema"
    ]
    assert set(asked["properties"]) == {"question", "top_k", "history", "domain", "language"}
    assert result["paths"]["/api/books"]["get"]["security"] == [{"adminKey": []}]
