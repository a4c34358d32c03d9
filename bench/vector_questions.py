"""Vectors of real sentences and questions, and the same questions asked of several vector stores in turn."""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import psutil
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters, VectorStoreQuery

from ragstone.core import Encoder
from ragstone.core.embedding import MiniLMEmbedding
from ragstone.core.text import sentence_spans

from .figures import spread

Vectors = npt.NDArray[np.float32]
#: The positions that a store finds for a question, with a filter or without.
Ask = Callable[[Vectors, str | None], list[int]]

_DATA = Path(os.environ.get("RAGSTONE_DATA") or Path(__file__).parents[2] / "shared" / "data")
_SENTENCES, _QUESTIONS = 20_000, 200
TOP_K = 10
#: How far copies are from their sentences: a cosine of 0.93.
_JITTER = 0.02
#: Share of the chunks that a filter leaves: every so many-th has the value "0".
FILTERS = {"half": 2, "twentieth": 20, "few": 500}


def metadata_of(position: int) -> dict[str, str]:
    """What filters ask for; values do not follow the order of the vectors."""
    return {name: str((position * 7919 // 3) % every) for name, every in FILTERS.items()}


def prepared(work: Path) -> tuple[Vectors, Vectors]:
    """Vectors of sentences and of questions, kept in the folder."""
    kept = work / "sentences.npy", work / "questions.npy"
    if not all(path.is_file() for path in kept):
        encoder = Encoder(MiniLMEmbedding.find(work / "encoder"))
        texts: list[str] = []
        for folder in ("wikipedia/squad13", "wikipedia/squad2dev", "scifact"):
            for line in (_DATA / folder / "corpus.jsonl").read_text("utf-8").splitlines():
                text = json.loads(line)["text"]
                texts += [text[start:end] for start, end in sentence_spans(text)]
        lines = (_DATA / "wikipedia/squad13/queries.jsonl").read_text("utf-8").splitlines()
        questions = [json.loads(line)["text"] for line in lines[:: len(lines) // _QUESTIONS]][:_QUESTIONS]
        np.save(kept[0], np.array(encoder.embed_texts(list(dict.fromkeys(texts))[:_SENTENCES]), np.float32))
        np.save(kept[1], np.array(encoder.embed_queries(questions), np.float32))
    return np.load(kept[0]), np.load(kept[1])


def enlarged(sentences: Vectors, count: int) -> Vectors:
    """The sentences, then copies of them with noise, unit rows."""
    numbers = np.random.default_rng(5)
    rows = np.empty((count, sentences.shape[1]), np.float32)
    for first in range(0, count, len(sentences)):
        part = sentences[: min(len(sentences), count - first)]
        noise = numbers.standard_normal(part.shape).astype(np.float32) * (_JITTER if first else 0)
        rows[first : first + len(part)] = part + noise
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def asked(
    stores: dict[str, Ask], vectors: Vectors, questions: Vectors, pids: Sequence[int]
) -> dict[str, dict[str, Any]]:
    """Of each store and filter: milliseconds, recall@10, and milliseconds of processor time of this process and the
    servers. Each question is asked of one store after the other, so that a busy machine is busy for all of them."""
    found: dict[str, dict[str, Any]] = {store: {} for store in stores}
    for name in (None, *FILTERS):
        wanted = np.arange(len(vectors))
        if name is not None:
            wanted = wanted[[metadata_of(int(position))[name] == "0" for position in wanted]]
        for ask in stores.values():
            ask(questions[0], name)  # what is kept after the first question
        taken = defaultdict(list)
        spent, hits, short = (defaultdict[str, float](float) for _ in range(3))
        for question in questions:
            cosines = vectors[wanted] @ question if name is not None else vectors @ question
            best = set(wanted[np.argpartition(-cosines, TOP_K)[:TOP_K]].tolist())
            for store, ask in stores.items():
                # Reading the processor times takes time too, which is not counted.
                before, began = _processor_s(pids) + time.process_time(), time.perf_counter()
                result = ask(question, name)
                taken[store].append((time.perf_counter() - began) * 1000)
                spent[store] += time.process_time() + _processor_s(pids) - before
                hits[store] += len(best & set(result)) / TOP_K
                short[store] += len(result) < TOP_K
        for store in stores:
            found[store][name or "all"] = {
                "ms": spread(taken[store]),
                "processor_ms": round(spent[store] * 1000 / len(questions), 2),
                "recall@10": round(hits[store] / len(questions), 4),
                "with fewer than 10": int(short[store]),
            }
    return found


def _processor_s(pids: Sequence[int]) -> float:
    """Processor time of servers so far, with the processes that they have started."""
    total = 0.0
    for pid in pids:
        whole = psutil.Process(pid)
        for process in (whole, *whole.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                own = process.cpu_times()
                total += own.user + own.system + own.children_user + own.children_system
    return total


def loaded_into(store: Any, vectors: Vectors, batch_rows: Callable[[int], int]) -> float:
    """Seconds to put the vectors into a store of LlamaIndex's; so many at once as ``batch_rows`` says for its rows."""
    began = time.perf_counter()
    stored = 0
    while stored < len(vectors):
        positions = range(stored, min(len(vectors), stored + batch_rows(stored)))
        store.add(
            [
                TextNode(id_=str(at), text=" ", metadata=metadata_of(at), embedding=vectors[at].tolist())
                for at in positions
            ]
        )
        stored = positions.stop
    return round(time.perf_counter() - began, 1)


def positions_of(store: Any, question: Vectors, name: str | None) -> list[int]:
    """What a store of LlamaIndex's finds, with a filter or without."""
    filters = None if name is None else MetadataFilters(filters=[MetadataFilter(key=name, value="0")])
    query = VectorStoreQuery(query_embedding=question.tolist(), similarity_top_k=TOP_K, filters=filters)
    return [int(found) for found in store.query(query).ids or ()]
