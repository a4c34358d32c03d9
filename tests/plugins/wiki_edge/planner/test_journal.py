"""The journal is read on from where it was read to, and from its beginning where it is another file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ragstone.core import StorageBusy
from ragstone.plugins.wiki_edge.planner import journal as journal_module
from ragstone.plugins.wiki_edge.planner.journal import Journal

if TYPE_CHECKING:
    from pathlib import Path


def test_a_new_journal_with_the_inode_of_an_old_one_is_read_from_its_beginning(tmp_path: Path) -> None:
    place, other = tmp_path / "x.journal", tmp_path / "newer.journal"
    writer = Journal(place)
    writer.append({"seq": 1})
    reader = Journal(place)
    assert reader.records() == [{"seq": 1}]
    newer = Journal(other)
    newer.begin()
    for seq in (2, 3):
        newer.append({"seq": seq})
    inode = place.stat().st_ino
    place.write_bytes(other.read_bytes())  # what the file system does when it gives the number out again
    assert place.stat().st_ino == inode
    assert reader.records() == [{"seq": 2}, {"seq": 3}]


def test_a_journal_is_read_on_from_where_it_was(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "x.journal")
    with journal.locked():
        journal.begin()
        for number in range(3):
            journal.append({"seq": number})
            assert [each["seq"] for each in journal.records()] == list(range(number + 1))
        journal.begin()
    assert journal.records() == []


def test_a_writer_does_not_wait_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "_LOCK_SECONDS", 0.05)
    path = tmp_path / "x.journal"
    with Journal(path).locked(), pytest.raises(StorageBusy), Journal(path).locked():
        pass
