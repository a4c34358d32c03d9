"""Verifying real text, in bounded memory."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

from ragstone.plugins.wiki_edge import Manifest, install_shards, verify_shards

from .samples import EMBEDDINGS, METADATA, NAME, make


def test_memory_does_not_grow_with_the_shard(tmp_path: Path) -> None:
    folder = make(tmp_path / "shards", rows=20_000, dim=384)
    size = sum((folder / name).stat().st_size for name in (EMBEDDINGS, METADATA))
    assert size > 30e6
    tracemalloc.start()
    try:
        assert verify_shards(folder) == []
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8e6


def test_a_shard_without_rows_is_whole(tmp_path: Path) -> None:
    """An episodic memory begins like this."""
    folder = make(tmp_path / "shards", rows=0, kind="episodic")
    assert verify_shards(folder) == []
    assert [one.what for one in install_shards(folder, tmp_path / "root")] == ["installed"]


def test_files_need_no_folder_of_their_own(tmp_path: Path) -> None:
    """Embeddings and metadata may lie anywhere within the manifest's folder; installed they lie together."""
    folder = make(tmp_path / "shards")
    (folder / EMBEDDINGS).rename(folder / "rows.npy")
    (folder / "texts" / "deep").mkdir(parents=True)
    (folder / METADATA).rename(folder / "texts" / "deep" / "m.jsonl")
    entry = Manifest.read(folder / NAME).shards[0]
    moved = entry.changed(embedding_file="rows.npy", metadata_file="texts/deep/m.jsonl")
    Manifest(version="1", shards=(moved,)).write(folder / NAME)
    assert verify_shards(folder) == []
    (done,) = install_shards(folder, tmp_path / "root")
    assert sorted(path.name for path in done.folder.iterdir()) == ["m.jsonl", "rows.npy"]
    assert verify_shards(tmp_path / "root") == []
