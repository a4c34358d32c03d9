"""Files that are missing: deleted ones are removed, those on a disk that is not mounted are not."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragstone.core import Check, SourceError
from ragstone.plugins.iris_memory import Memory, update_memory_for_file
from tests.plugins.iris_memory.memories import chunk_texts, open_memory, write

_NOBODY = 65_534


def notes(home: Path, *paths: str) -> None:
    for path in paths:
        write(home, path, f"The note {path} tells of kettles.")


def check_of(memory: Memory) -> Check:
    return next(check for check in memory.host.checks() if check.name == "memory")


def unmount(folder: Path) -> Path:
    """An empty folder in its place, as a mount point is without its disk."""
    away = folder.with_name(f"{folder.name}-away")
    folder.rename(away)
    folder.mkdir()
    return away


def mount(away: Path, folder: Path) -> None:
    folder.rmdir()
    away.rename(folder)


def test_an_empty_root_removes_nothing_until_that_is_confirmed(memory: Memory, home: Path) -> None:
    notes(home, *(f"{number}.md" for number in range(15)))
    memory.update()
    away = unmount(home)
    for report in (memory.update(), memory.update_in_full(), memory.update_file("3.md"), memory.update_file(".")):
        assert (report.removed, report.changed) == ([], False)
        assert "the folder to remember is empty" in str(report.missing[0])
        assert len(chunk_texts(memory)) == 15
    assert len(memory.update().missing[0].files) == 15
    assert update_memory_for_file(home / "3.md", host=memory.host) is False
    status = memory.status()
    assert (status.waiting, len(status.missing[0].files)) == ([], 15)
    check = check_of(memory)
    assert (check.ok, check.detail) == (False, "the folder to remember is empty")
    mount(away, home)
    assert memory.update().unchanged == 15
    assert check_of(memory).ok
    unmount(home)
    report = memory.update(prune=True)
    assert (len(report.removed), report.missing, chunk_texts(memory)) == (15, [], {})
    assert check_of(memory).ok


@pytest.mark.parametrize("instead", ["nothing", "a file", "a link to nothing"])
def test_a_root_that_is_no_folder_is_an_error(memory: Memory, home: Path, instead: str) -> None:
    notes(home, "a.md")
    memory.update()
    home.rename(home.with_name("away"))
    if instead == "a file":
        home.write_text("no folder")
    elif instead == "a link to nothing":
        home.symlink_to(home.with_name("nowhere"))
    for prune in (False, True):
        with pytest.raises(SourceError, match="the folder to remember is not there"):
            memory.update(prune=prune)
    assert set(chunk_texts(memory)) == {"a.md"}


def test_a_root_behind_a_link_to_a_disk_that_is_away(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    notes(disk, "a.md", "b/c.md")
    (tmp_path / "home").symlink_to(disk)
    with open_memory(tmp_path) as memory:
        memory.update()
        away = unmount(disk)
        assert (memory.update().removed, len(chunk_texts(memory))) == ([], 2)
        mount(away, disk)
        assert memory.update().unchanged == 2


def test_a_folder_that_turns_up_empty(memory: Memory, home: Path) -> None:
    notes(home, "a.md", "b.md", "c.md", "d.md", "disk/only.md", "other/deep/e.md", "other/deep/f.md")
    memory.update()
    for folder, files in (("disk", ["disk/only.md"]), ("other", ["other/deep/e.md", "other/deep/f.md"])):
        away = unmount(home / folder)
        away.rename(home.with_name(folder))
        report = memory.update()
        assert (report.removed, [(each.folder, each.files) for each in report.missing]) == ([], [(folder, files)])
        assert memory.update_file(files[0]).removed == []
        mount(home.with_name(folder), home / folder)
        assert memory.update().missing == []
    (home / "other" / "deep" / "e.md").unlink()
    (home / "other" / "deep" / "f.md").unlink()
    assert memory.update().removed == []
    assert len(chunk_texts(memory)) == 7


def test_what_is_deleted_one_by_one_or_with_its_folder_is_removed(memory: Memory, home: Path) -> None:
    notes(home, "a.md", "b.md", "c.md", "d.md", "one/e.md", "two/deep/f.md", "two/deep/g.md")
    memory.update()
    (home / "one" / "e.md").unlink()
    assert memory.update().removed == ["one/e.md"], "the last file of a folder that is still the same"
    shutil.rmtree(home / "two" / "deep")
    assert memory.update().removed == ["two/deep/f.md", "two/deep/g.md"]
    (home / "a.md").unlink()
    (home / "b.md").unlink()
    assert memory.update_file("b.md").removed == ["b.md"]
    assert memory.update().removed == ["a.md"]


def test_more_than_half_at_once_is_asked_about_however_much_is_new(memory: Memory, home: Path) -> None:
    notes(home, *(f"old/{number}.md" for number in range(6)), *(f"more/{number}.md" for number in range(4)))
    memory.update()
    shutil.rmtree(home / "old")
    notes(home, *(f"new/{number}.md" for number in range(20)))
    report = memory.update()
    assert (report.removed, len(report.added)) == ([], 20)
    assert str(report.missing[0]) == "6 files not removed: 6 of 10 files are gone at once"
    assert report.missing[0].prunable
    report = memory.update()
    assert (report.removed, len(report.missing[0].files)) == ([], 6)
    check = check_of(memory)
    assert (check.ok, check.detail) == (False, "6 files missing or unreadable, and not removed")
    notes(home, "old/0.md")
    (home / "more" / "0.md").unlink()
    report = memory.update()
    assert (report.removed, len(report.missing[0].files)) == (["more/0.md"], 5)
    report = memory.update(prune=True)
    assert (len(report.removed), report.missing) == (5, [])
    assert memory.update().changed is False
    assert check_of(memory).ok


def test_half_and_few_files_are_not_asked_about(memory: Memory, home: Path) -> None:
    notes(home, *(f"x/{number}.md" for number in range(5)), *(f"y/{number}.md" for number in range(5)))
    memory.update()
    shutil.rmtree(home / "x")
    assert len(memory.update().removed) == 5
    for number in (0, 1, 2):
        (home / "y" / f"{number}.md").unlink()
    assert len(memory.update().removed) == 3


def test_what_is_moved_or_left_out_by_the_settings_is_not_missing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    notes(home, *(f"inbox/{number}.md" for number in range(8)))
    with open_memory(tmp_path) as memory:
        memory.update()
        (home / "archive").mkdir()
        for file in (home / "inbox").iterdir():
            file.rename(home / "archive" / file.name)
        report = memory.update()
        assert (len(report.removed), len(report.added), report.missing) == (8, 8, [])
    with open_memory(tmp_path, exclude=["archive"]) as memory:
        assert len(memory.update().removed) == 8


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A folder for a user to whom permissions apply, as they do not apply to root."""
    root, user = os.geteuid() == 0, _NOBODY
    with tempfile.TemporaryDirectory() as folder:
        if root:
            os.chown(folder, user, user)
            os.seteuid(user)
        try:
            yield Path(folder)
        finally:
            if root:
                os.seteuid(0)


@pytest.mark.parametrize("mode", [0o000, 0o400, 0o300])
def test_a_folder_or_file_that_may_not_be_read_any_more(unprivileged: Path, mode: int) -> None:
    home = unprivileged / "home"
    notes(home, "a.md", "deep/secret/b.md", "deep/c.md", "d.md", "deep/secret/e.md", "f.md")
    with open_memory(unprivileged) as memory:
        memory.update()
        everything = chunk_texts(memory)
        for place, count in ((home / "deep" / "secret", 2), (home / "deep", 3), (home, 6)):
            place.chmod(mode)
            for prune in (False, True):
                report = memory.update(prune=prune)
                assert (report.removed, sum(len(each.files) for each in report.missing)) == ([], count)
                assert "Permission denied" in str(report.missing[0])
                assert memory.update_file("deep/secret/b.md", prune=prune).removed == []
            assert check_of(memory).ok is False
            assert memory.status().waiting == []
            place.chmod(0o700)
            assert memory.update().missing == []
        (home / "a.md").chmod(0)
        report = memory.update()
        assert [str(each) for each in report.missing] == ["a.md not removed: cannot be read: Permission denied"]
        assert chunk_texts(memory) == everything
        (home / "a.md").unlink()
        assert memory.update().removed == ["a.md"]
