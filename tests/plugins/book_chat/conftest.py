"""A host whose readers and plans of books many tests use."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ragstone.core import Host
from ragstone.core.testing import open_host
from ragstone.plugins.book_chat import Shelf


@pytest.fixture(scope="session")
def reading_host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """An open host for tests that store nothing."""
    with open_host(tmp_path_factory.mktemp("reading")) as host:
        yield host


@pytest.fixture
def planning(reading_host: Host) -> Shelf:
    """An empty shelf, for tests that plan a book and do not add it."""
    return Shelf(reading_host)


@pytest.fixture
def shelf(fast_host: Host) -> Shelf:
    """An empty shelf."""
    return Shelf(fast_host)
