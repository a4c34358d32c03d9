"""What the files say is what is remembered: nothing more, nothing less, whatever happens in between."""

from __future__ import annotations

import os
import socket
import time
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from ragstone.core import BadRequest, SettingsError, SourceError
from ragstone.core.ingestion import IngestProgress
from ragstone.core.testing import open_host
from ragstone.plugins.iris_memory import Memory, memory_of, query_memory
from ragstone.plugins.iris_memory.indexing.inventory import Inventory
from tests.plugins.iris_memory.memories import chunk_texts, open_memory, write

DAY = 86_400.0


def test_new_changed_renamed_and_deleted_files(memory: Memory, home: Path) -> None:
    write(home, "a.md", "The kettle is red.")
    write(home, "b.md", "The lamp is blue.")
    report = memory.update()
    assert (report.added, report.updated, report.removed, report.chunks) == (["a.md", "b.md"], [], [], 2)
    write(home, "a.md", "The kettle is green.")
    (home / "b.md").rename(home / "c.md")
    report = memory.update()
    assert (report.added, report.updated, report.removed) == (["c.md"], ["a.md"], ["b.md"])
    assert chunk_texts(memory) == {"a.md": ["The kettle is green."], "c.md": ["The lamp is blue."]}
    (home / "c.md").unlink()
    assert memory.update().removed == ["c.md"]
    assert chunk_texts(memory) == {"a.md": ["The kettle is green."]}
    again = memory.update()
    assert (again.changed, again.unchanged, again.chunks) == (False, 1, 0)


def test_progress_has_the_number_of_files_that_are_read(memory: Memory, home: Path) -> None:
    write(home, "b.md", "The lamp is blue.")
    write(home, "c.md", "The stove is green.")
    reported: list[IngestProgress] = []
    memory.update(reported.append)
    assert [(each.documents, each.total) for each in reported if each.doc_id] == [(1, 2), (2, 2)]


def test_what_is_gone_is_found_no_more_by_any_search(memory: Memory, home: Path) -> None:
    write(home, "a.md", "The kettle is red.")
    write(home, "b.md", "The lamp is blue.")
    memory.update()
    (home / "a.md").unlink()
    memory.update()
    found = memory.host.pipeline.retrieve(memory.corpus, "kettle red", top_k=5)
    assert [node.metadata["path"] for node in found.nodes] == ["b.md"]


def test_an_edit_of_the_same_size_within_the_same_second_is_noticed(memory: Memory, home: Path) -> None:
    file = write(home, "a.md", "The kettle is red.")
    memory.update()
    before = file.stat()
    with file.open("r+b") as same:  # the same inode
        same.write(b"The kettle is new.")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert memory.update().updated == ["a.md"]
    assert chunk_texts(memory) == {"a.md": ["The kettle is new."]}


def test_what_was_written_just_before_the_look_is_looked_at_again(
    memory: Memory, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a file system with a coarse clock two versions can have the same times."""
    file = write(home, "a.md", "The kettle is red.")
    memory.update()
    seen = memory.corpus.contents.documents()[0].metadata["indexing"]["stat"]
    file.write_text("The kettle is new.")
    from ragstone.plugins.iris_memory.indexing import scan

    class Coarse(scan.Scanner):
        def scan(self, under: str = "") -> scan.Scan:
            found = super().scan(under)
            return scan.Scan(
                {
                    path: scan.ScannedFile(path, each.file_type, (seen[0], seen[1], seen[2], seen[3]), each.seen)
                    for path, each in found.files.items()
                },
                found.left_out,
            )

    monkeypatch.setattr("ragstone.plugins.iris_memory.indexing.inventory.Scanner", Coarse)
    assert memory.update().updated == ["a.md"]


def test_an_unchanged_file_is_not_read_again(memory: Memory, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(home, "a.md", "The kettle is red.")
    memory.update()
    later = time.time_ns() + 10_000_000_000
    monkeypatch.setattr("ragstone.plugins.iris_memory.indexing.scan.time.time_ns", lambda: later)
    memory.update()  # it is certain now
    (home / "a.md").chmod(0)
    monkeypatch.setattr(Inventory, "read", lambda *_: pytest.fail("it was read"))
    (home / "b.txt").write_text("no rule names it")
    write(home, "c/.git/x.md", "left out")
    (home / "a.md").chmod(0o644)
    stat = (home / "a.md").stat()
    own = memory.corpus.contents.documents()[0].metadata["indexing"]
    own["stat"][1] = stat.st_ctime_ns
    memory.corpus.contents.annotate({"a.md": {**memory.corpus.contents.documents()[0].metadata, "indexing": own}})
    assert memory.update().unchanged == 1


def test_a_touched_file_has_its_new_time_and_keeps_its_vectors(memory: Memory, home: Path) -> None:
    file = write(home, "a.md", "The kettle is red.")
    memory.update()
    os.utime(file, (1_700_000_000, 1_700_000_000))
    memory.update()
    node = memory.corpus.contents.document_nodes("a.md")[0]
    assert (node.metadata["mtime"], node.metadata["date"]) == (1_700_000_000.0, 1_700_000_000.0)


def test_unmounted_is_not_forgotten(memory: Memory, home: Path) -> None:
    write(home, "a.md", "The kettle is red.")
    memory.update()
    home.rename(home.with_name("elsewhere"))
    with pytest.raises(SourceError, match="the folder to remember is not there"):
        memory.update()
    home.with_name("elsewhere").rename(home)
    assert chunk_texts(memory) == {"a.md": ["The kettle is red."]}


def test_what_is_left_out_is_reported(memory: Memory, home: Path, tmp_path: Path) -> None:
    write(home, "binary.md", b"a\0b")
    write(home, "latin.md", "Käse".encode("latin-1"))
    write(home, "empty.md", " \n")
    write(home, "huge.md", b"x" * 10_000_001)
    write(home, "picture.png", b"\x89PNG")
    write(home, ".git/HEAD.md", "ref")
    write(home, "venv/lib/readme.md", "not ours")
    write(home, "notes.db", b"SQLite")
    write(home, "state.json", "{half")
    secret = write(tmp_path, "outside/secret.md", "The key is under the mat.")
    (home / "link.md").symlink_to(secret)
    (home / "folder").symlink_to(secret.parent)
    write(home, "note.md", "The kettle is red.")
    (home / "same.md").symlink_to(home / "note.md")
    os.mkfifo(home / "pipe.md")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(home / "socket.md"))
    memory.update()
    assert chunk_texts(memory) == {"note.md": ["The kettle is red."]}
    assert {each.path: each.reason for each in memory.status().left_out} == {
        ".git/": "left out by the settings",
        "binary.md": "is binary",
        "empty.md": "holds no words",
        "folder": "a link out of the root",
        "huge.md": "has 10,000,001 bytes, more than 10,000,000",
        "latin.md": "is not UTF-8: byte 0xe4 in line 1",
        "link.md": "a link out of the root",
        "notes.db": "left out by the settings",
        "picture.png": "no rule of the map names it",
        "pipe.md": "is no file",
        "same.md": "a link: what it names is read in its own place",
        "socket.md": "is no file",
        "state.json": "is not JSON: Expecting property name enclosed in double quotes in line 1",
        "venv/": "left out by the settings",
    }


def test_a_file_that_becomes_unreadable_is_no_longer_remembered(memory: Memory, home: Path) -> None:
    file = write(home, "a.md", "The kettle is red.")
    memory.update()
    file.write_bytes(b"\0")
    report = memory.update()
    assert (report.removed, [(each.path, each.reason) for each in report.left_out]) == (
        ["a.md"],
        [("a.md", "is binary")],
    )
    assert chunk_texts(memory) == {}
    file.write_text("The kettle is back.")
    assert memory.update().added == ["a.md"]


def test_a_file_that_vanishes_while_it_is_read(memory: Memory, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(home, "a.md", "The kettle is red.")
    write(home, "b.md", "The lamp is blue.")
    memory.update()
    write(home, "a.md", "The kettle is green.")
    write(home, "b.md", "The lamp is yellow.")
    read = Inventory.read

    def vanishing(self: Inventory, found: object, before: object) -> object:
        (home / "a.md").unlink(missing_ok=True)
        return read(self, found, before)  # type: ignore[arg-type]

    monkeypatch.setattr(Inventory, "read", vanishing)
    report = memory.update()
    assert (report.updated, report.removed) == (["b.md"], ["a.md"])
    assert chunk_texts(memory) == {"b.md": ["The lamp is yellow."]}


def test_a_file_that_is_swapped_for_a_link_is_not_followed(
    memory: Memory, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home, "notes/a.md", "The kettle is red.")
    write(tmp_path, "outside/a.md", "The key is under the mat.")
    read = Inventory.read

    def swapping(self: Inventory, found: object, before: object) -> object:
        if not (home / "notes").is_symlink():
            (home / "notes").rename(home / "was")
            (home / "notes").symlink_to(tmp_path / "outside")
        return read(self, found, before)  # type: ignore[arg-type]

    monkeypatch.setattr(Inventory, "read", swapping)
    memory.update()
    assert "The key is under the mat." not in str(chunk_texts(memory))


def _updated(memory: Memory, now: float) -> Any:
    memory.clock = lambda: now
    return memory.update()


def test_mail_leaves_as_time_passes(tmp_path: Path, home: Path) -> None:
    write(
        home,
        "docs/emails/a.txt",
        "From: ann@x.org\nDate: Sun, 1 Feb 2026 10:00:00 +0000\nSubject: Kettle\n\nIt is red.",
    )
    write(home, "old.md", "A note stays.")
    now = 1_769_940_000.0  # of that mail
    with open_memory(tmp_path, mail_days=60) as memory:
        _updated(memory, now + 59 * DAY)
        assert set(chunk_texts(memory)) == {"docs/emails/a.txt", "old.md"}
        report = _updated(memory, now + 61 * DAY)
        assert (report.removed, set(chunk_texts(memory))) == (["docs/emails/a.txt"], {"old.md"})
        assert "older than mail_days" in str(memory.status().left_out)
        assert _updated(memory, now + 62 * DAY).unchanged == 2
    with open_memory(tmp_path, mail_days=90) as memory:
        assert _updated(memory, now + 62 * DAY).added == ["docs/emails/a.txt"]


def test_mails_of_an_mbox_file_leave_one_by_one(tmp_path: Path, home: Path) -> None:
    now = time.time()
    mails = [
        f"From {who}@x.org Sun Feb  1 10:00:00 2026\n"
        f"From: {who}@x.org\nDate: {formatdate(now - days * DAY)}\nSubject: {who}\n\nKettle {who}.\n"
        for who, days in (("ann", 61), ("bob", 33))
    ]
    write(home, "docs/emails/all.txt", "\n".join(mails))
    with open_memory(tmp_path, mail_days=60) as memory:
        _updated(memory, now)
        nodes = memory.corpus.contents.document_nodes("docs/emails/all.txt")
        assert [node.metadata["sender"] for node in nodes] == ["ann@x.org", "bob@x.org"]
        assert [node.metadata["line_first"] for node in nodes] == [1, 8]
        found = query_memory("Kettle", min_relevance=-1, host=memory.host)
        assert [chunk.sender for chunk in found] == ["bob@x.org"]
        assert "indexing" not in nodes[0].metadata
        assert _updated(memory, now + 39 * DAY).removed == ["docs/emails/all.txt"]


def test_another_map_is_another_memory(tmp_path: Path, home: Path) -> None:
    write(home, "a.md", "The kettle is red.")
    with open_memory(tmp_path) as memory:
        memory.update()
    with open_memory(tmp_path, map=[{"pattern": "*.md", "type": "log"}]) as memory:
        assert memory.update().updated == ["a.md"]
        assert memory.corpus.contents.document_nodes("a.md")[0].metadata["doc_type"] == "log"
    with open_memory(tmp_path, map=[{"pattern": "x/*", "type": "log"}]) as memory:
        assert memory.update().removed == ["a.md"]


def test_other_sizes_rebuild_the_memory(tmp_path: Path, home: Path) -> None:
    write(home, "a.md", "\n\n".join(f"## Part {number}\n\n{'word ' * 60}" for number in range(4)))
    with open_memory(tmp_path) as memory:
        memory.update()
        assert len(chunk_texts(memory)["a.md"]) == 4
    with open_memory(tmp_path, min_chunk_tokens=200) as memory:
        assert memory.status().stale is not None
        memory.update()
        assert (len(chunk_texts(memory)["a.md"]), memory.status().stale) == (1, None)


def test_in_full_reads_and_embeds_everything_anew(memory: Memory, home: Path) -> None:
    write(home, "a.md", "The kettle is red.")
    write(home, "b.md", "The lamp is blue.")
    assert memory.update_in_full().chunks == 2
    report = memory.update_in_full()
    assert (report.changed, report.chunks, len(chunk_texts(memory))) == (False, 2, 2)


def test_one_file_alone(memory: Memory, home: Path) -> None:
    write(home, "a.md", "The kettle is red.")
    write(home, "notes/b.md", "The lamp is blue.")
    assert memory.update_file("notes/b.md").added == ["notes/b.md"]
    assert set(chunk_texts(memory)) == {"notes/b.md"}
    assert memory.update_file(home / "a.md").added == ["a.md"]
    (home / "notes" / "b.md").unlink()
    assert memory.update_file("notes").removed == ["notes/b.md"]
    assert memory.update_file("nowhere.md").changed is False
    with pytest.raises(BadRequest, match="lies outside the folder to remember"):
        memory.update_file("../data/catalog.sqlite")
    write(home, ".git/x.md", "no")
    assert memory.update_file(".git/x.md").changed is False


def test_without_a_root(tmp_path: Path) -> None:
    with open_host(tmp_path) as host, pytest.raises(SettingsError, match="no folder to remember is set"):
        memory_of(host).update()


def test_names_that_are_hard_to_bear(memory: Memory, home: Path) -> None:
    write(home, "a\n\x1b[31m.md", "The kettle is red.")
    (home / os.fsdecode(b"caf\xe9.md")).write_text("The lamp is blue.")
    write(home, "日本 語.md", "The rice is white.")
    memory.update()
    assert set(chunk_texts(memory)) == {"a\n\x1b[31m.md", "日本 語.md"}
    assert [(each.path, each.reason) for each in memory.status().left_out] == [("caf\\xe9.md", "its name is not UTF-8")]


def test_ragstone_s_own_data_below_the_root_is_no_memory(tmp_path: Path) -> None:
    home = tmp_path / "home"
    write(home, "note.md", "The kettle is red.")
    named = {"iris_memory": {"root": str(home)}}
    with open_host(tmp_path, options=named, data_dir=home / "rag") as host:
        write(home, "rag/answers.md", "The answer of yesterday.")
        memory = memory_of(host)
        memory.update()
        assert set(chunk_texts(memory)) == {"note.md"}


def test_both_databases(tmp_path: Path, database: str | None) -> None:
    write(tmp_path / "home", "a.md", "The kettle is red.")
    with open_memory(tmp_path, database=database) as memory:
        assert memory.update().added == ["a.md"]
        write(tmp_path / "home", "a.md", "The kettle is green.")
        assert memory.update().updated == ["a.md"]
        assert chunk_texts(memory) == {"a.md": ["The kettle is green."]}
        (tmp_path / "home" / "a.md").unlink()
        assert memory.update(prune=True).removed == ["a.md"]
