"""module.Codes: what they find is what exact search finds, in memory or from disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from ragstone.plugins.wiki_edge import ShardError
from ragstone.plugins.wiki_edge.shards import clusters
from ragstone.plugins.wiki_edge.shards import codes as module
from ragstone.plugins.wiki_edge.shards.file_arrays import FileArray, MemoryBudget

Rows = npt.NDArray[np.float32]


def clustered(rows: int, dimension: int = 96) -> Rows:
    """Unit rows about some hundred centroids, off centre as sentence vectors are."""
    draws = np.random.default_rng(3)
    centroids = draws.standard_normal((100, dimension)) + 0.7
    found = (centroids[draws.integers(0, 100, rows)] + 0.8 * draws.standard_normal((rows, dimension))).astype(
        np.float32
    )
    unit: Rows = found / np.linalg.norm(found, axis=1, keepdims=True)
    return unit


def codes_of(rows: Rows, folder: Path, megabytes: float = 64) -> module.Codes:
    np.save(folder / "embeddings.npy", rows)
    embeddings = FileArray(folder / "embeddings.npy", dtype="<f4", ndim=2)
    module.make(embeddings, folder / "codes.npy", folder / "centre.npy")
    return module.Codes(folder / "codes.npy", folder / "centre.npy", rows.shape, MemoryBudget(megabytes))


@pytest.mark.parametrize("megabytes", [64, 0.001])
def test_the_nearest_rows_are_among_those_that_seem_nearest(tmp_path: Path, megabytes: float) -> None:
    rows = clustered(2 * module.BLOCK + 777)
    codes = codes_of(rows, tmp_path, megabytes)
    found = wanted = 0
    for question in clustered(40):
        near = set(codes.nearest(question, 200).tolist())
        assert len(near) == 200
        exact = np.argsort(-(rows @ question))[:10].tolist()
        found += len(near.intersection(exact))
        wanted += 10
    assert found / wanted > 0.97


def test_in_memory_and_from_disk_are_the_same(tmp_path: Path) -> None:
    rows = clustered(module.BLOCK + 5)
    held, read = codes_of(rows, tmp_path), codes_of(rows, tmp_path, 0.001)
    for question in rows[:5]:
        assert held.nearest(question, 50).tolist() == read.nearest(question, 50).tolist()


@pytest.mark.parametrize("rows", [0, 1, 7, module.BLOCK])
def test_few_rows_are_all_found(tmp_path: Path, rows: int) -> None:
    vectors = clustered(max(rows, 1))
    codes = codes_of(vectors[:rows], tmp_path)
    assert codes.nearest(vectors[0], 20_000).tolist() == list(range(rows))


def test_only_the_kept_rows_are_found(tmp_path: Path) -> None:
    rows = clustered(1000)
    codes = codes_of(rows, tmp_path)
    kept = np.arange(1000) % 7 == 0
    assert codes.nearest(rows[1], 30, kept).size == 30
    assert (codes.nearest(rows[1], 30, kept) % 7 == 0).all()
    assert 0 in codes.nearest(rows[0], 30, kept)


def test_codes_of_another_shard_are_refused(tmp_path: Path) -> None:
    codes_of(clustered(100), tmp_path)
    with pytest.raises(ShardError, match="shape"):
        module.Codes(tmp_path / "codes.npy", tmp_path / "centre.npy", (module.BLOCK + 1, 96), MemoryBudget(64))
    with pytest.raises(ShardError, match="shape"):
        module.Codes(tmp_path / "codes.npy", tmp_path / "centre.npy", (100, 384), MemoryBudget(64))


def test_a_file_that_shrinks_under_a_reader_is_an_error(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", clustered(1000))
    array = FileArray(tmp_path / "a.npy", dtype="<f4", ndim=2)
    with (tmp_path / "a.npy").open("r+b") as file:
        file.truncate(5000)
    with pytest.raises(ShardError, match="truncated"):
        array.read(0, 1000)
    with pytest.raises(ShardError, match="truncated"):
        array.gather([3, 999])
    assert np.array_equal(array.gather([3, 1]), clustered(1000)[[3, 1]])
    (tmp_path / "a.npy").unlink()
    assert np.array_equal(array.gather([2]), clustered(1000)[[2]])


@pytest.mark.parametrize("megabytes", [64, 0.001])
def test_rows_in_clusters(tmp_path: Path, megabytes: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "_FEWEST", 10_000)
    rows = clustered(2 * module.BLOCK + 777)
    np.save(tmp_path / "embeddings.npy", rows)
    embeddings = FileArray(tmp_path / "embeddings.npy", dtype="<f4", ndim=2)
    centroids, starts, places = (tmp_path / name for name in ("centroids.npy", "starts.npy", "order.npy"))
    order = clusters.make(embeddings, centroids, starts, places)
    assert np.array_equal(np.sort(order), np.arange(len(rows)))
    module.make(embeddings, tmp_path / "codes.npy", tmp_path / "centre.npy", order)
    opened = clusters.Clusters(centroids, starts, places, len(rows), 96)
    codes = module.Codes(
        tmp_path / "codes.npy", tmp_path / "centre.npy", (len(rows), 96), MemoryBudget(megabytes), opened
    )
    kept = np.arange(len(rows)) % 2 == 0
    found = looked_at = 0
    for question in clustered(20):
        looked_at += sum(stop - start for start, stop in opened.near(question))
        found += len(set(codes.nearest(question, 200).tolist()) & set(np.argsort(-(rows @ question))[:10].tolist()))
        assert (codes.nearest(question, 50, kept) % 2 == 0).all()
    assert found / 200 > 0.9
    assert looked_at / 20 < 0.5 * len(rows)
    with pytest.raises(ShardError, match="shape"):
        clusters.Clusters(centroids, starts, places, len(rows) + 1, 96)
