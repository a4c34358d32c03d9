"""Hybrid search over all shards of a deployment, within one memory budget."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypedDict, Unpack

from llama_index.core.schema import NodeWithScore, TextNode

from ragstone.core import Encoder, NotFound
from ragstone.core.retrieval import Candidates, Retrieval, Scores, inverse_frequencies, rank
from ragstone.core.text import question_stems, unpack

from ..shards.file_arrays import MemoryBudget
from .open_shards import Refused, ShardRegistry
from .shard import Hit, RestTexts, Shard, node_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..shards.manifest import ShardEntry

    Vector = npt.NDArray[np.float32]
    #: A shard's lines with a mask of the rows that are meant; ``None`` for all of them.
    Chosen = tuple[Shard | RestTexts, npt.NDArray[np.bool_] | None]

#: Keys of chunks: the shard's number in these bits, the row below them.
_SHARD = 40
_ROW = (1 << _SHARD) - 1


class Only(TypedDict, total=False):
    """Only shards and rows of this kind, domain and language."""

    kind: str | None
    domain: str | None
    language: str | None


class Fusion(NamedTuple):
    """As in the deployment's ``[retrieval]``."""

    dense_weight: float = 0.5
    candidates: int = 100


_FUSION = Fusion()


class ShardSearcher:
    """Searches the shards of some manifests. Safe to use from several threads.

    The manifests are looked at before every search; see ``ShardRegistry``.
    """

    def __init__(
        self,
        folders: Sequence[Path],
        encoder: Callable[[], Encoder],
        *,
        cache: Path,
        cache_mb: float = 64,
        fusion: Fusion = _FUSION,
    ) -> None:
        """``folders``: where manifests are, or will be. ``encoder``: gives what embeds the questions.

        ``cache``: for side files of shards that bring none. ``cache_mb``: what all of them may hold in memory.
        """
        self.memory = MemoryBudget(cache_mb)
        self._registry = ShardRegistry(folders, encoder, cache=cache, memory=self.memory)
        self._encoder = encoder
        self._fusion = fusion

    @property
    def shards(self) -> tuple[ShardEntry, ...]:
        """The shards that can be searched now."""
        return tuple(shard.entry for shard in self._registry.current().shards)

    @property
    def refused(self) -> tuple[Refused, ...]:
        """The manifests and shards that cannot."""
        return self._registry.current().refused

    def search(self, question: str, *, k: int = 5, **only: Unpack[Only]) -> list[Hit]:
        """The ``k`` best chunks by words and meaning, best first.

        Raises ``EncoderError``; ``ShardError`` where a shard's files were damaged after it was opened.
        """
        return [hit for hit, _, _ in self._hybrid(question, k, only)[0]]

    def nearest(self, vector: Vector, *, k: int = 5, **only: Unpack[Only]) -> list[Hit]:
        """As ``search``, by a unit vector alone: the specification's contract for callers with their own encoder."""
        shards = list(self._chosen(only, len(vector)))
        found = self._dense(shards, vector, k)
        return [self._hit(shards, key, cosine, cosine) for key, cosine in found.items()]

    def retrieve(self, question: str, *, k: int = 5, threshold: float = 0.0, **only: Unpack[Only]) -> Retrieval:
        """As ``search``, with all that the host's gate and answerer want to know."""
        started = time.perf_counter()
        found, idf, vector, encoded = self._hybrid(question, k, only)
        nodes = tuple(NodeWithScore(node=node_of(hit), score=hit["score"]) for hit, _, _ in found)
        terms = {node.node_id: unpack(packed) for node, (_, _, packed) in zip(nodes, found, strict=True)}
        return Retrieval(
            question=question,
            nodes=nodes,
            scores={node.node_id: scores for node, (_, scores, _) in zip(nodes, found, strict=True)},
            stored_terms={name: known for name, known in terms.items() if known is not None},
            idf=idf,
            vector=vector,
            threshold=threshold,
            encode_ms=encoded * 1000,
            retrieve_ms=(time.perf_counter() - started - encoded) * 1000,
        )

    def chunk(self, node_id: str, *, kind: str | None = None) -> TextNode:
        """The chunk that ``retrieve`` gave under this id. Raises ``NotFound``.

        Shards have no index of ids: the shard's text is gone through, a quarter of a second for 120,000 rows.
        """
        for shard in self._texts():
            name = node_id.removeprefix(f"{shard.entry.id}:")
            if name != node_id and kind in (None, shard.entry.kind):
                known = shard.metadata_of(name)
                if known is not None:
                    return node_of({"score": 0.0, "metadata": known, "shard": shard.entry.id})
        raise NotFound("there is no such passage; its shard may be another one now", where=node_id[:200])

    def idf(self, words: Sequence[str]) -> dict[str, float]:
        """The inverse document frequency of each stem over all shards."""
        shards = list(self._texts())
        counts = dict.fromkeys(words, 0)
        for shard in shards:
            for word, places in shard.postings.find(words).items():
                counts[word] += len(places)
        return inverse_frequencies(words, counts, sum(len(shard) for shard in shards))

    def _hybrid(
        self, question: str, k: int, only: Only
    ) -> tuple[list[tuple[Hit, Scores, bytes]], dict[str, float], Vector, float]:
        """Each hit with its scores and packed terms; the words' idf, the question's vector and its seconds."""
        started = time.perf_counter()
        vector = self._encoder().embed_query(question)
        encoded = time.perf_counter() - started
        words = question_stems(question)
        shards = list(self._chosen(only, len(vector)))
        dense = self._dense(shards, vector, self._fusion.candidates)
        lexical, idf = self._lexical(shards, words)
        by_shard: dict[int, list[int]] = {}
        for key in lexical.keys() - dense.keys():
            by_shard.setdefault(key >> _SHARD, []).append(key & _ROW)
        for number, rows in by_shard.items():
            wanted = sorted(rows, key=lambda row: (-lexical[number << _SHARD | row], row))
            near = shards[number][0].cosines(vector, wanted)
            dense |= {number << _SHARD | row: cosine for row, cosine in near.items()}

        def packed(keys: Sequence[int]) -> dict[int, bytes]:
            return {key: shards[key >> _SHARD][0].packed(key & _ROW) for key in keys}

        ranked = rank(
            Candidates(words, idf, dense, lexical),
            weight=self._fusion.dense_weight,
            top_k=k,
            packed=packed,
        )
        terms = packed(list(ranked))
        hits = [
            (self._hit(shards, key, scores.final, scores.dense), scores, terms[key]) for key, scores in ranked.items()
        ]
        return hits, idf, vector, encoded

    def _texts(self) -> Iterator[Shard | RestTexts]:
        """Each shard, and its chunks without vectors."""
        for shard in self._registry.current().shards:
            yield shard
            if shard.rest is not None:
                yield shard.rest

    def _chosen(self, only: Only, dimension: int) -> Iterator[Chosen]:
        """The shards that can hold what is asked for, each with a mask of the rows that are meant, or ``None``."""
        for shard in self._texts():
            kind, language, domain = only.get("kind"), only.get("language"), only.get("domain")
            if kind in (None, shard.entry.kind) and language in (None, shard.entry.language):
                mask = None if domain is None else shard.of_domain(domain)
                if shard.entry.dim == dimension and (mask is None or mask.any()):
                    yield shard, mask

    @staticmethod
    def _dense(shards: Sequence[Chosen], vector: Vector, limit: int) -> dict[int, float]:
        found: list[tuple[float, int]] = []
        for number, (shard, mask) in enumerate(shards):
            rows, cosines = shard.nearest(vector, limit, mask)
            found += [
                (cosine, number << _SHARD | row) for cosine, row in zip(cosines.tolist(), rows.tolist(), strict=True)
            ]
        return _best(found, limit)

    def _lexical(self, shards: Sequence[Chosen], words: Sequence[str]) -> tuple[dict[int, float], dict[str, float]]:
        """BM25 over all shards as if they were one, and each stem's idf for the gate."""
        parts = [shard.postings.find(words) for shard, _ in shards]
        counts = {word: sum(len(part[word]) for part in parts) for word in words}
        size = sum(len(shard) for shard, _ in shards)
        weights = {word: _full_text_idf(size, count) for word, count in counts.items()}
        found: list[tuple[float, int]] = []
        for number, ((shard, mask), part) in enumerate(zip(shards, parts, strict=True)):
            best_here = shard.postings.best(part, weights, self._fusion.candidates, mask)
            found += [(score, number << _SHARD | row) for row, score in best_here]
        return _best(found, self._fusion.candidates), inverse_frequencies(words, counts, size)

    @staticmethod
    def _hit(shards: Sequence[Chosen], key: int, score: float, cosine: float | None) -> Hit:
        shard = shards[key >> _SHARD][0]
        return {"score": score, "metadata": shard.metadata(key & _ROW), "cosine": cosine, "shard": shard.entry.id}


def _best(found: list[tuple[float, int]], limit: int) -> dict[int, float]:
    """The keys with the highest scores, best first."""
    return {key: score for score, key in sorted(found, key=lambda each: (-each[0], each[1]))[:limit]}


def _full_text_idf(rows: int, count: int) -> float:
    """As the host's own full text has it: a word in more than half of the rows still counts a little."""
    return max(math.log((rows - count + 0.5) / (count + 0.5)), 1e-6) if count else 0.0
