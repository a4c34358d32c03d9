"""Measurements of one search method over one shard: latency, recall, memory, bytes read.

Each function runs in a process of its own.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .figures import spread
from .machine import memory_mb
from .shard_data import TOP, finish, questions_of, root_of

Vectors = npt.NDArray[np.float32]

_COLD = 25


def ours(folder: str, rows: int, questions: int) -> dict[str, Any]:
    """Ragstone: dense alone, and hybrid through the searcher."""
    return _ours(Path(folder), root_of(Path(folder), rows), questions)


def ours_clustered(folder: str, rows: int, questions: int) -> dict[str, Any]:
    """The same over rows in clusters, as they are made for larger shards."""
    from ragstone.plugins.wiki_edge.shards import clusters

    root = root_of(Path(folder), rows)
    other = root.with_name(f"{rows}-clustered")
    clusters.LARGE = 0
    if not (other / "exact.npy").exists():
        (other / "s").mkdir(parents=True, exist_ok=True)
        for name in ("s/embeddings.npy", "s/metadata.jsonl"):
            (other / name).unlink(missing_ok=True)
            os.link(root / name, other / name)
        finish(other, rows)
        os.link(root / "exact.npy", other / "exact.npy")
    return _ours(Path(folder), other, questions)


def _ours(folder: Path, root: Path, questions: int) -> dict[str, Any]:
    from ragstone.plugins.wiki_edge.search.searcher import ShardSearcher

    asked, vectors = questions_of(folder, questions)
    before = memory_mb("RssAnon")
    known = dict(zip(asked, vectors, strict=True))
    stand_in: Any = _Known(known)
    searcher = ShardSearcher([root], lambda: stand_in, cache=root / "cache")
    started = time.perf_counter()
    searcher.nearest(vectors[0], k=TOP)
    loading = time.perf_counter() - started

    def dense(number: int) -> list[int]:
        return [int(hit["metadata"]["id"]) for hit in searcher.nearest(vectors[number], k=TOP)]

    def hybrid(number: int) -> list[int]:
        return [int(hit["metadata"]["id"]) for hit in searcher.search(asked[number], k=TOP)]

    found = _measured(root, questions, dense, before, loading)
    again = _measured(root, questions, hybrid, before, loading)
    return {**found, "hybrid": {name: again[name] for name in ("warm_ms", "cold", "anonymous_mb")}}


def specification(folder: str, rows: int, questions: int) -> dict[str, Any]:
    """The specification's loader: all vectors and all metadata in memory, one matrix product."""
    root, vectors = root_of(Path(folder), rows), questions_of(Path(folder), questions)[1]
    before = memory_mb("RssAnon")
    started = time.perf_counter()
    matrix = np.load(root / "s" / "embeddings.npy")
    with (root / "s" / "metadata.jsonl").open(encoding="utf-8") as lines:
        metadata = [json.loads(line) for line in lines]
    loading = time.perf_counter() - started

    def search(number: int) -> list[int]:
        scores = matrix @ vectors[number]
        best = np.argpartition(-scores, TOP)[:TOP]
        return [int(metadata[row]["id"]) for row in best[np.argsort(-scores[best])]]

    return _measured(root, questions, search, before, loading)


def faiss(folder: str, rows: int, questions: int) -> dict[str, Any]:
    """faiss, exact, all vectors in memory."""
    import faiss as library  # type: ignore[import-untyped,import-not-found,unused-ignore]

    root, vectors = root_of(Path(folder), rows), questions_of(Path(folder), questions)[1]
    before = memory_mb("RssAnon")
    started = time.perf_counter()
    index = library.IndexFlatIP(vectors.shape[1])
    stored = np.load(root / "s" / "embeddings.npy", mmap_mode="r")
    for start in range(0, rows, 10_000):
        index.add(np.ascontiguousarray(stored[start : start + 10_000]))
    loading = time.perf_counter() - started

    def search(number: int) -> list[int]:
        return [int(row) for row in index.search(vectors[number : number + 1], TOP)[1][0]]

    return _measured(root, questions, search, before, loading)


def chroma(folder: str, rows: int, questions: int) -> dict[str, Any]:
    """Chroma with its defaults, ids alone."""
    import chromadb

    root, vectors = root_of(Path(folder), rows), questions_of(Path(folder), questions)[1]
    before = memory_mb("RssAnon")
    client = chromadb.PersistentClient(str(root / "chroma"))
    collection = client.get_or_create_collection("rows", embedding_function=None, metadata={"hnsw:space": "ip"})
    stored = np.load(root / "s" / "embeddings.npy", mmap_mode="r")
    started = time.perf_counter()
    for start in range(collection.count(), rows, 5_000):
        some = np.ascontiguousarray(stored[start : start + 5_000])
        collection.add(ids=[str(start + number) for number in range(len(some))], embeddings=some)
    collection.query(query_embeddings=vectors[:1], n_results=1)
    loading = time.perf_counter() - started

    def search(number: int) -> list[int]:
        found = collection.query(query_embeddings=vectors[number : number + 1], n_results=TOP, include=["distances"])
        return [int(row) for row in found["ids"][0]]

    return _measured(root, questions, search, before, loading)


class _Known:
    """The encoder's place: the questions' vectors are known, so that searching alone is measured."""

    family = "bench"
    dimension = 384

    def __init__(self, vectors: dict[str, Vectors]) -> None:
        self._vectors = vectors

    def embed_query(self, question: str) -> Vectors:
        return self._vectors[question]


def _measured(
    root: Path, questions: int, search: Callable[[int], list[int]], before: float, loading: float
) -> dict[str, Any]:
    exact = np.load(root / "exact.npy")
    _know(root)
    search(0)
    hits, warm, most = 0, [], 0.0
    for number in range(questions):
        started = time.perf_counter()
        found = search(number)
        warm.append((time.perf_counter() - started) * 1000)
        hits += len(set(found) & set(exact[number].tolist()))
        most = max(most, memory_mb("RssAnon"))
    cold, read = [], []
    for number in range(_COLD):
        _forget(root)
        bytes_before = _read_bytes()
        started = time.perf_counter()
        search(number)
        cold.append((time.perf_counter() - started) * 1000)
        read.append(_read_bytes() - bytes_before)
    return {
        "loading_s": round(loading, 2),
        "warm_ms": spread(warm),
        "recall@10": round(hits / (questions * TOP), 4),
        "anonymous_mb": round(most - before, 1),
        "cold": {"ms": spread(cold), "read_kb": round(float(np.median(read)) / 1024)},
    }


def _read_bytes() -> int:
    """Bytes that the system has fetched from the disk for this process."""
    with Path("/proc/self/io").open() as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("read_bytes"))


def _know(root: Path) -> None:
    """Let the system keep the shard's files: who was measured before had it forget them."""
    buffer = bytearray(1 << 20)
    for path in root.rglob("*"):
        if path.is_file() and "chroma" not in path.parts:
            with path.open("rb", buffering=0) as file:
                while file.readinto(buffer):
                    pass


def _forget(root: Path) -> None:
    """Let the system drop what it keeps of the shard's files."""
    for path in root.rglob("*"):
        if path.is_file():
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(descriptor)
