"""The lock of a journal is not waited for without end; what it holds is tested with the memories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ragstone.core import StorageBusy
from ragstone.plugins.wiki_edge.planner import journal as module

if TYPE_CHECKING:
    from pathlib import Path


def test_a_writer_does_not_wait_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LOCK_SECONDS", 0.05)
    path = tmp_path / "x.journal"
    with module.Journal(path).locked(), pytest.raises(StorageBusy), module.Journal(path).locked():
        pass
