"""The shards that searching is measured over: real sentence vectors first, then copies of them with a jitter."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

_DATA = Path(os.environ.get("RAGSTONE_DATA", Path(__file__).parents[1].parent / "shared" / "data"))
_SENTENCES = 44_000
_JITTER = 0.05
#: Rows that a question is to find.
TOP = 10


def make(folder: str, rows: int) -> dict[str, Any]:
    """The shard with its side files, the questions and their exact answers, unless they are there."""
    place = Path(folder)
    if not (place / "sentences.npy").exists():
        _embed(place)
    if not (root_of(place, rows) / "exact.npy").exists():
        _write_shard(place, rows)
    return {}


def root_of(place: Path, rows: int) -> Path:
    return place / str(rows)


def questions_of(place: Path, count: int) -> tuple[list[str], npt.NDArray[np.float32]]:
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
    root = root_of(place, rows)
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
    finish(root, rows)
    stored = np.load(root / "s/embeddings.npy", mmap_mode="r")
    questions = np.load(place / "questions.npy")
    products = np.concatenate([stored[at : at + 50_000] @ questions.T for at in range(0, rows, 50_000)])
    np.save(root / "exact.npy", np.argpartition(-products, TOP, axis=0)[:TOP].T)


def finish(root: Path, rows: int) -> None:
    """Side files and the manifest."""
    from ragstone.plugins.wiki_edge import Manifest, ShardEntry
    from ragstone.plugins.wiki_edge.shards.side_files import make_side_files

    dimension = np.load(root / "s/embeddings.npy", mmap_mode="r").shape[1]
    fields = {"id": "s", "kind": "wiki", "dim": dimension, "size": rows, "license": "CC-BY-SA-4.0"}
    entry = ShardEntry.of({**fields, "embedding_file": "s/embeddings.npy", "metadata_file": "s/metadata.jsonl"})
    entry = entry.changed(side_files=make_side_files(root / "s", entry))
    Manifest(version="bench", shards=(entry,)).write(root / "manifest.json")
