"""The specification's own method on the same chunks: sentence-transformers, and Chroma with its defaults."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import chromadb
from sentence_transformers import SentenceTransformer

from .figures import spread

_BATCH = 5000


def full(work: str, weights: str) -> dict[str, Any]:
    """Embed and store the chunks that were made already; the encoder is loaded and warm. What is longer is cut off."""
    model = SentenceTransformer(weights, device="cpu")
    model.encode(["warm " * length for length in (5, 60, 250)] * 4)
    chunks = json.loads(Path(work, "chunks.json").read_text("utf-8"))
    store = _store(work)
    started = time.perf_counter()
    vectors = model.encode([text for _, text in chunks], show_progress_bar=False)
    store.add(ids=[name for name, _ in chunks], embeddings=vectors, documents=[text for _, text in chunks])
    return {"seconds": round(time.perf_counter() - started, 2), "chunks": store.count()}


def first(work: str, weights: str) -> dict[str, Any]:
    """One query in a fresh process."""
    model, store = SentenceTransformer(weights, device="cpu"), _store(work)
    found = store.query(query_embeddings=model.encode(["how do I configure a proxy?"]), n_results=5)
    return {"found": len(found["ids"][0])}


def warm(work: str, weights: str, chunks: int) -> dict[str, Any]:
    """Queries over many chunks in a process that has answered before; the chunks have any vector."""
    import numpy as np

    model, numbers = SentenceTransformer(weights, device="cpu"), np.random.default_rng(3)
    store = chromadb.PersistentClient(path=str(Path(work, "peer-large"))).get_or_create_collection("memory")
    for begin in range(0, chunks, _BATCH):
        count = min(_BATCH, chunks - begin)
        vectors = numbers.standard_normal((count, 384)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        store.add(ids=[str(begin + each) for each in range(count)], embeddings=vectors, documents=["words"] * count)
    spent = []
    for number in range(320):
        started = time.perf_counter()
        store.query(query_embeddings=model.encode([f"how do I configure thing {number} again?"]), n_results=5)
        spent.append((time.perf_counter() - started) * 1000)
    return {"chunks": store.count(), "queries": len(spent) - 20, "ms": spread(spent[20:])}


def _store(work: str) -> Any:
    client = chromadb.PersistentClient(path=str(Path(work, "peer")))
    return client.get_or_create_collection("memory", metadata={"hnsw:space": "cosine"})
