from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Blueprint, Flask

from .conftest import Speaker, SpeakingHost

AppOf = Callable[[SpeakingHost], Flask]


def pages(name: str, *rules: str, method: str = "GET") -> Blueprint:
    blueprint = Blueprint(name, f"test.{name}")
    for number, rule in enumerate(rules):
        blueprint.add_url_rule(rule, f"page{number}", lambda **_: f"from {name}", methods=[method])
    return blueprint


def reason(host: SpeakingHost, plugin: str) -> str:
    state = next(state for state in host.plugins if state.name == plugin)
    assert state.state == "failed"
    assert state.reason
    return state.reason


def test_pages_of_plugins_are_served(host: SpeakingHost, app_of: AppOf) -> None:
    host.add_pages("one", pages("one", "/one/<path:rest>"))
    host.add_pages("two", pages("two", "/two/"))
    client = app_of(host).test_client()
    assert client.get("/one/a/b").text == "from one"
    assert client.get("/two/").text == "from two"
    assert {state.state for state in host.plugins} == {"loaded"}


@pytest.mark.parametrize(
    ("first", "second"), [("/x/<a>", "/x/<string:b>"), ("/x/<int:a>", "/x/<int:b>"), ("/x/", "/x/")]
)
def test_two_owners_of_one_address_are_both_named(host: SpeakingHost, app_of: AppOf, first: str, second: str) -> None:
    host.add_pages("one", pages("one", first))
    host.add_pages("two", pages("two", second, "/free"))
    host.add_pages("three", pages("three", "/three"))
    client = app_of(host).test_client()
    assert "plugin two and plugin one" in reason(host, "two")
    assert f"GET {second}" in reason(host, "two")
    assert client.get("/free").status_code == 404
    assert client.get("/three").text == "from three"


def test_ragstone_s_own_addresses_are_not_for_plugins(host: SpeakingHost, app_of: AppOf) -> None:
    host.add_pages("one", pages("one", "/health"))
    host.add_pages("two", pages("two", "/query", method="POST"))
    client = app_of(host).test_client()
    assert "ragstone's own pages" in reason(host, "one")
    assert "assistant book_chat" in reason(host, "two")
    assert client.get("/health").json is not None
    assert client.post("/query", json={"question": "q"}).json is not None


def test_two_blueprints_of_one_name_are_both_named(host: SpeakingHost, app_of: AppOf) -> None:
    host.add_pages("one", pages("same", "/one"))
    host.add_pages("two", pages("same", "/two"))
    client = app_of(host).test_client()
    assert reason(host, "two") == "plugin two and plugin one both name their blueprint 'same'"
    assert client.get("/one").status_code == 200


def test_a_blueprint_that_raises_costs_only_itself(host: SpeakingHost, app_of: AppOf) -> None:
    broken = pages("broken", "/broken")
    broken.record(lambda state: 1 / 0)  # type: ignore[arg-type]
    host.add_pages("broken", broken)
    host.add_pages("fine", pages("fine", "/fine"))
    client = app_of(host).test_client()
    assert "ZeroDivisionError" in reason(host, "broken")
    assert client.get("/fine").status_code == 200


def test_two_assistants_at_one_path_are_both_served(
    host: SpeakingHost, app_of: AppOf, speaker: Speaker, caplog: pytest.LogCaptureFixture
) -> None:
    other = type(speaker)(name="other", selection_path=None)
    host.hooks.assistants["other"] = other
    client = app_of(host).test_client()
    assert client.post("/query", json={"question": "q"}).status_code == 200
    assert client.post("/assistants/other/query", json={"question": "q"}).status_code == 200
    assert (len(speaker.heard), len(other.heard)) == (1, 1)
    assert "assistant other and assistant book_chat both want POST /query" in caplog.text
    assert 'data-endpoint="/assistants/other/query"' in client.get("/assistants/other/").text
