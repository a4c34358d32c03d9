"""The rows of several shards as one collection, as one question searches them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from llama_index.core.schema import TextNode

from .shard import Hit, RestTexts, Shard, node_of

Vector = npt.NDArray[np.float32]
#: A shard's lines with a mask of the rows that are meant; ``None`` for all of them.
Chosen = tuple[Shard | RestTexts, npt.NDArray[np.bool_] | None]

#: Keys of chunks: the shard's number in these bits, the row below them.
_SHARD = 40
_ROW = (1 << _SHARD) - 1


class ChosenRows:
    """The rows of some shards that a question may find, by keys: core's ``SearchableChunks``.

    What is read raises ``ShardError`` where a shard's files were damaged after it was opened.
    """

    def __init__(self, chosen: Iterable[Chosen]) -> None:
        self._chosen = list(chosen)

    def __len__(self) -> int:
        return sum(len(shard) for shard, _ in self._chosen)

    def nearest(self, vector: Vector, limit: int) -> dict[int, float]:
        """Keys and their cosines, best first."""
        found: list[tuple[float, int]] = []
        for number, (shard, mask) in enumerate(self._chosen):
            rows, cosines = shard.nearest(vector, limit, mask)
            found += [
                (cosine, number << _SHARD | row) for cosine, row in zip(cosines.tolist(), rows.tolist(), strict=True)
            ]
        return dict(_best(found, limit))

    def lexical(self, words: Sequence[str], limit: int) -> tuple[list[tuple[int, float]], dict[str, int]]:
        """``(key, BM25)``, best first, over all shards as if they were one; and how many rows contain each stem."""
        parts = [shard.postings.find(words) for shard, _ in self._chosen]
        counts = {word: count for word in words if (count := sum(len(part[word]) for part in parts))}
        weights = {word: _full_text_idf(len(self), counts.get(word, 0)) for word in words}
        found: list[tuple[float, int]] = []
        for number, ((shard, mask), part) in enumerate(zip(self._chosen, parts, strict=True)):
            best_here = shard.postings.best(part, weights, limit, mask)
            found += [(score, number << _SHARD | row) for row, score in best_here]
        return _best(found, limit), counts

    def cosines(self, question: Vector, keys: Sequence[int]) -> dict[int, float]:
        """Cosines of these rows, the most wanted first: of rows without vectors only the first are given some."""
        by_shard: dict[int, list[int]] = {}
        for key in keys:
            by_shard.setdefault(key >> _SHARD, []).append(key & _ROW)
        return {
            number << _SHARD | row: cosine
            for number, rows in by_shard.items()
            for row, cosine in self._chosen[number][0].cosines(question, rows).items()
        }

    def packed_words(self, keys: Sequence[int]) -> dict[int, bytes]:
        """The rows' packed terms."""
        return {key: self._chosen[key >> _SHARD][0].packed(key & _ROW) for key in keys}

    def texts(self, keys: Sequence[int]) -> dict[int, str]:
        """The rows' texts."""
        return {key: str(self._metadata(key)["text"]) for key in keys}

    def nodes(self, keys: Sequence[int]) -> dict[int, TextNode]:
        """The rows as LlamaIndex nodes."""
        return {key: node_of(self.hit(key, 0.0, None)) for key in keys}

    def hit(self, key: int, score: float, cosine: float | None) -> Hit:
        """The row with its scores."""
        shard = self._chosen[key >> _SHARD][0].entry.id
        return {"score": score, "metadata": self._metadata(key), "cosine": cosine, "shard": shard}

    def _metadata(self, key: int) -> Mapping[str, object]:
        return self._chosen[key >> _SHARD][0].metadata(key & _ROW)


def _best(found: list[tuple[float, int]], limit: int) -> list[tuple[int, float]]:
    """The keys with the highest scores, best first."""
    return [(key, score) for score, key in sorted(found, key=lambda each: (-each[0], each[1]))[:limit]]


def _full_text_idf(rows: int, count: int) -> float:
    """As the host's own full text has it: a word in more than half of the rows still counts a little."""
    return max(math.log((rows - count + 0.5) / (count + 0.5)), 1e-6) if count else 0.0
