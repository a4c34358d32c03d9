"""Measurements of one search method over one shard: latency, recall, memory, bytes read.

Each function runs in a process of its own.
"""

from __future__ import annotations

import json
import os
import time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .figures import spread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]

_DATA = Path(os.environ.get("RAGSTONE_DATA", Path(__file__).parents[1].parent / "shared" / "data"))
_SENTENCES = 44_000
_JITTER = 0.05
_COLD = 25
_TOP = 10


def make(folder: str, rows: int) -> dict[str, Any]:
    """The shard with its side files, the questions and their exact answers, unless they are there."""
    place = Path(folder)
    if not (place / "sentences.npy").exists():
        _embed(place)
    if not (_root(place, rows) / "exact.npy").exists():
        _write_shard(place, rows)
    return {}


def ours(folder: str, rows: int, questions: int) -> dict[str, Any]:
    """Ragstone: dense alone, and hybrid through the searcher."""
    return _ours(Path(folder), _root(Path(folder), rows), questions)


def ours_clustered(folder: str, rows: int, questions: int) -> dict[str, Any]:
    """The same over rows in clusters, as they are made for larger shards."""
    from ragstone.plugins.wiki_edge.shards import clusters

    root = _root(Path(folder), rows)
    other = root.with_name(f"{rows}-clustered")
    clusters.LARGE = 0
    if not (other / "exact.npy").exists():
        (other / "s").mkdir(parents=True, exist_ok=True)
        for name in ("s/embeddings.npy", "s/metadata.jsonl"):
            (other / name).unlink(missing_ok=True)
            os.link(root / name, other / name)
        _finish(other, rows)
        os.link(root / "exact.npy", other / "exact.npy")
    return _ours(Path(folder), other, questions)


def _ours(folder: Path, root: Path, questions: int) -> dict[str, Any]:
    from ragstone.plugins.wiki_edge.search.searcher import ShardSearcher

    asked, vectors = _questions(folder, questions)
    before = _anonymous()
    known = dict(zip(asked, vectors, strict=True))
    stand_in: Any = _Known(known)
    searcher = ShardSearcher([root], lambda: stand_in, cache=root / "cache")
    started = time.perf_counter()
    searcher.nearest(vectors[0], k=_TOP)
    loading = time.perf_counter() - started

    def dense(number: int) -> list[int]:
        return [int(hit["metadata"]["id"]) for hit in searcher.nearest(vectors[number], k=_TOP)]

    def hybrid(number: int) -> list[int]:
        return [int(hit["metadata"]["id"]) for hit in searcher.search(asked[number], k=_TOP)]

    found = _measured(root, questions, dense, before, loading)
    again = _measured(root, questions, hybrid, before, loading)
    return {**found, "hybrid": {name: again[name] for name in ("warm_ms", "cold", "anonymous_mb")}}


def specification(folder: str, rows: int, questions: int) -> dict[str, Any]:
    """The specification's loader: all vectors and all metadata in memory, one matrix product."""
    root, vectors = _root(Path(folder), rows), _questions(Path(folder), questions)[1]
    before = _anonymous()
    started = time.perf_counter()
    matrix = np.load(root / "s" / "embeddings.npy")
    with (root / "s" / "metadata.jsonl").open(encoding="utf-8") as lines:
        metadata = [json.loads(line) for line in lines]
    loading = time.perf_counter() - started

    def search(number: int) -> list[int]:
        scores = matrix @ vectors[number]
        best = np.argpartition(-scores, _TOP)[:_TOP]
        return [int(metadata[row]["id"]) for row in best[np.argsort(-scores[best])]]

    return _measured(root, questions, search, before, loading)


def faiss(folder: str, rows: int, questions: int) -> dict[str, Any]:
    """faiss, exact, all vectors in memory."""
    import faiss as library  # type: ignore[import-untyped,import-not-found,unused-ignore]

    root, vectors = _root(Path(folder), rows), _questions(Path(folder), questions)[1]
    before = _anonymous()
    started = time.perf_counter()
    index = library.IndexFlatIP(vectors.shape[1])
    stored = np.load(root / "s" / "embeddings.npy", mmap_mode="r")
    for start in range(0, rows, 10_000):
        index.add(np.ascontiguousarray(stored[start : start + 10_000]))
    loading = time.perf_counter() - started

    def search(number: int) -> list[int]:
        return [int(row) for row in index.search(vectors[number : number + 1], _TOP)[1][0]]

    return _measured(root, questions, search, before, loading)


def chroma(folder: str, rows: int, questions: int) -> dict[str, Any]:
    """Chroma with its defaults, ids alone."""
    import chromadb

    root, vectors = _root(Path(folder), rows), _questions(Path(folder), questions)[1]
    before = _anonymous()
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
        found = collection.query(query_embeddings=vectors[number : number + 1], n_results=_TOP, include=["distances"])
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
        most = max(most, _anonymous())
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
        "recall@10": round(hits / (questions * _TOP), 4),
        "anonymous_mb": round(most - before, 1),
        "cold": {"ms": spread(cold), "read_kb": round(float(np.median(read)) / 1024)},
    }


def _anonymous() -> float:
    with Path("/proc/self/status").open() as lines:
        return next(int(line.split()[1]) / 1000 for line in lines if line.startswith("RssAnon"))


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


def _root(place: Path, rows: int) -> Path:
    return place / str(rows)


def _questions(place: Path, count: int) -> tuple[list[str], Vectors]:
    asked: list[str] = json.loads((place / "questions.json").read_text("utf-8"))
    return asked[:count], np.load(place / "questions.npy")[:count]


def _embed(place: Path) -> None:
    from ragstone.core.embedding.minilm import MiniLMEmbedding

    model = MiniLMEmbedding.find(place / "cache")
    sentences = list(islice(dict.fromkeys(_sentences()), _SENTENCES))
    queries = [json.loads(line)["text"] for line in (_DATA / "wikipedia/squad13/queries.jsonl").open(encoding="utf-8")]
    asked = queries[:: max(1, len(queries) // 300)]
    (place / "sentences.json").write_text(json.dumps(sentences), "utf-8")
    (place / "questions.json").write_text(json.dumps(asked), "utf-8")
    np.save(place / "questions.npy", model.encode(asked))
    np.save(place / "sentences.npy", model.encode(sentences))


def _sentences() -> Iterator[str]:
    from ragstone.core.text import sentence_spans

    for name in ("wikipedia/squad13/corpus.jsonl", "scifact/corpus.jsonl"):
        with (_DATA / name).open(encoding="utf-8") as lines:
            texts = [json.loads(line)["text"] for line in lines]
        for text in texts:
            yield from (text[start:end] for start, end in sentence_spans(text) if 30 < end - start < 400)
    for path in sorted((_DATA / "books/biology").rglob("*.md")):
        for paragraph in path.read_text("utf-8").split("\n\n"):
            if paragraph[:1] not in "#|-*>!`":
                spans = sentence_spans(paragraph)
                yield from (paragraph[start:end] for start, end in spans if 30 < end - start < 400)


def _write_shard(place: Path, rows: int) -> None:
    root = _root(place, rows)
    (root / "s").mkdir(parents=True, exist_ok=True)
    real, texts = np.load(place / "sentences.npy"), json.loads((place / "sentences.json").read_text("utf-8"))
    draws = np.random.default_rng(5)
    with (root / "s/embeddings.npy").open("wb") as file, (root / "s/metadata.jsonl").open("w", encoding="utf-8") as out:
        shape = {"descr": "<f4", "fortran_order": False, "shape": (rows, real.shape[1])}
        np.lib.format.write_array_header_1_0(file, shape)
        for start in range(0, rows, len(real)):
            some = real[: rows - start]
            if start:
                some = some + _JITTER * draws.standard_normal(some.shape).astype(np.float32)
                some /= np.linalg.norm(some, axis=1, keepdims=True)
            file.write(some.astype("<f4").tobytes())
            for number in range(len(some)):
                row = {
                    "id": str(start + number),
                    "title": "",
                    "url": "",
                    "text": texts[number],
                    "license": "CC-BY-SA-4.0",
                }
                out.write(json.dumps(row) + "\n")
    _finish(root, rows)
    stored = np.load(root / "s/embeddings.npy", mmap_mode="r")
    questions = np.load(place / "questions.npy")
    products = np.concatenate([stored[at : at + 50_000] @ questions.T for at in range(0, rows, 50_000)])
    np.save(root / "exact.npy", np.argpartition(-products, _TOP, axis=0)[:_TOP].T)


def _finish(root: Path, rows: int) -> None:
    """Side files and the manifest."""
    from ragstone.plugins.wiki_edge import Manifest, ShardEntry
    from ragstone.plugins.wiki_edge.shards.side_files import make_side_files

    dimension = np.load(root / "s/embeddings.npy", mmap_mode="r").shape[1]
    fields = {"id": "s", "kind": "wiki", "dim": dimension, "size": rows, "license": "CC-BY-SA-4.0"}
    entry = ShardEntry.of({**fields, "embedding_file": "s/embeddings.npy", "metadata_file": "s/metadata.jsonl"})
    entry = entry.changed(side_files=make_side_files(root / "s", entry))
    Manifest(version="bench", shards=(entry,)).write(root / "manifest.json")
