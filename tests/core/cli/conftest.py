"""The command in the tests' own process, with fast models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.third_party_fakes import Here, fast_models

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plugin of fast models, for processes. One folder for all: installed plugins are read once."""
    return fast_models(tmp_path_factory.mktemp("site"))


@pytest.fixture
def here(site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    monkeypatch.syspath_prepend(str(site))
    return Here(capsys)


@pytest.fixture
def with_book(here: Here, small_book: Path) -> Here:
    """The command, with a book on the shelf."""
    assert here("book", "add", str(small_book), "--title", "Robot parts").code == 0
    return here
