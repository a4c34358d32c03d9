"""The front over a real host: what plugins do wrong shows in ``/health``, and the rest serves."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from flask import Blueprint

from ragstone.core import Host, hookimpl
from ragstone.web import create_app


def plugin(name: str, pages: Callable[[Host], Any]) -> ModuleType:
    module = ModuleType(name)
    module.ragstone_pages = hookimpl(pages)  # type: ignore[attr-defined]
    return module


def page(name: str, rule: str) -> ModuleType:
    def ragstone_pages(host: Host) -> Blueprint:
        pages = Blueprint(name, f"test.{name}")
        pages.add_url_rule(rule, "page", lambda: f"from {name}")
        return pages

    return plugin(name, ragstone_pages)


def raising(host: Host) -> Any:
    raise RuntimeError("no pages today")


def exiting(host: Host) -> Any:
    raise SystemExit(3)


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


def test_what_plugins_do_wrong_is_reported_and_the_others_serve() -> None:
    given: dict[str, object] = {
        "first": page("first", "/first/"),
        "raises": plugin("raises", raising),
        "exits": plugin("exits", exiting),
        "greedy": page("greedy", "/health"),
        "late": page("late", "/first/"),
        "last": page("last", "/last/"),
    }
    with Host.open(plugins=given) as host:
        client = create_app(host).test_client()
        report = client.get("/health").json
        assert report is not None
        reasons = {p["name"]: p["reason"] for p in report["plugins"] if p["state"] == "failed"}
        assert "no pages today" in reasons["raises"]
        assert "SystemExit" in reasons["exits"]
        assert reasons["greedy"] == "plugin greedy and ragstone's own pages both want GET /health"
        assert reasons["late"] == "plugin late and plugin first both want GET /first/"
        assert client.get("/first/").text == "from first"
        assert client.get("/last/").text == "from last"
        assert client.get("/").status_code == 200


def test_health_says_what_to_do_after_the_data_folder_was_removed(tmp_path: Path) -> None:
    with Host.open() as host:
        _ = host.catalog
        shutil.rmtree(tmp_path / "data")
        response = create_app(host).test_client().get("/health")
    assert response.status_code == 503
    said = "catalog: is not a readable database: the file is gone (restore it from a backup, then start again)"
    assert said in response.get_json()["reason"]


def test_health_of_a_host_says_its_version() -> None:
    with Host.open() as host:
        report = create_app(host).test_client().get("/health").json
        assert report is not None
        assert report["version"] == metadata.version("ragstone")
        assert "web" in {p["name"] for p in report["plugins"]}


def test_the_settings_reach_the_app(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_PLUGINS__WEB__ALLOWED_HOSTS", "books.example, b.example")
    with Host.open() as host:
        client = create_app(host).test_client()
        assert client.get("/", headers={"Host": "books.example"}).status_code == 200
        assert client.get("/", headers={"Host": "other.example"}).status_code == 421
