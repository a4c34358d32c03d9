"""The journal: what was appended is read, and its lock is not waited for without end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ragstone.core import StorageBusy
from ragstone.plugins.wiki_edge.planner import journal as module

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_appended_is_read_until_it_begins_anew(tmp_path: Path) -> None:
    journal = module.Journal(tmp_path / "x.journal")
    with journal.locked():
        journal.begin()
        for number in range(3):
            journal.append({"seq": number})
            assert [each["seq"] for each in journal.records()] == list(range(number + 1))
        journal.begin()
    assert journal.records() == []


def test_a_writer_does_not_wait_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LOCK_SECONDS", 0.05)
    path = tmp_path / "x.journal"
    with module.Journal(path).locked(), pytest.raises(StorageBusy), module.Journal(path).locked():
        pass
