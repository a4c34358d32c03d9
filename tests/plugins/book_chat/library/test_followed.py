"""Followed folders: what comes, changes and goes in them, and what is left alone on the shelf."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragstone.core import SourceError, StorageBusy
from ragstone.core.ingestion import IngestProgress
from ragstone.plugins.book_chat import Shelf
from ragstone.plugins.book_chat.library import followed
from tests.plugins.book_chat.epubs import PACKAGE, make_epub
from tests.support.third_party_fakes import Here, write_pages

Follow = Callable[..., followed.FollowedFolder]

CASTERS = "# Casters\n\nA caster is a wheel that swivels about a vertical axis.\n"
ARMS = {"01.md": "# Arms\n\nAn arm has seven joints.\n", "02.md": "# Hands\n\nA hand has five fingers.\n"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(followed, "SETTLE", 0.0)
    (tmp_path / "library").mkdir()
    return tmp_path / "library"


@pytest.fixture
def follow(shelf: Shelf, folder: Path, tmp_path: Path) -> Iterator[Follow]:
    opened: list[followed.FollowedFolder] = []

    def start(mode: Any = "each") -> followed.FollowedFolder:
        while opened:
            opened.pop().close()
        opened.append(followed.FollowedFolder(shelf, folder, tmp_path / "data", mode))
        return opened[0]

    yield start
    for each in opened:
        each.close()


def run(
    follower: followed.FollowedFolder, on_progress: Callable[[IngestProgress], None] | None = None
) -> list[tuple[str, str]]:
    return [(event.action, event.entry) for event in events(follower, on_progress)]


def events(follower: followed.FollowedFolder, on_progress: Callable[[IngestProgress], None] | None = None) -> list[Any]:
    return list(follower.update(on_progress))


def slugs(shelf: Shelf) -> set[str]:
    return {book.slug for book in shelf.books()}


def test_each_file_and_folder_is_a_book_and_a_deletion_lands(follow: Follow, folder: Path, shelf: Shelf) -> None:
    make_epub(folder / "parts.epub")
    write_pages(folder / "arms", ARMS)
    (folder / "photo.png").write_bytes(b"x")
    (folder / ".parts.epub.swp").write_bytes(b"x")
    (folder / "new.epub.part").write_bytes(b"x")
    follower = follow()
    assert run(follower) == [("added", "arms"), ("added", "parts.epub")]
    assert run(follower) == []
    (folder / "arms" / "01.md").write_text("# Arms\n\nAn arm has six joints.\n")
    assert run(follower) == [("updated", "arms")]
    (folder / "parts.epub").unlink()
    shutil.rmtree(folder / "arms")
    assert run(follower) == [("removed", "arms"), ("removed", "parts.epub")]
    assert slugs(shelf) == set()


def test_the_next_start_goes_on_where_the_last_one_was(follow: Follow, folder: Path, shelf: Shelf) -> None:
    (folder / "casters.md").write_text(CASTERS)
    assert run(follow()) == [("added", "casters.md")]
    assert run(follow()) == []
    (folder / "casters.md").unlink()
    assert run(follow()) == [("removed", "casters.md")]


def test_a_renamed_file_keeps_its_book(follow: Follow, folder: Path, shelf: Shelf) -> None:
    make_epub(folder / "a.epub")
    follower = follow()
    run(follower)
    (folder / "a.epub").rename(folder / "b.epub")
    assert run(follower) == [("renamed", "b.epub")]
    assert slugs(shelf) == {"robot-parts"}
    assert {document.metadata["path"] for document in shelf.corpus.contents.documents()} == {"b.epub"}
    (folder / "b.epub").unlink()
    assert run(follower) == [("removed", "b.epub")]


def test_a_new_title_takes_the_place_of_the_old_one(follow: Follow, folder: Path, shelf: Shelf) -> None:
    make_epub(folder / "a.epub")
    follower = follow()
    run(follower)
    make_epub(folder / "a.epub", {"OEBPS/book.opf": PACKAGE.replace("Robot  parts", "Parts of robots")})
    assert run(follower) == [("removed", "a.epub"), ("added", "a.epub")]
    assert slugs(shelf) == {"parts-of-robots"}


def test_an_upload_stays(follow: Follow, folder: Path, shelf: Shelf, tmp_path: Path) -> None:
    """Whatever happens in the folder: before its file comes, while it is there, and when it goes."""
    uploaded = make_epub(tmp_path / "upload.epub")
    shelf.add(shelf.plan(uploaded), uploaded_as="parts.epub")
    (folder / "casters.md").write_text(CASTERS)
    make_epub(folder / "parts.epub")
    follower = follow()
    first = events(follower)
    assert [(event.action, event.book) for event in first] == [("added", "casters"), ("left", "robot-parts")]
    assert "ragstone book remove robot-parts" in str(first[1].reason)
    (folder / "parts.epub").unlink()
    assert run(follower) == []
    assert slugs(shelf) == {"casters", "robot-parts"}


def test_an_upload_over_a_book_of_the_folder_stays(follow: Follow, folder: Path, shelf: Shelf, tmp_path: Path) -> None:
    make_epub(folder / "parts.epub")
    follower = follow()
    run(follower)
    changed = {"OEBPS/text/more wheels.xhtml": "<html><body><p>Something else altogether.</p></body></html>"}
    shelf.add(shelf.plan(make_epub(tmp_path / "new.epub", changed)), uploaded_as="new.epub")
    (folder / "parts.epub").unlink()
    assert run(follower) == [("left", "parts.epub")]
    assert slugs(shelf) == {"robot-parts"}


def test_room_that_is_made_for_a_book_is_taken(follow: Follow, folder: Path, shelf: Shelf, tmp_path: Path) -> None:
    shelf.add(shelf.plan(make_epub(tmp_path / "upload.epub")))
    make_epub(folder / "parts.epub")
    follower = follow()
    assert run(follower) == [("left", "parts.epub")]
    assert run(follower) == []
    shelf.remove("robot-parts")
    assert run(follower) == [("added", "parts.epub")]


def test_a_book_that_was_taken_off_stays_off_until_its_file_changes(follow: Follow, folder: Path, shelf: Shelf) -> None:
    (folder / "casters.md").write_text(CASTERS)
    follower = follow()
    run(follower)
    shelf.remove("casters")
    assert run(follower) == []
    (folder / "casters.md").write_text(f"{CASTERS}\nMore.\n")
    assert run(follower) == [("added", "casters.md")]


def test_a_half_written_file_waits_and_is_read_when_it_is_whole(
    follow: Follow, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(followed, "SETTLE", 30.0)
    now = [1000.0]
    monkeypatch.setattr(f"{followed.__name__}.time.monotonic", lambda: now[0])
    whole = make_epub(folder / "x").read_bytes()
    (folder / "x").unlink()
    (folder / "parts.epub").write_bytes(whole[:700])
    follower = follow()
    assert run(follower) == []
    assert follower.is_settling()
    now[0] += 20
    (folder / "parts.epub").write_bytes(whole)
    assert run(follower) == []
    now[0] += 20
    assert run(follower) == []
    now[0] += 20
    assert run(follower) == [("added", "parts.epub")]
    assert not follower.is_settling()
    (folder / "parts.epub").unlink()
    assert run(follower) == [], "an editor may put it back in a moment"
    now[0] += 31
    assert run(follower) == [("removed", "parts.epub")]


def test_an_old_file_is_read_at_once(follow: Follow, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(followed, "SETTLE", 30.0)
    (folder / "casters.md").write_text(CASTERS)
    os.utime(folder / "casters.md", (time.time() - 60,) * 2)
    assert run(follow()) == [("added", "casters.md")]


def test_a_broken_file_is_named_once_and_its_book_stays(follow: Follow, folder: Path, shelf: Shelf) -> None:
    make_epub(folder / "parts.epub")
    follower = follow()
    run(follower)
    (folder / "parts.epub").write_bytes(b"PK\x03\x04")
    (failed,) = events(follower)
    assert (failed.action, failed.book) == ("failed", "robot-parts")
    assert "broken" in str(failed.reason)
    assert run(follower) == []
    assert slugs(shelf) == {"robot-parts"}
    make_epub(folder / "parts.epub", {"META-INF/more.xml": "<a/>"})
    assert run(follower) == []
    (folder / "parts.epub").unlink()
    assert run(follower) == [("removed", "parts.epub")]


class _Interrupted(Exception):
    pass


def interrupt(progress: IngestProgress) -> None:
    raise _Interrupted


def test_an_interrupted_book_goes_on_and_is_the_folders(follow: Follow, folder: Path, shelf: Shelf) -> None:
    write_pages(folder / "arms", ARMS)
    with pytest.raises(_Interrupted):
        run(follow(), interrupt)
    assert slugs(shelf) == {"arms"}
    assert run(follow()) == [("added", "arms")]
    assert len(shelf.corpus.contents.documents()) == 2
    (folder / "arms" / "02.md").write_text("# Hands\n\nA hand has four fingers and a thumb.\n")
    with pytest.raises(_Interrupted):
        run(follow(), interrupt)
    assert run(follow()) == [("updated", "arms")]
    shutil.rmtree(folder / "arms")
    assert run(follow()) == [("removed", "arms")]


def test_an_interrupted_book_whose_files_go_is_removed(follow: Follow, folder: Path, shelf: Shelf) -> None:
    write_pages(folder / "arms", ARMS)
    with pytest.raises(_Interrupted):
        run(follow(), interrupt)
    shutil.rmtree(folder / "arms")
    assert run(follow()) == [("removed", "arms")]
    assert slugs(shelf) == set()


def test_a_folder_that_is_away_removes_nothing(follow: Follow, folder: Path, shelf: Shelf) -> None:
    """A disk that is not mounted leaves an empty folder of another identity, or none."""
    (folder / "casters.md").write_text(CASTERS)
    follower = follow()
    run(follower)
    folder.rename(folder.with_name("away"))
    (event,) = events(follower)
    assert (event.action, event.entry) == ("unreachable", ".")
    folder.mkdir()
    assert run(follower) == [], "named once"
    assert slugs(shelf) == {"casters"}
    folder.rmdir()
    folder.with_name("away").rename(folder)
    assert run(follower) == []
    (folder / "casters.md").unlink()
    assert run(follower) == [("removed", "casters.md")], "the last file of a folder that is there"


def test_how_a_folder_is_read_is_seen_at_first_and_kept(follow: Follow, folder: Path) -> None:
    make_epub(folder / "parts.epub")
    assert follow(None).mode == "each"
    run(follow(None))
    (folder / "README.md").write_text("# The books\n\nWords.\n")
    assert follow(None).mode == "each"
    assert follow("one").mode == "one"
    assert sorted(run(follow(None))) == [("added", "."), ("removed", "parts.epub")]


def test_a_folder_of_pages_is_one_book(follow: Follow, folder: Path, shelf: Shelf) -> None:
    write_pages(folder, ARMS)
    follower = follow(None)
    assert run(follower) == [("added", ".")]
    (folder / "02.md").unlink()
    assert run(follower) == [("updated", ".")]
    (folder / "01.md").unlink()
    assert run(follower) == [("removed", ".")]


def test_a_folder_is_followed_by_one_process(follow: Follow, folder: Path, shelf: Shelf, tmp_path: Path) -> None:
    follow()
    with pytest.raises(StorageBusy, match="followed by another process"):
        followed.FollowedFolder(shelf, folder, tmp_path / "data")
    with pytest.raises(SourceError, match="is no folder"):
        followed.FollowedFolder(shelf, folder / "none", tmp_path / "data")


def test_a_damaged_record_is_as_none(follow: Follow, folder: Path, tmp_path: Path) -> None:
    (folder / "casters.md").write_text(CASTERS)
    run(follow())
    (record,) = (tmp_path / "data" / "followed").glob("*.json")
    record.write_text("{")
    assert run(follow()) == [("left", "casters.md")]


def test_a_name_that_is_no_text_does_not_lose_the_record(follow: Follow, folder: Path, shelf: Shelf) -> None:
    (folder / "casters.md").write_text(CASTERS)
    Path(folder, os.fsdecode(b"caf\xe9.epub")).write_bytes(b"x")
    assert sorted(action for action, _ in run(follow())) == ["added", "failed"]
    (folder / "casters.md").unlink()
    assert run(follow()) == [("removed", "casters.md")]
    assert slugs(shelf) == set()


def test_the_command(tmp_path: Path, folder: Path, fast_here: Here) -> None:
    (folder / "casters.md").write_text(CASTERS)
    done = fast_here("book", "watch", str(folder), "--each", "--once")
    assert (done.code, done.out) == (0, "added       casters.md: 'Casters' (casters), 1 passage embedded\n")
    assert fast_here("book", "watch", str(folder), "--once").out == "Nothing has changed.\n"
    (folder / "bad.epub").write_bytes(b"x")
    (folder / "casters.md").unlink()
    done = fast_here("book", "watch", str(folder), "--once", "--json")
    assert done.code == 1
    told = [json.loads(line) for line in done.out.splitlines()]
    assert [(each["action"], each["entry"]) for each in told] == [("failed", "bad.epub"), ("removed", "casters.md")]
    assert fast_here("book", "watch", str(tmp_path / "none")).line.endswith("(give the folder that is to be followed)")


def test_an_interruption_ends_the_command_and_leaves_what_is_known(
    folder: Path, monkeypatch: pytest.MonkeyPatch, fast_here: Here
) -> None:
    (folder / "casters.md").write_text(CASTERS)

    def pause(_seconds: float) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr("ragstone.plugins.book_chat.commands.watch.time.sleep", pause)
    before = signal.getsignal(signal.SIGTERM)
    done = fast_here("book", "watch", str(folder), "--each", "--json")
    assert done.code == 0
    assert json.loads(done.out)["action"] == "added"
    assert signal.getsignal(signal.SIGTERM) == before
    assert fast_here("book", "watch", str(folder), "--once").out == "Nothing has changed.\n"
