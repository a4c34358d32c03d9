"""Measures an encoder alone: single questions, batches of texts, similarity of its vectors to the reference's."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np

from .figures import spread

_QUESTIONS = 60
_REFERENCE = "fp32-vectors.npy"


def ragstone(work: str, precision: Literal["fp32", "int8"]) -> dict[str, Any]:
    """Ragstone's own; fp32's vectors are kept for the others to be compared with."""
    started = time.perf_counter()
    from ragstone.core import Encoder
    from ragstone.core.embedding import MiniLMEmbedding

    model = Encoder(MiniLMEmbedding.find(Path(work, "cache", "encoder"), precision=precision))
    loaded = time.perf_counter() - started
    speed, vectors = _measured(work, model.embed_query, model.embed_texts)
    if precision == "fp32":
        np.save(Path(work, _REFERENCE), vectors)
    return {"load_s": round(loaded, 3), **speed, "cosine_to_fp32": _cosines(work, vectors)}


def huggingface(work: str, weights: str) -> dict[str, Any]:
    """``HuggingFaceEmbedding`` with its defaults."""
    started = time.perf_counter()
    from llama_index.embeddings.huggingface import HuggingFaceEmbedding

    model = HuggingFaceEmbedding(model_name=weights)
    loaded = time.perf_counter() - started
    speed, vectors = _measured(work, model.get_query_embedding, model.get_text_embedding_batch)
    return {"load_s": round(loaded, 3), **speed, "cosine_to_fp32": _cosines(work, vectors)}


def _measured(
    work: str, embed_query: Callable[[str], Any], embed_texts: Callable[[list[str]], Any]
) -> tuple[dict[str, Any], Any]:
    """Speed over the prepared questions and texts (each within the model's window), and the texts' vectors."""
    questions: list[str] = json.loads(Path(work, "questions.json").read_text("utf-8"))[:_QUESTIONS]
    texts: list[str] = json.loads(Path(work, "texts.json").read_text("utf-8"))
    embed_texts(texts[:: max(1, len(texts) // 24)])
    for question in questions[:10]:
        embed_query(f"{question} And why?")
    spent = [_timed(embed_query, question) for question in questions]
    started = time.perf_counter()
    vectors = np.asarray(embed_texts(texts), np.float32)
    seconds = time.perf_counter() - started
    speed = {"query_ms": spread(spent), "texts": len(texts), "texts_per_s": round(len(texts) / seconds, 1)}
    return speed, vectors


def _timed(embed_query: Callable[[str], Any], question: str) -> float:
    started = time.perf_counter()
    embed_query(question)
    return (time.perf_counter() - started) * 1000


def _cosines(work: str, vectors: Any) -> dict[str, float] | None:
    """``None`` when fp32 was not measured."""
    reference = Path(work, _REFERENCE)
    if not reference.is_file():
        return None
    one, other = vectors.astype(np.float64), np.load(reference).astype(np.float64)
    norms = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    cosines = (one * other).sum(axis=1) / norms
    return {"min": round(float(np.min(cosines)), 6), "mean": round(float(np.mean(cosines)), 6)}
