"""What is installed, what takes whose place, and what stays."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragstone.core import BadRequest, StorageBusy, StorageError
from ragstone.core.runtime import file_lock
from ragstone.plugins.wiki_edge import Manifest, ShardError, install_shards, verify_shards
from ragstone.plugins.wiki_edge.shards.releases import staging_folders

from .samples import ID, NAME, edit, entry_of, keygen, make, sign


@pytest.fixture
def key(tmp_path: Path) -> Path:
    keygen(tmp_path / "key.pem")
    return tmp_path / "key.pem"


@pytest.fixture
def other_key(tmp_path: Path) -> Path:
    keygen(tmp_path / "other.pem")
    return tmp_path / "other.pem"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "somewhere" / "root"


def _whats(found: Iterable[Any]) -> list[tuple[str, str, int | None]]:
    return [(one.id, one.what, one.revision) for one in found]


def _releases(root: Path, shard_id: str = ID) -> set[str]:
    return {f"{shard_id}/{path.name}" for path in (root / shard_id).iterdir()}


def _signed(folder: Path, key: Path, revision: int | None = None, **more: Any) -> Path:
    make(folder, **more)
    sign(folder, key, *(("--revision", revision) if revision else ()))
    return folder


def test_shards_are_merged_by_id(tmp_path: Path, root: Path) -> None:
    install_shards(make(tmp_path / "a", shard_id="a"), root)
    install_shards(make(tmp_path / "b", shard_id="b", kind="episodic"), root)
    found = install_shards(make(tmp_path / "a2", shard_id="a", seed=2), root)
    assert _whats(found) == [("a", "updated", None)]
    assert [shard.id for shard in Manifest.read(root / NAME).shards] == ["a", "b"]
    assert verify_shards(root) == []


def test_several_shards_come_in_one_release(tmp_path: Path, root: Path) -> None:
    folder = make(tmp_path / "both", shard_id="a")
    first = entry_of(folder)
    make(folder, shard_id="b")
    Manifest(version="2", shards=(first, entry_of(folder))).write(folder / NAME)
    assert _whats(install_shards(folder, root)) == [("a", "installed", None), ("b", "installed", None)]
    assert verify_shards(root) == []


def test_the_release_before_the_newest_stays(tmp_path: Path, root: Path) -> None:
    served = []
    for seed in range(4):
        install_shards(make(tmp_path / "new", seed=seed), root)
        served.append(str(entry_of(root).place(root).folder.relative_to(root.resolve())))
        assert _releases(root) == set(served[-2:])
    assert json.loads((root / NAME).read_text())["ragstone"] == {"previous": {ID: served[-2]}}


def test_each_shard_keeps_its_own_release_before_the_newest(tmp_path: Path, root: Path) -> None:
    for shard_id in ("a", "b", "b", "a", "b"):
        seed = int.from_bytes(os.urandom(4), "little")
        install_shards(make(tmp_path / shard_id, shard_id=shard_id, seed=seed), root)
    assert (len(_releases(root, "a")), len(_releases(root, "b"))) == (2, 2)
    assert _releases(root, "a") | _releases(root, "b") > set(
        json.loads((root / NAME).read_text())["ragstone"]["previous"].values()
    )


def test_what_was_copied_there_by_hand_is_replaced_and_not_removed(tmp_path: Path, root: Path) -> None:
    make(root, seed=1)
    assert _whats(install_shards(make(tmp_path / "new", seed=2), root)) == [(ID, "updated", None)]
    install_shards(make(tmp_path / "new", seed=3), root)
    install_shards(make(tmp_path / "new", seed=4), root)
    assert (root / ID / "embeddings.npy").is_file()
    assert len(_releases(root)) == 4
    assert verify_shards(root) == []


def test_the_same_again_changes_nothing(tmp_path: Path, root: Path) -> None:
    folder = make(tmp_path / "new")
    install_shards(folder, root)
    before = (root / NAME).stat()
    assert _whats(install_shards(folder, root)) == [(ID, "unchanged", None)]
    after = (root / NAME).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_the_same_again_mends_what_is_damaged(tmp_path: Path, root: Path) -> None:
    folder = make(tmp_path / "new")
    install_shards(folder, root)
    os.truncate(entry_of(root).place(root).embeddings, 100)
    assert _whats(install_shards(folder, root)) == [(ID, "repaired", None)]
    assert verify_shards(root) == []


def test_a_revision_only_rises(tmp_path: Path, root: Path, key: Path) -> None:
    install_shards(_signed(tmp_path / "a", key, 3), root)
    assert _whats(install_shards(_signed(tmp_path / "b", key, 5, seed=1), root)) == [(ID, "updated", 5)]
    served = (root / NAME).read_bytes()
    with pytest.raises(ShardError, match="has revision 4, and 5 is installed; a revision only rises"):
        install_shards(_signed(tmp_path / "c", key, 4, seed=2), root)
    with pytest.raises(ShardError, match="has revision 5 as the installed one has, but other content"):
        install_shards(_signed(tmp_path / "d", key, 5, seed=2), root)
    with pytest.raises(ShardError, match="has revision none, and 5 is installed"):
        install_shards(make(tmp_path / "e", seed=2), root)
    assert (root / NAME).read_bytes() == served
    assert _whats(install_shards(_signed(tmp_path / "b", key, 5, seed=1), root)) == [(ID, "unchanged", 5)]


def test_one_shard_that_is_refused_keeps_all_others_out(tmp_path: Path, root: Path, key: Path) -> None:
    install_shards(_signed(tmp_path / "a", key, 3), root)
    served = (root / NAME).read_bytes()
    folder = make(tmp_path / "both", shard_id="fresh")
    fresh = entry_of(folder)
    make(folder)
    Manifest(version="2", shards=(fresh, entry_of(folder))).write(folder / NAME)
    sign(folder, key, "--id", ID, "--revision", 2)
    with pytest.raises(ShardError, match="a revision only rises"):
        install_shards(folder, root)
    assert (root / NAME).read_bytes() == served
    assert not (root / "fresh").exists()


def test_an_installed_copy_keeps_its_signature(tmp_path: Path, root: Path, key: Path) -> None:
    folder = _signed(tmp_path / "a", key)
    (by,) = {one.signer.key for one in install_shards(folder, root) if one.signer}
    assert entry_of(root).embedding_file != entry_of(folder).embedding_file
    assert verify_shards(root, trusted_keys=[by], require_signature=True) == []
    install_shards(root, tmp_path / "again", trusted_keys=[by], require_signature=True)
    assert verify_shards(tmp_path / "again", trusted_keys=[by], require_signature=True) == []


def test_where_signatures_are_required_only_trusted_ones_come_in(
    tmp_path: Path, root: Path, key: Path, other_key: Path
) -> None:
    folder = make(tmp_path / "a")
    with pytest.raises(ShardError, match="is not signed"):
        install_shards(folder, root, trusted_keys=[], require_signature=True)
    (ours,) = sign(folder, key)
    with pytest.raises(ShardError, match="which is not a trusted key"):
        install_shards(_signed(tmp_path / "b", other_key), root, trusted_keys=[ours["key"]], require_signature=True)
    found = install_shards(folder, root, trusted_keys=[ours["key"]], require_signature=True)
    assert str(found[0].signer) == f"{ours['key']} (trusted)"


def test_a_signed_shard_gives_way_to_nobody_else(tmp_path: Path, root: Path, key: Path, other_key: Path) -> None:
    install_shards(_signed(tmp_path / "a", key), root)
    with pytest.raises(ShardError, match="is not signed, but the installed one is signed by"):
        install_shards(make(tmp_path / "b", seed=1, revision=9), root)
    other = _signed(tmp_path / "c", other_key, 9, seed=1)
    with pytest.raises(ShardError, match=r"is signed by .*, but the installed one is signed by"):
        install_shards(other, root)
    (theirs,) = sign(other, other_key)
    assert _whats(install_shards(other, root, trusted_keys=[theirs["key"]])) == [(ID, "updated", 9)]


def test_a_shard_that_was_signed_later_takes_the_signature(tmp_path: Path, root: Path, key: Path) -> None:
    folder = make(tmp_path / "a", revision=1)
    install_shards(folder, root)
    (ours,) = sign(folder, key)
    assert _whats(install_shards(folder, root)) == [(ID, "unchanged", 1)]
    assert verify_shards(root, trusted_keys=[ours["key"]], require_signature=True) == []


def test_what_was_signed_where_it_serves_keeps_its_signature(tmp_path: Path, root: Path, key: Path) -> None:
    make(root)
    (ours,) = sign(root, key)
    install_shards(make(tmp_path / "b", shard_id="other"), root)
    assert verify_shards(root) == []
    (fault,) = verify_shards(root, trusted_keys=[ours["key"]], require_signature=True)
    assert (fault.shard, "is not signed" in str(fault)) == ("other", True)


@pytest.mark.parametrize(
    "shard_id", ["wiki/simple", "..", ".ragstone-x", "Küche v1", "a%2Fb", "C:", "x" * 60, "泡立て器"]
)
def test_any_id_has_a_folder_of_its_own_within_the_root(tmp_path: Path, root: Path, shard_id: str) -> None:
    folder = make(tmp_path / "new")
    edit(folder, lambda raw: raw.update(id=shard_id))
    assert _whats(install_shards(folder, root)) == [(shard_id, "installed", None)]
    assert verify_shards(root) == []
    assert len({path.name for path in root.iterdir()} - {".ragstone-id", ".ragstone-lock", NAME}) == 1
    assert [path.name for path in root.parent.iterdir()] == ["root"]


@pytest.mark.parametrize("shard_id", [NAME, "泡" * 100], ids=["the manifest's", "too long"])
def test_an_id_that_cannot_be_a_folder_is_refused(tmp_path: Path, root: Path, shard_id: str) -> None:
    folder = make(tmp_path / "new")
    edit(folder, lambda raw: raw.update(id=shard_id))
    with pytest.raises(ShardError, match="cannot be the name of a folder"):
        install_shards(folder, root)


def test_a_folder_of_the_id_that_leads_elsewhere_is_not_written_to(tmp_path: Path, root: Path) -> None:
    root.mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (root / ID).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ShardError, match="leaves the folder"):
        install_shards(make(tmp_path / "new"), root)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_two_shards_do_not_share_a_file(tmp_path: Path, root: Path) -> None:
    folder = make(tmp_path / "new")
    raw = json.loads((folder / NAME).read_text())
    raw["shards"].append({**raw["shards"][0], "id": "twin"})
    (folder / NAME).write_text(json.dumps(raw))
    with pytest.raises(ShardError, match=r"shares .* with another shard"):
        install_shards(folder, root)
    assert sorted(path.name for path in root.iterdir()) == [".ragstone-id", ".ragstone-lock"]


def test_only_one_installs_at_a_time(tmp_path: Path, root: Path) -> None:
    folder = make(tmp_path / "new")
    root.mkdir(parents=True)
    with (
        file_lock(root / ".ragstone-lock", ""),
        pytest.raises(StorageBusy, match="another process installs or signs shards here"),
    ):
        install_shards(folder, root)
    assert _whats(install_shards(folder, root)) == [(ID, "installed", None)]


def test_nothing_comes_from_nowhere(tmp_path: Path, root: Path) -> None:
    with pytest.raises(BadRequest, match="there is no such archive or folder"):
        install_shards(tmp_path / "nothing", root)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ShardError, match="is missing"):
        install_shards(tmp_path / "empty", root)
    with pytest.raises(ShardError, match="is the folder that is to be installed into"):
        install_shards(root, root)
    (tmp_path / "empty" / NAME).write_text('{"version": "1", "shards": []}')
    with pytest.raises(ShardError, match="lists no shard"):
        install_shards(tmp_path / "empty", root)


def test_a_root_that_cannot_be_one_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError):
        install_shards(make(tmp_path / "new"), tmp_path / "file" / "root")


def test_a_damaged_manifest_is_not_overwritten(tmp_path: Path, root: Path) -> None:
    root.mkdir(parents=True)
    (root / NAME).write_text("{")
    with pytest.raises(ShardError, match="is not JSON"):
        install_shards(make(tmp_path / "new"), root)
    assert (root / NAME).read_text() == "{"


def test_leftovers_are_cleared_and_nothing_else(tmp_path: Path, root: Path) -> None:
    install_shards(make(tmp_path / "new"), root)
    half = staging_folders(root).make(".ragstone-0123456789abcdef")
    (half / "from").mkdir()
    (half / "from" / NAME).write_text("{")
    (root / ".ragstone-00112233445566aa").mkdir()  # killed before it was marked
    (root / ".ragstone-manifest.json-fedcba9876543210").write_text("{")
    (root / ".ragstone-journal-fedcba9876543210").write_text("somebody else is writing it")
    orphan = root / ID / "r7-0123456789abcdef"
    orphan.mkdir()
    mine = root / "mine" / "r7-0123456789abcdef"
    mine.mkdir(parents=True)
    (root / ".ragstone-touched.json").write_text(json.dumps([f"{ID}/{orphan.name}", "../x/r1-0123456789abcdef", 7]))
    install_shards(make(tmp_path / "new", seed=1), root)
    kept = [".ragstone-id", ".ragstone-journal-fedcba9876543210", ".ragstone-lock", NAME, "mine", ID]
    assert sorted(path.name for path in root.iterdir()) == kept
    assert not orphan.exists()
    assert mine.exists()


def test_a_reader_that_has_the_old_files_open_reads_on(tmp_path: Path, root: Path) -> None:
    install_shards(make(tmp_path / "new"), root)
    rows = np.load(entry_of(root).place(root).embeddings, mmap_mode="r")
    before = np.array(rows)
    for seed in (1, 2, 3):
        install_shards(make(tmp_path / "new", seed=seed), root)
    assert not entry_of(root).place(root).folder.samefile(root)
    np.testing.assert_array_equal(rows, before)
