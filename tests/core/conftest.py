"""What several packages' tests have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragstone.core.catalog import Catalog
from tests.support import llm_server, postgresql


@pytest.fixture
def server() -> Iterator[llm_server.Server]:
    """A running server of a language model."""
    with llm_server.Server() as running:
        yield running


@pytest.fixture
def url(postgresql: postgresql.Server) -> Iterator[str]:
    """The setting ``database`` of an empty catalog in PostgreSQL."""
    with postgresql.emptied() as name:
        yield postgresql.url(name)


@pytest.fixture
def catalog(tmp_path: Path, database: str | None) -> Iterator[Catalog]:
    """An empty catalog in each kind of database."""
    opened = Catalog(database, tmp_path)
    yield opened
    opened.close()
