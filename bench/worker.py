"""``python -m bench.worker``: resident memory of a process that answers from one large corpus by exact search.

The chunks are made of random words and random vectors and are written straight into the catalog; nothing is embedded.
Prints JSON: megabytes before the vectors are loaded, after the first question and after many, and the greatest.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from llama_index.core.embeddings import MockEmbedding

from ragstone.core import hookimpl
from ragstone.core.catalog import NewChunk, NewDocument
from ragstone.core.testing import SmallCorpus, fill_small_corpus, open_host
from ragstone.web.serve import settle

from .children import measure
from .machine import memory_mb

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from llama_index.core.base.embeddings.base import BaseEmbedding

    from ragstone.core import Host

_DIMENSION = 384
_WORDS = [f"word{number}" for number in range(20_000)]
#: The second word of a language is half as frequent as the first, the third a third.
_WEIGHTS = list(accumulate(1 / (rank + 10) for rank in range(len(_WORDS))))
_WORDS_A_CHUNK = 120
_QUESTIONS, _THREADS = 400, 8


class _Corpus(SmallCorpus):
    """The kit's small corpus, with an encoder that costs nothing."""

    @hookimpl
    def ragstone_embed_model(self) -> BaseEmbedding:
        return MockEmbedding(embed_dim=_DIMENSION)


def _opened(folder: str) -> AbstractContextManager[Host]:
    return open_host(Path(folder), plugins={"corpus": _Corpus()}, options={"disabled": ["test_models"]})


def _text(source: random.Random, words: int) -> str:
    return " ".join(source.choices(_WORDS, cum_weights=_WEIGHTS, k=words)) + "."


def fill(folder: str, chunks: int, of_a_document: int) -> dict[str, Any]:
    """Write the corpus."""
    source, numbers = random.Random(1), np.random.default_rng(1)
    with _opened(folder) as host:
        corpus = fill_small_corpus(host)
        with host.catalog.read() as snapshot:
            row = corpus.contents.row(snapshot)
        for number in range(chunks // of_a_document):
            vectors = numbers.standard_normal((of_a_document, 1, _DIMENSION)).astype(np.float32)
            vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
            name = f"document-{number}"
            parts = [
                NewChunk(f"{name}-{at}", "", _text(source, _WORDS_A_CHUNK), {"title": name}, {"id_": f"{name}-{at}"}, v)
                for at, v in enumerate(vectors)
            ]
            host.catalog.documents.put(row.id, NewDocument(name, name, "", {"title": name}, parts))
    return {}


def ask(folder: str) -> dict[str, Any]:
    """Ask as the web front does: several threads, after ``settle``."""
    with _opened(folder) as host, ThreadPoolExecutor(_THREADS) as threads:
        corpus, source = host.assistant("small_corpus").corpus, random.Random(2)
        settle(host)
        before = memory_mb("VmRSS")

        def one(_: int) -> None:
            host.pipeline.retrieve(corpus, _text(source, 8), top_k=8)

        threads.submit(one, 0).result()
        loaded = memory_mb("VmRSS")
        list(threads.map(one, range(_QUESTIONS)))
        return {
            "before_mb": before,
            "loaded_mb": loaded,
            "asked_mb": memory_mb("VmRSS"),
            "chunks": corpus.info().chunks,
        }


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.worker", description=__doc__)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--of-a-document", type=int, default=100, help="chunks")
    parser.add_argument("--folder", type=Path, help="keep the corpus here, and use it again")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        folder = given.folder or Path(work)
        if not (folder / "data").exists():
            measure("worker.fill", folder=str(folder), chunks=given.chunks, of_a_document=given.of_a_document)
        found = measure("worker.ask", folder=str(folder))
    found["kb_a_chunk"] = round((found["asked_mb"] - found["before_mb"]) * 1000 / found["chunks"], 2)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
