"""Hybrid search over all shards of a deployment, within one memory budget."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypedDict, Unpack

from llama_index.core.schema import NodeWithScore, TextNode

from ragstone.core import Encoder, NotFound
from ragstone.core.retrieval import (
    Candidates,
    Retrieval,
    Scores,
    Spelling,
    Subjects,
    Timings,
    inverse_frequencies,
    rank,
    with_definitions,
)
from ragstone.core.text import LIGHT_STEMS, asks_for_code, asks_for_tasks, question_stems, unpack

from ..shards.file_arrays import MemoryBudget
from ..shards.manifest import ShardEntry
from .chosen_rows import Chosen, ChosenRows, Vector
from .open_shards import Refused, ShardRegistry
from .shard import Hit, RestTexts, Shard, node_of


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
        return self._hybrid(question, k, only)[0]

    def nearest(self, vector: Vector, *, k: int = 5, **only: Unpack[Only]) -> list[Hit]:
        """As ``search``, by a unit vector alone: the specification's contract for callers with their own encoder."""
        rows = ChosenRows(self._chosen(only, len(vector)))
        return [rows.hit(key, cosine, cosine) for key, cosine in rows.nearest(vector, k).items()]

    def retrieve(self, question: str, *, k: int = 5, threshold: float = 0.0, **only: Unpack[Only]) -> Retrieval:
        """As ``search``, with all that the host's gate and answerer want to know."""
        return replace(self._hybrid(question, k, only)[1], threshold=threshold)

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

    def titles(self, most: int, **only: Unpack[Only]) -> list[str]:
        """Different titles of rows that are spread evenly over the shards, in their order. Raises ``ShardError``."""
        dimensions = {shard.entry.dim for shard in self._registry.current().shards}
        chosen = [each for dimension in sorted(dimensions) for each in self._chosen(only, dimension)]
        found = dict[str, None]()
        for shard, mask in chosen:
            rows = range(len(shard)) if mask is None else mask.nonzero()[0].tolist()
            step = max(1, len(chosen) * len(rows) // most)
            found |= {str(shard.metadata(row)["title"]): None for row in rows[::step]}
        return list(found)[:most]

    def idf(self, words: Sequence[str]) -> dict[str, float]:
        """The inverse document frequency of each stem over all shards."""
        shards = list(self._texts())
        counts = dict.fromkeys(words, 0)
        for shard in shards:
            for word, places in shard.postings.find(words).items():
                counts[word] += len(places)
        return inverse_frequencies(words, counts, sum(len(shard) for shard in shards))

    def _hybrid(self, question: str, k: int, only: Only) -> tuple[list[Hit], Retrieval]:
        started = time.perf_counter()
        vector = self._encoder().embed_query(question)
        encoded = time.perf_counter()
        words = question_stems(question)
        rows = ChosenRows(self._chosen(only, len(vector)))
        dense = rows.nearest(vector, self._fusion.candidates)
        lexical, counts = rows.lexical(words, self._fusion.candidates)
        dense |= rows.cosines(vector, [key for key, _ in lexical if key not in dense])
        unknown = frozenset(words) - counts.keys()
        words = [word for word in words if word not in unknown & LIGHT_STEMS] or words
        idf = inverse_frequencies(words, counts, len(rows))
        scores: Mapping[int, Scores] = rank(
            Candidates(words, idf, dense, dict(lexical), asks_for_tasks(question), asks_for_code(question)),
            weight=self._fusion.dense_weight,
            top_k=k,
            packed=rows.packed_words,
        )
        subjects = Subjects.of(question)
        if subjects.stems and k > len(subjects.stems):
            scores = with_definitions(scores, subjects, vector, rows)
        hits = [rows.hit(key, each.final, each.dense) for key, each in scores.items()]
        nodes = tuple(NodeWithScore(node=node_of(hit), score=hit["score"]) for hit in hits)
        names = [node.node_id for node in nodes]
        terms = zip(names, map(unpack, rows.packed_words(list(scores)).values()), strict=True)
        return hits, Retrieval(
            question=question,
            nodes=nodes,
            scores=dict(zip(names, scores.values(), strict=True)),
            stored_terms={name: known for name, known in terms if known is not None},
            idf=idf,
            vector=vector,
            spelling=Spelling(unknown=unknown & frozenset(words)),
            timings=Timings((encoded - started) * 1000, (time.perf_counter() - encoded) * 1000),
        )

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
