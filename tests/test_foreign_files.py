"""Files, folders and links of others in every folder that Ragstone uses: its real operations leave all of them as they
were, and nothing that a link leads to is touched."""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from ragstone.core import StorageDenied
from ragstone.core.runtime import OwnedFolders
from ragstone.core.testing import open_host
from ragstone.core.text import Redactor
from ragstone.core.vector_index import Follower
from ragstone.core.vector_index.index_state import index_folders
from ragstone.plugins.book_chat import Shelf
from ragstone.plugins.book_chat.library.uploads import files as uploads_module
from ragstone.plugins.concept_tutor.mediawiki.client.cache import Cache, Entry
from ragstone.plugins.wiki_edge import BuildOptions, build_shard, install_shards, searcher_of
from ragstone.plugins.wiki_edge.planner.episodes import Episode
from ragstone.plugins.wiki_edge.planner.memory_store import MemoryStore
from tests.plugins.iris_memory.memories import open_memory, write
from tests.plugins.wiki_edge.planner.libraries import check_episodes
from tests.plugins.wiki_edge.readers.dumps import page, plain
from tests.plugins.wiki_edge.search.tools import write as write_shard
from tests.plugins.wiki_edge.shards.samples import make
from tests.support.needs import needed
from tests.support.patience import until
from tests.support.third_party_fakes import InMemory, WithStore, add_book, write_pages

_TEXT = "Of others.\nNo end of line"
#: Names that look like those that Ragstone gives, beside plain ones.
NAMES = ("photos", "making-old", ".ragstone-photos", "store-photos", "0" * 32)
FILES = (
    "notes.txt",
    "thesis.pdf",
    "list.json",
    "draft.new",
    "other.entry",
    "embeddings.npy",
    "made-of.json",
    "upload.json",
    "state.json",
    "open",
    "steps/000000.jsonl",
    "journal.jsonl",
)


_BOOK = {"01.md": "# Wheels\n\nA caster is a wheel that swivels.\n"}


@dataclass(frozen=True)
class Others:
    """What others have on the disk: a folder outside, and whatever ``plant`` puts among Ragstone's own."""

    outside: Path
    planted: list[Path]

    def plant(self, folder: Path, *, names: tuple[str, ...] = NAMES, files: tuple[str, ...] = ("notes.txt",)) -> None:
        """Files, folders of many names full of files, and links to what is outside, all of them old."""
        folder.mkdir(parents=True, exist_ok=True)
        made = [folder / name for name in files]
        for name in names:
            made += [folder / name / file for file in FILES]
        for file in made:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(_TEXT, "utf-8")
        links = {f"linked-{name}": self.outside / name for name in ("folder", "file")}
        for name, target in links.items():
            (folder / name).symlink_to(target)
            made.append(folder / name)
        for name in (*names, ""):
            os.utime(folder / name, (0, 0))
        self.planted.extend([*made, *(folder / name for name in names)])

    def link(self, path: Path, target: str = "file") -> None:
        """A link in the place of something that Ragstone may write."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(self.outside / target)
        self.planted.append(path)

    def there(self) -> dict[str, str]:
        """Everything of theirs, as it is."""
        inside = [self.outside, *self.outside.rglob("*")]
        return {str(path): _content(path) for path in [*self.planted, *inside]}


def _content(path: Path) -> str:
    if path.is_symlink():
        return f"a link to {path.readlink()}"
    if path.is_dir():
        return "a folder"
    return path.read_text("utf-8") if path.is_file() else "gone"


@pytest.fixture
def others(tmp_path: Path) -> Others:
    outside = tmp_path / "outside"
    (outside / "folder").mkdir(parents=True)
    (outside / "file").write_text(_TEXT, "utf-8")
    (outside / "folder" / "state.json").write_text(_TEXT, "utf-8")
    return Others(outside, [])


def _follow(folder: Path, others: Others, *, given: bool = False) -> None:
    """serve's thread over ``data/index``, until it has removed an index of ours whose corpus is gone."""
    others.plant(folder / "data" / "index")
    gone = index_folders(folder / "data" / "index").make("gone")
    (gone / "state.json").write_text("{}", "utf-8")
    kept = index_folders(folder / "data" / "index").make("kept")
    others.plant(kept, names=("photos",), files=("notes.txt",))
    with open_host(folder, plugins={"brings": WithStore(InMemory())} if given else None) as host:
        add_book(host, write_pages(folder / "book", _BOOK), "Parts")
        host.serve()
        until(lambda: not gone.exists(), "the sweep")
        if given:
            until((folder / "data" / "index" / "books" / "state.json").exists, "following")


def _sweep_without_a_store(folder: Path, others: Others) -> None:
    _follow(folder, others)


def _sweep_with_a_store(folder: Path, others: Others) -> None:
    _follow(folder, others, given=True)


def _make_an_index_anew(folder: Path, others: Others) -> None:
    """An index among whose files others lie; and a corpus whose name others have given to a folder."""
    with open_host(folder) as host:
        shelf = add_book(host, write_pages(folder / "book", _BOOK), "Parts")
        place = folder / "data" / "index" / "books"
        Follower(shelf.corpus, place, InMemory()).catch_up()
        others.plant(place, names=("photos", "store-photos"))
        others.link(place / "state.json.new")
        again = Follower(shelf.corpus, place, InMemory())
        assert again.catch_up(), "it was not closed in order and is made anew"
        others.plant(folder / "elsewhere" / "index" / "books")
        refused = Follower(shelf.corpus, folder / "elsewhere" / "index" / "books", InMemory())
        assert not refused.catch_up()
        assert "did not write" in (refused.failure or "")


def _follow_a_link(folder: Path, others: Others) -> None:
    others.link(folder / "data" / "index", "folder")
    with open_host(folder, options={"book_chat": {"sample": False}}) as host:
        host.serve()
        until(lambda: any("is a link" in check.detail for check in host.checks()), "the look at the link")


def _uploads(folder: Path, others: Others) -> None:
    uploads = folder / "data" / "uploads"
    others.plant(uploads)
    half = uploads_module.store(io.BytesIO(b"# Wheels\n"), "wheels.md", uploads, suffixes={".md"})
    (half.folder / "upload.json").unlink()
    half.release()
    old = uploads_module._ABANDONED + 60
    os.utime(half.folder, (half.about.at - old, half.about.at - old))
    whole = uploads_module.store(io.BytesIO(b"# Wheels\n"), "wheels.md", uploads, suffixes={".md"})
    others.plant(whole.folder, names=("photos",))
    others.link(whole.folder / "upload.json.new")
    whole.begin()
    whole.release()
    (found,) = uploads_module.unfinished_uploads(uploads)
    found.remove()
    assert not half.folder.exists(), "our own goes"
    assert not whole.file.exists(), "our own goes"


def _upload_through_a_link(folder: Path, others: Others) -> None:
    others.link(folder / "data" / "uploads", "folder")
    with pytest.raises(StorageDenied):
        uploads_module.store(io.BytesIO(b"# Wheels\n"), "wheels.md", folder / "data" / "uploads", suffixes={".md"})
    assert uploads_module.unfinished_uploads(folder / "data" / "uploads") == []


def _pdfs(folder: Path, others: Others) -> None:
    others.plant(folder / "data" / "pdfs", files=("thesis.pdf", f"{'0' * 64}.pdf"))
    with open_host(folder) as host:
        Shelf(host).pdfs.remove_unused()


def _wiki_pages(folder: Path, others: Others) -> None:
    place = folder / "cache" / "concept_tutor"
    others.plant(place, files=("draft.new", "other.entry", "notes.txt"))
    for old in ("draft.new", "other.entry"):
        os.utime(place / old, (0, 0))
    cache = Cache(place, megabytes=0.01, unpacked=1_000_000)
    for number in range(4):
        body = np.random.default_rng(number).bytes(6000)
        cache.put(("page", str(number)), Entry("key", "1", None, datetime.now(UTC), body))
    assert 0 < len(list(place.glob("*-1.entry"))) < 4, "our own go"


def _side_files(folder: Path, others: Others) -> None:
    cache = folder / "cache" / "wiki_edge"
    others.plant(cache)
    (cache / "stale").mkdir()
    (cache / "stale" / "made-of.json").write_text(json.dumps([1, 2, ["/not/there", 1, 2, 3]]), "utf-8")
    others.planted.append(cache / "stale" / "made-of.json")
    with open_host(folder) as host:
        wiki = folder / "data" / "wiki"
        write_shard(host, wiki, "gone")
        searcher_of(host).search("kettle")
        (ours,) = cache.glob("*/offsets.npy")
        shutil.rmtree(wiki)
        write_shard(host, wiki, "new")
        searcher_of(host).search("kettle")
    assert not ours.parent.exists(), "our own goes"


def _build(folder: Path, others: Others) -> None:
    needed("mwparserfromhell")
    out = folder / "out"
    names = ("household.1", "household@9", ".building-other", ".ragstone-photos")
    others.plant(out, names=names, files=("notes.txt",))
    text = " ".join(f"This is sentence {number} about whisks and bowls." for number in range(60))
    dump = plain(folder / "dump.xml", [page(1, "Whisk", text)])
    with open_host(folder) as host:
        reports = [build_shard(BuildOptions(dump, out, "household"), host, restart=True) for _ in range(3)]
        assert [report.folder.exists() for report in reports] == [False, True, True], "our own goes"
        others.plant(out / ".building-taken", names=("photos",))
        with pytest.raises(StorageDenied):
            build_shard(BuildOptions(dump, out, "taken"), host, restart=True)
        others.link(out / ".building-linked", "folder")
        with pytest.raises(StorageDenied):
            build_shard(BuildOptions(dump, out, "linked"), host, restart=True)


def _install(folder: Path, others: Others) -> None:
    root = folder / "wiki"
    others.plant(root)
    for seed in range(4):
        install_shards(make(folder / f"new-{seed}", shard_id="tools", seed=seed), root)
        if seed == 0:
            others.plant(root / "tools")
    assert len(list((root / "tools").glob("r*"))) == 2, "our own go"


def _episodes(folder: Path, others: Others) -> None:
    root = folder / "data" / "episodes"
    others.plant(root)
    others.link(root / "20260101T000000.000000Z-00000000", "folder")
    (others.outside / "folder" / "open").write_text(_TEXT, "utf-8")
    before = Episode(root, Redactor(()), file_bytes=1000)
    before._file.close()  # as the system does for a process that is killed
    os.close(before._open)
    others_before = others.there()
    assert check_episodes(root, repair=True) == [before.id]
    assert others.there() == others_before


def _memories(folder: Path, others: Others) -> None:
    root = folder / "data" / "episodic"
    others.plant(root)
    others.plant(root / "episodic.new", names=("photos",))
    memory = MemoryStore(root, encoder=("words", "words/4"))
    for number in range(3):
        row = {"id": str(number), "title": "", "url": "", "text": "Of the robot.", "license": "private"}
        memory.append(row, np.eye(4, dtype=np.float32)[number])
    assert not memory.compact(), "somebody's folder is in the way"
    assert len(list(memory.rows())) == 3
    others.plant(folder / "data" / "other", files=("episodic.journal",))
    with pytest.raises(Exception, match="is no journal"):
        MemoryStore(folder / "data" / "other", encoder=("words", "words/4")).append(row, np.eye(4, dtype=np.float32)[0])


def _memory(folder: Path, others: Others) -> None:
    others.plant(folder / "data" / "memory")
    others.link(folder / "data" / "memory" / "last.json.new")
    with open_memory(folder) as memory:
        write(memory.root, "a.md", "The kettle is red.")
        assert memory.update().added == ["a.md"]
        assert (folder / "data" / "memory" / "last.json").is_file()


OPERATIONS = [
    _sweep_without_a_store,
    _sweep_with_a_store,
    _make_an_index_anew,
    _follow_a_link,
    _uploads,
    _upload_through_a_link,
    _pdfs,
    _wiki_pages,
    _side_files,
    _build,
    _install,
    _episodes,
    _memories,
    _memory,
]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_nothing_of_others_is_gone_or_changed(
    tmp_path: Path, others: Others, operation: Callable[[Path, Others], None]
) -> None:
    operation(tmp_path, others)
    found = others.there()
    for path, content in found.items():
        assert content != "gone", path
        assert content in (_TEXT, "a folder") or content.startswith(("a link to ", "[1, 2")), path


def test_only_what_carries_our_marker_is_removed(tmp_path: Path) -> None:
    folders = OwnedFolders(tmp_path / "parent", "index", r"state\.json", home=tmp_path)
    made = folders.make("made")
    (made / "state.json").write_text("{}", "utf-8")
    copied = tmp_path / "parent" / "copied"
    copied.mkdir()
    (copied / ".ragstone-folder.json").write_bytes((made / ".ragstone-folder.json").read_bytes())
    (tmp_path / "parent" / "linked").symlink_to(made)
    for name in ("copied", "linked", "..", ".", "", "a/b"):
        assert not folders.owns(name)
        assert not folders.remove(name)
    assert not OwnedFolders(tmp_path / "parent", "uploads", home=tmp_path).remove("made"), "for something else"
    (tmp_path / "link").symlink_to(tmp_path / "parent")
    assert not OwnedFolders(tmp_path / "link", "index", home=tmp_path).remove("made"), "through a link"
    assert made.is_dir()
    assert folders.remove("made")
    assert not made.exists()
    assert folders.remove("made"), "twice is fine"
