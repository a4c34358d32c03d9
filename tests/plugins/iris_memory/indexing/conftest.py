from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragstone.plugins.iris_memory import Memory
from tests.plugins.iris_memory.memories import open_memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_memory(tmp_path) as found:
        yield found


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir(exist_ok=True)
    return tmp_path / "home"
