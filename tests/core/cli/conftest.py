"""The command in the tests' own process, with fast models."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.support.third_party_fakes import Here, fast_models


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plugin of fast models, for processes. One folder for all: installed plugins are read once."""
    return fast_models(tmp_path_factory.mktemp("site"))


@pytest.fixture
def here(site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    monkeypatch.syspath_prepend(str(site))
    return Here(capsys)


@pytest.fixture
def with_book(here: Here, small_book: Path, tmp_path_factory: pytest.TempPathFactory) -> Here:
    """The command, with a book on the shelf, which is stored once for all tests of a process."""
    stored = tmp_path_factory.getbasetemp() / "with-book"
    if stored.exists():
        shutil.copytree(stored, os.environ["RAGSTONE_DATA_DIR"])
    else:
        assert here("book", "add", str(small_book), "--title", "Robot parts").code == 0
        shutil.copytree(os.environ["RAGSTONE_DATA_DIR"], stored)
    return here
