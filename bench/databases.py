"""SQLite and PostgreSQL beside each other: ``python -m bench.databases``.

The same synthetic corpus in both, documents of one chunk each with a vector of real size and words as frequent as in a
language; then the same questions through the very retriever that serves. Both keep what was acknowledged on the disk.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import TextNode

from ragstone.core import Corpus, Encoder
from ragstone.core.catalog import Catalog, NewChunk, NewDocument
from ragstone.core.corpus import CorpusParts
from ragstone.core.retrieval import HybridRetriever
from ragstone.core.settings import RetrievalSettings
from tests.support.postgresql import server
from tests.support.words import by_words

if TYPE_CHECKING:
    import numpy.typing as npt

_DIMENSION = 384
_VOCABULARY = 40_000
_WORDS = 120
_ASKED = 8
_PERCENTILES = (50, 99)


class _Noise(BaseEmbedding):
    """Unit vectors without a meaning, of the real size."""

    def _get_text_embedding(self, text: str) -> list[float]:
        return _vectors(len(text), 1)[0].tolist()  # type: ignore[no-any-return]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


def _vectors(seed: int, count: int) -> npt.NDArray[np.float32]:
    rows = np.random.default_rng(seed).standard_normal((count, _DIMENSION)).astype(np.float32)
    unit: npt.NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def _texts(count: int, words: int, seed: int) -> list[str]:
    """Texts whose words are as unevenly frequent as a language's (Zipf), without its stop words."""
    weights = 1 / np.arange(20, _VOCABULARY + 20)
    chosen = np.random.default_rng(seed).choice(_VOCABULARY, (count, words), p=weights / weights.sum())
    return [" ".join(f"w{word}" for word in row) for row in chosen]


def _document(number: int, text: str) -> NewDocument:
    node = TextNode(id_=f"c{number}", text=text)
    kept = {name: value for name, value in node.to_dict().items() if name not in {"text", "metadata", "embedding"}}
    chunk = NewChunk(node.node_id, f"Part {number}", text, {"book": "b"}, kept, _vectors(number, 1))
    return NewDocument(f"d{number}", "h", text, {"book": "b"}, [chunk])


def measure(url: str | None, folder: Path, texts: list[str], questions: list[str]) -> dict[str, Any]:
    """Documents stored in a second, and milliseconds of a question without its encoding."""
    catalog = Catalog(url, folder)
    encoder = Encoder(_Noise())
    corpus = Corpus(
        "bench",
        catalog=catalog,
        parts=CorpusParts(lambda: encoder, SentenceSplitter),
        options=RetrievalSettings(),
    )
    row = catalog.create_corpus("bench", corpus.fingerprint)
    documents = [_document(number, text) for number, text in enumerate(texts)]
    started = time.perf_counter()
    for document in documents:
        catalog.documents.put(row.id, document)
    stored = time.perf_counter() - started
    retriever = HybridRetriever(corpus, top_k=5)
    loading = time.perf_counter()
    retriever.search(questions[0])
    loaded = time.perf_counter() - loading
    taken = [retriever.search(question).retrieve_ms for question in questions]
    words = []
    for question in questions:
        with catalog.read() as snapshot:
            began = time.perf_counter()
            by_words(snapshot, row.id, question.split(), 100)
            words.append((time.perf_counter() - began) * 1000)
    catalog.close()
    return {
        "chunks": len(texts),
        "documents/s": round(len(texts) / stored),
        "first question, s": round(loaded, 2),
        **{f"question p{each}, ms": round(float(np.percentile(taken, each)), 1) for each in _PERCENTILES},
        **{f"words p{each}, ms": round(float(np.percentile(words, each)), 1) for each in _PERCENTILES},
    }


def main() -> None:
    """Measure both and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--questions", type=int, default=500)
    given = parser.parse_args()
    texts = _texts(given.chunks, _WORDS, 7)
    questions = _texts(given.questions, _ASKED, 8)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        found["sqlite"] = measure(None, Path(folder), texts, questions)
    # As Debian sets it up, but for the address: with fsync.
    with server(options=("listen_addresses=",)) as running, running.database() as name:
        found["postgresql"] = measure(running.url(name), Path(), texts, questions)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
