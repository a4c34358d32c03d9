from __future__ import annotations

import os
import socket
from pathlib import Path

import psutil
import pytest

from ragstone.core import SourceError, StorageBusy
from ragstone.core.runtime import file_lock, open_regular, write_atomically


def test_a_regular_file_is_opened_also_behind_a_link_unless_that_is_not_wanted(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"words")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    for path in (tmp_path / "file", tmp_path / "link"):
        with open_regular(path, 5) as file:
            assert file.read() == b"words"
    with pytest.raises(SourceError, match="has 5 bytes, more than 4"):
        open_regular(tmp_path / "file", 4)
    with pytest.raises(SourceError, match="cannot be read"):
        open_regular(tmp_path / "link", follow_links=False)


def test_what_is_no_regular_file_neither_blocks_nor_stays_open(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    before = psutil.Process().num_fds()
    for name in ("pipe", "folder", "missing", "nul\0", "x" * 999):
        with pytest.raises(SourceError, match=r"is not a file|cannot be read"):
            open_regular(tmp_path / name)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        with pytest.raises(SourceError, match="cannot be read"):
            open_regular(tmp_path / "socket")
    assert psutil.Process().num_fds() == before


def test_a_lock_that_is_held_is_named_with_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with file_lock(path, "it is being written"):
        with pytest.raises(StorageBusy, match="it is being written") as error, file_lock(path, "it is being written"):
            pass
        assert error.value.where == str(tmp_path)
    with pytest.raises(ValueError, match="a fault"), file_lock(path, ""):
        raise ValueError("a fault")
    with file_lock(path, ""):
        pass


def test_writing_leaves_nothing_beside(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a", b"1")
    write_atomically(tmp_path / "a", b"2")
    with pytest.raises(OSError):
        write_atomically(tmp_path / "missing" / "a", b"3")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError):
        write_atomically(tmp_path / "folder", b"3")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "folder"]
    assert (tmp_path / "a").read_bytes() == b"2"
