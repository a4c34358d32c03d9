"""The content of a catalog, read with sqlite3 and numpy alone, and searched by brute force."""

from __future__ import annotations

import math
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt

from ragstone.core import Corpus
from ragstone.core.retrieval import HybridRetriever
from ragstone.core.text import question_stems, stems

from .models import embedded

#: Two sums of the same float32 products in another order differ by less; other chunks by more.
_NEAR = 1e-5
_K1, _B, _HEADINGS = 1.2, 0.75, 1.5


@dataclass(frozen=True)
class Chunk:
    """A chunk's row."""

    chunk_id: str
    headings: str
    text: str
    #: float32 [windows, dimension].
    vectors: npt.NDArray[np.float32]


@dataclass(frozen=True)
class Truth:
    """A corpus at one moment."""

    name: str
    #: Of the documents' rows: a document that is stored again gets another.
    keys: dict[str, int]
    hashes: dict[str, str]
    texts: dict[str, str]
    #: By document, in order.
    chunks: dict[str, tuple[Chunk, ...]]

    @classmethod
    def of(cls, data: Path, name: str, dimension: int = 384, *, state: str = "active") -> Truth:
        """Read it, and see that nothing of the database is broken, half or left over. Raises ``AssertionError``."""
        with closing(sqlite3.connect(f"file:{data / 'catalog.sqlite'}?mode=ro", uri=True, timeout=60)) as connection:
            connection.execute("BEGIN")  # one moment
            _check_whole(connection)
            found = connection.execute("SELECT id FROM corpus WHERE name = ? AND state = ?", (name, state)).fetchone()
            if found is None:
                return cls(name, {}, {}, {}, {})
            rows = connection.execute(
                "SELECT id, doc_id, hash, text FROM document WHERE corpus_id = ? ORDER BY doc_id", found
            ).fetchall()
            chunks = {doc_id: _chunks(connection, key, dimension) for key, doc_id, _hash, _text in rows}
            keys, hashes, texts = ({row[1]: row[column] for row in rows} for column in (0, 2, 3))
            return cls(name, keys, hashes, texts, chunks)

    def nearest(self, question: npt.NDArray[np.float32]) -> list[tuple[str, float]]:
        """Every chunk with the cosine of its nearest window, nearest first."""
        scored = [
            (chunk.chunk_id, float(np.max(chunk.vectors.astype(np.float64) @ question.astype(np.float64))))
            for chunk in self._all()
        ]
        return sorted(scored, key=lambda pair: -pair[1])

    def lexical(self, question: Sequence[str]) -> list[tuple[str, float]]:
        """Every chunk that holds a stem of the question, with BM25 as SQLite documents it, best first."""
        columns = [(chunk.chunk_id, stems(chunk.headings), stems(chunk.text)) for chunk in self._all()]
        lengths = {name: len(heads) + len(body) for name, heads, body in columns}
        average = sum(lengths.values()) / max(1, len(lengths))
        counted = {name: (Counter(heads), Counter(body)) for name, heads, body in columns}
        scores: dict[str, float] = {}
        for word in question:
            holding = {name for name, (heads, body) in counted.items() if word in heads or word in body}
            rare = math.log((len(columns) - len(holding) + 0.5) / (len(holding) + 0.5))
            for name in holding:
                heads, body = counted[name]
                often = _HEADINGS * heads[word] + body[word]
                length = _K1 * (1 - _B + _B * lengths[name] / average)
                score = (rare if rare > 0 else 1e-6) * often * (_K1 + 1) / (often + length)
                scores[name] = scores.get(name, 0.0) + score
        return sorted(scores.items(), key=lambda pair: -pair[1])

    def _all(self) -> Iterable[Chunk]:
        return (chunk for document in self.chunks.values() for chunk in document)


def same_answers(corpus: Corpus, truth: Truth, questions: Iterable[str], *, model: str = "cheap", top: int = 10) -> int:
    """See that both sides of the host's own search find what brute force finds; how many questions were compared."""
    asked = list(questions)
    same_words(corpus, truth, asked, top=top)
    for question in asked:
        dimension = corpus.encoder.dimension
        dense = HybridRetriever(corpus, top_k=top, dense_weight=1.0).search(question)
        found = [(node.node.node_id, dense.scores[node.node.node_id].dense or 0.0) for node in dense.nodes]
        _same(found, truth.nearest(embedded(question, model, dimension)), top, f"nearest to {question!r}")
    return len(asked)


def same_words(corpus: Corpus, truth: Truth, questions: Iterable[str], *, top: int = 10) -> None:
    """As ``same_answers``, of the full text alone: all there is while another encoder's vectors are in the corpus."""
    for question in questions:
        lexical = HybridRetriever(corpus, top_k=top, dense_weight=0.0).search(question)
        scored = [(node.node.node_id, lexical.scores[node.node.node_id].lexical) for node in lexical.nodes]
        wanted = truth.lexical(question_stems(question))
        _same([pair for pair in scored if pair[1] > 0], wanted, top, f"words of {question!r}")


def _same(found: Sequence[tuple[str, float]], wanted: Sequence[tuple[str, float]], top: int, what: str) -> None:
    """The same chunks with the same scores; of chunks that score alike any may come first, or last."""
    scores = dict(wanted)
    assert len(found) == min(top, len(wanted)), f"{what}: {len(found)} passages, not {min(top, len(wanted))}"
    assert len(dict(found)) == len(found), f"{what}: a passage twice"
    for (name, score), (expected, best) in zip(found, wanted, strict=False):
        assert name in scores, f"{what}: {name} is not in the catalog, or has none of the words"
        assert abs(scores[name] - score) < _NEAR * max(1, abs(score)), (
            f"{what}: {name} scores {score}, not {scores[name]}"
        )
        assert abs(score - best) < _NEAR * max(1, abs(best)), (
            f"{what}: {name} ({score}) where {expected} ({best}) belongs"
        )


def _check_whole(connection: sqlite3.Connection) -> None:
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",), "the database is damaged"
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == [], "rows that belong to nothing"
    for (key,) in connection.execute("SELECT id FROM corpus").fetchall():
        chunks = {row[0] for row in connection.execute("SELECT id FROM chunk WHERE corpus_id = ?", (key,))}
        words = {row[0] for row in connection.execute(f"SELECT rowid FROM fulltext_{int(key)}")}
        assert chunks == words, f"corpus {key}: {len(chunks)} chunks, {len(words)} of them in the full text"


def _chunks(connection: sqlite3.Connection, key: int, dimension: int) -> tuple[Chunk, ...]:
    rows = connection.execute(
        "SELECT chunk_id, headings, text, vectors, position FROM chunk WHERE document_id = ? ORDER BY position", (key,)
    ).fetchall()
    assert [row[4] for row in rows] == list(range(len(rows))), f"document {key}: chunks are missing"
    found = []
    for chunk_id, headings, text, blob, _position in rows:
        vectors = np.frombuffer(blob, "<f4").reshape(-1, dimension)
        assert len(vectors), f"{chunk_id} has no vector"
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3), f"{chunk_id}: not unit vectors"
        found.append(Chunk(chunk_id, headings, text, vectors))
    return tuple(found)


def questions_of(truth: Truth, random: Random, count: int) -> list[str]:
    """Questions of words of the corpus, adjacent ones and distant ones, and one of other words."""
    texts = [chunk.text.split() for chunk in truth._all()] or [["nothing"]]
    found = []
    for _ in range(count):
        one, other = random.choice(texts), random.choice(texts)
        found.append(" ".join([*random.sample(one, min(3, len(one))), *random.sample(other, min(2, len(other)))]))
    return [*found, "quite unheard of"]
