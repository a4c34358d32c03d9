"""One server for all of the suites, with one book and the plugin of the scenarios."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ragstone.core import Host
from ragstone.core.testing import open_host
from ragstone.web import create_app
from ragstone.web.settings import WebSettings
from tests.conformance.fixture_plugin import FixturePlugin
from tests.support.third_party_fakes import add_book
from tests.web.conftest import running

BOOK = """# Wheels

## Casters

A caster is a wheel that swivels about a vertical axis. Casters give no traction.

## Drive wheels

A drive wheel is a wheel that a motor turns. Two drive wheels and one caster make a small robot steerable.

## Omni wheels

An omni wheel is a wheel with small rollers around its rim. The rollers let it slide sideways.
"""


@contextmanager
def shelf_host(folder: Path) -> Iterator[Host]:
    """A host with one book and the plugin of the scenarios."""
    (folder / "wheels.md").write_text(BOOK, "utf-8")
    options = {"book_chat": {"sample": False}, "web": {"requests_per_minute": 0}}
    with open_host(folder, options=options, plugins={"fixtures": FixturePlugin()}) as opened:
        add_book(opened, folder / "wheels.md")
        yield opened


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with shelf_host(tmp_path_factory.mktemp("conformance")) as opened:
        yield opened


@pytest.fixture(scope="session")
def url(host: Host) -> Iterator[str]:
    """The server's address, with a slash at its end."""
    with running(create_app(host), host.hooks.options(WebSettings)) as address:
        yield address
