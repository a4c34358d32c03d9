"""Verifying real text, in bounded memory."""

from __future__ import annotations

import json
import tarfile
import tracemalloc
from typing import TYPE_CHECKING

import numpy as np

from ragstone.plugins.wiki_edge.shards.installation import install
from ragstone.plugins.wiki_edge.shards.keys import keygen, read_key
from ragstone.plugins.wiki_edge.shards.manifest import NAME, Manifest, ShardEntry
from ragstone.plugins.wiki_edge.shards.signatures import sign_folder
from ragstone.plugins.wiki_edge.shards.verification import verify

from .samples import EMBEDDINGS, METADATA, make, unit_rows

if TYPE_CHECKING:
    from pathlib import Path


def _real(folder: Path, corpus: Path) -> Path:
    """The abstracts of a BEIR corpus; their rows are random, which verifying cannot tell."""
    folder.mkdir()
    with corpus.open(encoding="utf-8") as lines, (folder / "metadata.jsonl").open("w", encoding="utf-8") as out:
        count = 0
        for line in lines:
            count += 1
            doc = json.loads(line)
            identity = doc["_id"]
            output = {"id": identity, "title": doc["title"], "url": f"https://scifact.example/{identity}"}
            output |= {"text": doc["text"], "license": "CC-BY-NC-2.0"}
            out.write(json.dumps(output, ensure_ascii=False) + "\n")
    np.save(folder / "embeddings.npy", unit_rows(count, 384))
    raw = {"id": "scifact", "kind": "wiki", "dim": 384, "size": count, "license": "CC-BY-NC-2.0"}
    raw |= {"embedding_file": "embeddings.npy", "metadata_file": "metadata.jsonl"}
    Manifest(version="1", shards=(ShardEntry.of(raw),)).write(folder / NAME)
    return folder


def test_real_text_is_verified_signed_packed_and_installed(data: Path, tmp_path: Path) -> None:
    folder = _real(tmp_path / "scifact", data / "scifact" / "corpus.jsonl")
    assert verify(folder) == []
    public = keygen(tmp_path / "key.pem")
    sign_folder(folder, read_key(tmp_path / "key.pem"))
    with tarfile.open(tmp_path / "scifact.tar.gz", "w:gz", compresslevel=1) as tar:
        tar.add(folder, ".")
    (done,) = install(tmp_path / "scifact.tar.gz", tmp_path / "root", trusted_keys=[public], require_signature=True)
    assert done.what == "installed"
    assert (done.folder / "metadata.jsonl").read_bytes() == (folder / "metadata.jsonl").read_bytes()
    assert (done.folder / "embeddings.npy").read_bytes() == (folder / "embeddings.npy").read_bytes()


def test_memory_does_not_grow_with_the_shard(tmp_path: Path) -> None:
    folder = make(tmp_path / "shards", rows=20_000, dim=384)
    size = sum((folder / name).stat().st_size for name in (EMBEDDINGS, METADATA))
    assert size > 30e6
    tracemalloc.start()
    try:
        assert verify(folder) == []
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8e6


def test_a_shard_without_rows_is_whole(tmp_path: Path) -> None:
    """An episodic memory begins like this."""
    folder = make(tmp_path / "shards", rows=0, kind="episodic")
    assert verify(folder) == []
    assert [one.what for one in install(folder, tmp_path / "root")] == ["installed"]


def test_files_need_no_folder_of_their_own(tmp_path: Path) -> None:
    """Embeddings and metadata may lie anywhere within the manifest's folder; installed they lie together."""
    folder = make(tmp_path / "shards")
    (folder / EMBEDDINGS).rename(folder / "rows.npy")
    (folder / "texts" / "deep").mkdir(parents=True)
    (folder / METADATA).rename(folder / "texts" / "deep" / "m.jsonl")
    entry = Manifest.read(folder / NAME).shards[0]
    moved = entry.changed(embedding_file="rows.npy", metadata_file="texts/deep/m.jsonl")
    Manifest(version="1", shards=(moved,)).write(folder / NAME)
    assert verify(folder) == []
    (done,) = install(folder, tmp_path / "root")
    assert sorted(path.name for path in done.folder.iterdir()) == ["m.jsonl", "rows.npy"]
    assert verify(tmp_path / "root") == []
