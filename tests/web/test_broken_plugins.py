"""A plugin that fails in any way is named, and the others serve."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from ragstone.core import Host, PluginState, Settings
from ragstone.core.diagnostics.parts import plugin_checks, try_hooks
from ragstone.core.settings import LimitsSettings
from ragstone.web import create_app
from ragstone.web.keys.access import EVERYTHING
from ragstone.web.mcp.tools import called, offers
from tests.support.third_party_fakes import Here, add_book, distribution, fast_models, run, write_pages

from .broken_plugins import PLUGINS, Broken

NAME = "aaa_broken"  # before all others
#: Left out: they take time, and have no part in this.
OFF = ["concept_tutor", "iris_memory", "wiki_edge"]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a book, filled through hosts whose imports the tests need not wait for."""
    folder = tmp_path_factory.mktemp("shelf")
    text = "# Wheels\n\nA caster is a wheel that swivels about a vertical axis.\n"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(fast_models(folder / "site")))
        with Host(settings(folder / "data").model_copy(update={"limits": LimitsSettings()})) as host:
            host.start()
            add_book(host, write_pages(folder / "small", {"01-wheels.md": text}))
            assert_serves(create_app(host).test_client())
            _ = host.hooks.readers, host.hooks.tools, host.checks()
    return folder / "data"


def settings(data: Path) -> Settings:
    return Settings(
        data_dir=data,
        index={"store": "none"},
        plugins={"disabled": OFF},
        limits={"hook_seconds": 1, "import_seconds": 1},
    )


def assert_serves(client: FlaskClient) -> None:
    answer = client.post("/query", json={"question": "What is a caster wheel?"})
    assert answer.status_code == 200
    assert answer.get_json()["answer"].startswith("A caster is a wheel that swivels")
    for page in ("/", "/book_chat/", "/openapi.json"):
        assert client.get(page).status_code == 200, page
    assert client.get("/no-such-page").status_code == 404


def state_of(host: Host) -> PluginState:
    return next(state for state in host.plugins if state.name == NAME)


def is_seen_with_others(broken: Broken) -> bool:
    """Whether it fails the same however many others fail beside it, and at once."""
    return broken.at_a_look and not broken.by and not broken.is_slow


def fail(broken: Broken, host: Host, client: FlaskClient, here: Here) -> None:
    """Do what makes it fail, and see that whoever asked hears whose fault it is."""
    if broken.by == "page":
        for kind in ("application/json", "text/html"):
            response = client.get("/broken/", headers={"Accept": kind})
            assert response.status_code == 500
            assert NAME in response.text
    elif broken.by == "assistant":
        response = client.post("/assistants/broken/query", json={"question": "What is a caster?"})
        assert response.status_code == 500
        assert NAME in response.text
    elif broken.by == "tool":
        result = called(offers(host, EVERYTHING)["broken"], {}, lambda text: None)
        assert result.failed
        assert NAME in result.text
    elif broken.by == "command":
        ended = here("broken")
        assert ended.code == 1
        assert f"the command broken of the plugin {NAME} was ended by sys.exit" in ended.line
    elif broken.by == "help":
        ended = here("--help")
        assert ended.code == 0
        assert "serve" in ended.out
        assert "  broken " not in ended.out


@pytest.mark.parametrize("name", [name for name, broken in PLUGINS.items() if not is_seen_with_others(broken)])
def test_a_plugin_that_fails_is_named_and_the_others_serve(
    name: str, shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: Here
) -> None:
    broken = PLUGINS[name]
    site = fast_models(tmp_path / "site")
    distribution(site, "aaa-broken", broken.code, plugin=NAME)
    monkeypatch.syspath_prepend(str(site))
    data = shutil.copytree(shelf, tmp_path / "data")
    monkeypatch.setenv("RAGSTONE_DATA_DIR", str(data))
    host = Host(settings(data))
    try:
        host.start()
        client = create_app(host).test_client()
        assert_serves(client)
        try_hooks(host)
        list(plugin_checks(host))
        fail(broken, host, client, here)
        assert_serves(client)
        health = client.get("/health")
        assert health.status_code == 200
        report = {each["name"]: each for each in health.get_json()["plugins"]}
        others = {each["state"] for each in report.values() if each["name"] in {"book_chat", "fast_models", "web"}}
        assert others == {"loaded"}
    finally:
        host.close()
    state = state_of(host)
    if broken.by not in {"command", "help"}:
        assert state.state == broken.state
        assert broken.reason in (state.reason or "")
        assert len(state.reason or "") < 500
        if broken.by != "close":
            assert (report[NAME]["state"], report[NAME]["reason"]) == (state.state, state.reason)


def test_all_at_once_are_listed_and_the_others_serve(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: Here
) -> None:
    site = fast_models(tmp_path / "site")
    all_of_them = {f"aaa_{number}": broken for number, broken in enumerate(PLUGINS.values())}
    for name, broken in all_of_them.items():
        if not broken.is_slow:  # one second each
            distribution(site, name.replace("_", "-"), broken.code, plugin=name)
    monkeypatch.syspath_prepend(str(site))
    data = shutil.copytree(shelf, tmp_path / "data")
    monkeypatch.setenv("RAGSTONE_DATA_DIR", str(data))
    ended = here("plugins", "--json")
    assert ended.code == 0
    listed = {each["name"]: each for each in json.loads(ended.out)}
    for name, broken in all_of_them.items():
        if broken.at_a_look and broken.by != "close" and not broken.is_slow:
            assert listed[name]["state"] == broken.state
            assert broken.reason.replace(NAME, name) in listed[name]["reason"]
            assert f"plugin {name} is disabled: " in ended.err
    assert "Traceback" not in ended.err
    assert {listed[name]["state"] for name in ("book_chat", "fast_models", "web")} == {"loaded"}
    asked = here("ask", "book_chat", "What is a caster wheel?")
    assert (asked.code, asked.out[:19]) == (0, "A caster is a wheel")
    with Host(settings(data)) as host:
        host.start()
        client = create_app(host).test_client()
        assert_serves(client)
        try_hooks(host)
        list(plugin_checks(host))
        assert_serves(client)
        report = {each["name"]: each for each in client.get("/health").get_json()["plugins"]}
    for name, broken in all_of_them.items():
        if is_seen_with_others(broken):
            assert report[name]["state"] == broken.state
            assert broken.reason.replace(NAME, name) in report[name]["reason"]
            assert len(report[name]["reason"]) < 500
    assert {report[name]["state"] for name in ("book_chat", "fast_models", "web")} == {"loaded"}


def test_there_are_many_ways() -> None:
    assert len(PLUGINS) > 80


def test_a_question_of_the_command_line_is_answered_without_what_exits(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a process of its own, as people have it: ``sys.exit`` in a postprocessor ended it without a word."""
    site = fast_models(tmp_path / "site")
    distribution(site, "aaa-broken", PLUGINS["a postprocessor exits"].code, plugin=NAME)
    data = shutil.copytree(shelf, tmp_path / "data")
    monkeypatch.setenv("RAGSTONE_DATA_DIR", str(data))
    ended = run("ask", "book_chat", "What is a caster wheel?", site=site)
    assert (ended.code, ended.out[:19]) == (0, "A caster is a wheel")
    assert f"plugin {NAME} is disabled: Mine raised SystemExit(0)" in ended.err
    assert "Traceback" not in ended.err
    assert str(sys.executable) not in ended.err
