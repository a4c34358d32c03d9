"""What a corpus is searched with in memory, and searches of one revision with it."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeVar

from ..runtime.forks import ForkSafeLock, lazily
from ..runtime.revision_cache import RevisionCache
from ..text.irregular_verbs import with_forms
from ..text.spelling import compounds_of, correction_of, of_one_meaning, synonyms_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt
    from llama_index.core.schema import TextNode
    from llama_index.core.vector_stores.types import MetadataFilters

    from ..catalog import CorpusRow, Facets, Snapshot, WordScores
    from ..runtime.batched_matvec import PendingProduct
    from .dense import ExactSearch, LoadedVectors

Value = TypeVar("Value")

#: Bytes of cached word scores, keys by filter and counts: the words of some thousand questions over 20,000 chunks.
_REVISION_BYTES = 32_000_000
#: Bytes of cached packed words, 10,000 chunks of some 800 bytes.
_PACKED_BYTES = 8_000_000
#: Bytes of vectors cached beside an index that returns ids only, 5,000 chunks of some 3 KB.
_VECTORS_BYTES = 15_000_000
#: Chunks in which two words are looked for side by side, the best ones by BM25.
_LOOKED_THROUGH = 50


class VectorIndex(Protocol):
    """A vector index that follows the corpus."""

    #: What is wrong with it, for people.
    failure: str | None

    @property
    def current(self) -> tuple[int, int] | None:
        """The corpus id and change number that it stands at; ``None`` while it cannot answer."""

    def search(
        self, row: CorpusRow, question: npt.NDArray[np.float32], limit: int, filters: MetadataFilters | None
    ) -> list[str] | None:
        """Ids of the nearest chunks; ``None`` when it is not at the corpus's last change."""

    def catch_up(self) -> bool:
        """Apply what changed since the last time; ``True`` when there was something."""

    def close(self) -> None:
        """Close its store."""


class SearchCache:
    """A corpus's vectors, word scores, filters and counts in memory. Safe to use from several threads."""

    def __init__(self, dimension: Callable[[], int]) -> None:
        """``dimension``: of the vectors, asked for when the first question is."""
        self._dimension = dimension
        self._lock = ForkSafeLock()
        #: The vector index that follows the corpus, in a host that lets one follow.
        self.follower: VectorIndex | None = None
        #: By revision: what holds until the corpus changes.
        self.revisions = RevisionCache(_REVISION_BYTES)
        # By chunk, of every revision: a chunk that changes gets another key.
        self.packed = RevisionCache(_PACKED_BYTES)
        self.vectors = RevisionCache(_VECTORS_BYTES)

    @lazily
    def exact(self) -> ExactSearch:
        """Exact search over all vectors."""
        from .dense import ExactSearch

        return ExactSearch(self._dimension())

    def submit(self, question: npt.NDArray[np.float32]) -> PendingProduct | None:
        """Submit the question's product for the next batch; ``None`` where an index answers."""
        return self.exact.submit(question) if self.follower is None else None


class RevisionSearch:
    """Searches one revision of a corpus within one transaction of the catalog."""

    def __init__(
        self, cache: SearchCache, snapshot: Snapshot, row: CorpusRow, filters: MetadataFilters | None = None
    ) -> None:
        """``filters``: which chunks ``lexical`` and ``nearest`` may find."""
        self._cache = cache
        self._snapshot = snapshot
        self._row = row
        self._filters = filters

    def size(self) -> int:
        """The number of chunks."""
        return self._cached(("size",), lambda: self._snapshot.sizes(self._row.id)[1])

    def searched(self) -> int:
        """The number of chunks that pass the filters."""
        return self.size() if self._keys is None else len(self._keys)

    def facets(self, keys: tuple[str, ...]) -> Facets:
        """The numbers of chunks by their values of these metadata keys."""
        return self._cached(("chunk facets", keys), lambda: self._snapshot.chunks.facets(self._row.id, keys))

    def document_facets(self, keys: tuple[str, ...]) -> Facets:
        """The numbers of documents by their values of these metadata keys."""

        def counted() -> Facets:
            known = [document.metadata for document in self._snapshot.documents(self._row.id)]
            return list(Counter(tuple(each.get(key) for key in keys) for each in known).items())

        return self._cached(("document facets", keys), counted)

    @cached_property
    def _keys(self) -> npt.NDArray[np.int64] | None:
        """Keys of the chunks that pass the filters, ascending; ``None`` without filters."""
        filters = self._filters
        if filters is None:
            return None
        return self._cached(("keys", self._filter_key), lambda: self._snapshot.chunks.keys(self._row.id, filters))

    def _rows(self, loaded: LoadedVectors) -> npt.NDArray[np.int64] | None:
        """Rows of the vectors of these chunks; ``None`` without filters."""
        keys = self._keys
        return None if keys is None else self._cached(("rows", self._filter_key), lambda: loaded.rows_of(keys))

    @cached_property
    def _filter_key(self) -> str:
        return "" if self._filters is None else self._filters.model_dump_json()

    def lexical(self, words: Sequence[str], limit: int) -> tuple[list[tuple[int, float]], dict[str, int]]:
        """``(chunk key, BM25)``, best first, and the number of chunks that contain each stem, whatever the filters.

        Scores of words are cached and added up: 0.3 ms at 20,000 chunks, where one query of FTS5 takes 8 ms."""
        from .bm25 import top_chunks

        scores = self._word_scores(words)
        return top_chunks([scores[word] for word in words], limit, self._keys), {
            word: len(scores[word].keys) for word in words if len(scores[word].keys)
        }

    def missing(self, words: Sequence[str]) -> frozenset[str]:
        """The stems that none of the chunks contains that pass the filters."""
        from .bm25 import have_common

        scores, keys = self._word_scores(words), self._keys
        held = (word for word in words if len(scores[word].keys))
        return frozenset(words) - {word for word in held if keys is None or have_common(scores[word].keys, keys)}

    def _word_scores(self, words: Sequence[str]) -> Mapping[str, WordScores]:
        return self._cache.revisions.get_many(
            (self._row.id, self._row.seq), words, lambda missing: self._snapshot.word_scores(self._row.id, missing)
        )

    def joined(self, question: str) -> dict[str, str]:
        """The stems of words of the question that the corpus writes as one word, with that word's stem. The best chunks
        of both words are looked through for the words side by side: the commoner spelling counts."""
        found: dict[str, str] = {}
        compounds = compounds_of(question)
        _, frequencies = self.lexical([each.joined for each in compounds], 1)
        for each in compounds:
            if each.joined in frequencies:
                both = [key for key, _ in self.lexical(each.parts, _LOOKED_THROUGH)[0]]
                texts = self._snapshot.chunks.texts(both).values()
                apart = sum(map(each.is_in, texts))
                if apart < min(frequencies[each.joined], _LOOKED_THROUGH):
                    found |= dict.fromkeys(each.parts, each.joined)
        return found

    def corrections(self, words: Mapping[str, bool], names: Container[str]) -> dict[str, str]:
        """The stems that are meant, by those that no chunk contains: stems of chunks that pass the filters. ``words``:
        by stem, whether it is one of a word that exists; ``names``: those of names, for which no synonym stands."""
        found = ((word, self._correction(word, own, is_name=word in names)) for word, own in words.items())
        return {word: meant for word, meant in found if meant}

    def _correction(self, word: str, is_word: bool, *, is_name: bool) -> str | None:
        def find() -> str | None:
            forms, same = with_forms(word), frozenset[str]() if is_name else synonyms_of(word)  # "bought", "purchase"
            held = forms - self.missing([*forms]) or of_one_meaning(same - self.missing([*same]))
            if held:
                return max((self.lexical([stem], 1)[1][stem], stem) for stem in held)[1]
            known = self._cached(("terms", word[0]), lambda: self._snapshot.terms(self._row.id, word[0]))
            return correction_of(word, known, is_word=is_word, is_allowed=lambda stem: not self.missing([stem]))

        return self._cached(("correction", word, is_word, is_name, self._filter_key), find)

    def nearest(
        self, question: npt.NDArray[np.float32], limit: int, pending: PendingProduct | None = None
    ) -> list[tuple[int, float]]:
        """``(chunk key, cosine)``, best first: from the index while it is current, else by exact search in memory.

        ``pending``: from ``SearchCache.submit`` for this question.
        """
        follower = self._cache.follower
        if follower is not None:
            ids = follower.search(self._row, question, limit, self._filters)
            if ids is not None:
                # The catalog's own vectors give the score: a damaged index can omit chunks, but not misplace them.
                known = self.cosines(question, list(self._snapshot.chunks.keys_of(self._row.id, ids).values()))
                return sorted(known.items(), key=lambda item: (-item[1], item[0]))
        passing = None if self._filters is None or self._keys is None else (self._filters, self._keys)
        found = self._snapshot.vectors.nearest(self._row.id, question, limit, passing)
        if found is not None:
            self._cache.exact.unload()
            return found
        loaded = self._cache.exact.load(self._snapshot, self._row)
        return self._cache.exact.search(loaded, question, limit, self._rows(loaded), pending)

    def cosines(self, question: npt.NDArray[np.float32], keys: Sequence[int]) -> dict[int, float]:
        """Cosines of these chunks, by key."""
        import numpy as np

        from .dense import best_window_cosines

        found = self._cache.exact.cosines(self._row, question, keys)
        if found is None:
            found = self._snapshot.vectors.cosines(self._row.id, question, keys)
        if found is None:
            stored = self._cache.vectors.get_many(
                None, keys, lambda missing: self._snapshot.vectors.of_chunks(missing, len(question))
            )
            if not stored:
                return {}
            sizes = np.array([len(windows) for windows in stored.values()])
            best = best_window_cosines(np.concatenate(list(stored.values())), sizes, question)
            found = dict(zip(stored, best.tolist(), strict=True))
        return found

    def packed_words(self, keys: Sequence[int]) -> dict[int, bytes]:
        """As ``ChunkReader.packed_words``."""
        return self._cache.packed.get_many(None, keys, self._snapshot.chunks.packed_words)

    def texts(self, keys: Sequence[int]) -> dict[int, str]:
        """As ``ChunkReader.texts``."""
        return self._snapshot.chunks.texts(keys)

    def nodes(self, keys: Sequence[int]) -> dict[int, TextNode]:
        """As ``ChunkReader.nodes``."""
        return self._snapshot.chunks.nodes(keys)

    def _cached(self, key: tuple[object, ...], compute: Callable[[], Value]) -> Value:
        """``key``: a tuple, since the scores of a word have the word as theirs."""
        value: Value = self._cache.revisions.get((self._row.id, self._row.seq), key, compute)
        return value
