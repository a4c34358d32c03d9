"""The hybrid retriever: dense and lexical search of a corpus, fused."""

from __future__ import annotations

import time
from abc import abstractmethod
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from llama_index.core.callbacks import CallbackManager
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore
from llama_index.core.vector_stores.types import FilterCondition, MetadataFilters
from llama_index.core.vector_stores.utils import build_metadata_filter_fn

from ..text.question_kinds import asks_for_code, asks_for_tasks
from ..text.spelling import with_corrections, with_names, with_numbers_apart
from ..text.stemming import LIGHT_STEMS, form_stems, name_stems, question_stems, stems
from ..text.stemming import words as plain_words
from ..text.terms import asks_for_term
from ..tracing import step
from .calibration import threshold_of
from .definitions import Subjects, with_definitions, with_term
from .fusion import Candidates, Scores, inverse_frequencies, rank
from .models import Retrieval, SearchableCorpus, Spelling, Timings, check_top_k
from .search_cache import RevisionSearch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt
    from llama_index.core.schema import QueryBundle

    from ..embedding import Encoder


class ScoredRetriever(BaseRetriever):
    """A retriever that tells why it offers what it offers. What a plugin's other retrievers offer is embedded again to
    find out how much it is worth."""

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return list(self.search(query_bundle.query_str).nodes)

    @abstractmethod
    def search(self, question: str) -> Retrieval:
        """The chunks with their scores, the words' idf, the question's vector, and the threshold to refuse by."""


class HybridRetriever(ScoredRetriever):
    """A corpus's own retriever: the host's default, and a retriever for any LlamaIndex pipeline.

    ``fusion.rank`` fuses both sides and reranks the first ones.
    """

    def __init__(
        self,
        corpus: SearchableCorpus,
        *,
        top_k: int = 5,
        filters: MetadataFilters | None = None,
        dense_weight: float | None = None,
    ) -> None:
        """``dense_weight``: share of meaning in the fusion, 0 to 1; without it the deployment's."""
        super().__init__(callback_manager=CallbackManager([]))
        check_top_k(top_k, most=None)
        self._dense_weight = corpus.options.dense_weight if dense_weight is None else dense_weight
        self._corpus = corpus
        self._top_k = top_k
        self._filters = filters

    def search(self, question: str) -> Retrieval:
        encoder = self._corpus.encoder  # loaded here, once, so that no question's time counts it
        started = time.perf_counter()
        embedded = encoder.embed_query(question)
        spent = (time.perf_counter() - started) * 1000
        found = self.search_embedded(question, embedded)
        found = replace(found, timings=Timings(spent, found.timings.retrieve))
        apart = with_numbers_apart(question, found.spelling.unknown)
        if apart != question:
            other = self.search(apart)
            if len(other.spelling.unknown) < len(found.spelling.unknown):
                return other
        known = found.spelling.corrections
        texts = (each.node.get_content() for each in found.nodes)
        corrected = with_names(
            with_corrections(question, known), found.spelling.unknown, texts, lambda word: _is_word(word, encoder)
        )
        if corrected == question:
            return found
        # The encoder makes nothing of a misspelt word, but much of a rare one that is taken for one.
        again = self.search_embedded(corrected, encoder.embed_query(corrected))
        both = zip(stems(question), stems(corrected), strict=False)
        meant = {own: other for own, other in both if own in found.spelling.unknown and own != other}
        spelling = replace(again.spelling, corrections={**known, **meant, **again.spelling.corrections})
        return max(
            found, replace(again, spelling=spelling, timings=Timings(spent, again.timings.retrieve)), key=_best_cosine
        )

    def search_embedded(self, question: str, embedded: npt.NDArray[np.float32]) -> Retrieval:
        """The same for a question whose unit vector is known."""
        corpus, options, encoder = self._corpus, self._corpus.options, self._corpus.encoder
        started = time.perf_counter()
        words = question_stems(question)
        pending = corpus.search_cache.submit(embedded)
        with encoder.cpu_slots.acquire(), corpus.catalog.read() as snapshot:
            row = corpus.contents.row(snapshot)
            # Another encoder made the corpus: until it is rebuilt, words find what they can.
            vector = embedded if corpus.has_vectors(row) else None
            search = RevisionSearch(corpus.search_cache, snapshot, row, self._filters)
            with step("HybridRetriever.lexical", words=list(words)) as looked:
                found, frequencies = search.lexical(words, options.candidates)
                spelt = {stem: word for word in plain_words(question) for stem in stems(word)}
                absent = sorted(search.missing(words))  # from what may be found, whatever the other chunks have
                exist = {word: _is_word(spelt.get(word, word), encoder) for word in absent}
                corrections = search.corrections(exist, name_stems(question))
                joined = search.joined(question)
                if corrections or joined:
                    # What the corpus mostly writes as one word, some of its chunks write as two.
                    written = dict.fromkeys([*(corrections.get(word, word) for word in words), *joined.values()])
                    found, frequencies = search.lexical([*written], options.candidates)
                    corrections |= joined
                    words = list(dict.fromkeys(corrections.get(word, word) for word in words))
                looked.set_result(lambda: {"found": len(found)})
            lexical, dense = dict(found), {}
            if vector is not None:
                with step("HybridRetriever.dense", limit=options.candidates) as looked:
                    dense = dict(search.nearest(vector, options.candidates, pending))
                    nearest = len(dense)
                    dense |= search.cosines(vector, [key for key in lexical if key not in dense])
                    looked.set_result(lambda: {"found": nearest})
            missing = search.missing(words)
            not_needed = missing & LIGHT_STEMS | {corrections.get(stem, stem) for stem in form_stems(question)}
            words = [word for word in words if word not in not_needed] or words
            idf = inverse_frequencies(words, frequencies, search.size())
            threshold = threshold_of(row, options, search.searched())
            weight = self._dense_weight if vector is not None else 0.0
            with step("HybridRetriever.fuse", dense_weight=weight, top_k=self._top_k) as fused:
                candidates = Candidates(words, idf, dense, lexical, asks_for_tasks(question), asks_for_code(question))
                scores = rank(candidates, weight=weight, top_k=self._top_k, packed=search.packed_words)
                subjects = Subjects.of(question, lambda stem: corrections.get(stem, stem))
                if subjects.stems and self._top_k > len(subjects.stems):
                    scores = with_definitions(scores, subjects, embedded, search)
                elif vector is not None and asks_for_term(question):
                    scores = with_term(scores, [*dense], idf, vector, snapshot)
                chunks = snapshot.chunks.stored(scores, len(embedded))
                found_chunks = [(chunks[key], scores[key]) for key in scores if key in chunks]
                fused.set_result(lambda: {each.node.node_id: asdict(one) for each, one in found_chunks})
        return Retrieval(
            question=question,
            nodes=tuple(NodeWithScore(node=each.node, score=one.final) for each, one in found_chunks),
            scores={each.node.node_id: one for each, one in found_chunks},
            idf=idf,
            vector=vector,
            spelling=Spelling(corrections, missing & set(words)),
            threshold=threshold,
            sentence_cosines={
                each.node.node_id: each.sentences @ vector
                for each, _ in found_chunks
                if vector is not None and each.sentences is not None
            },
            stored_terms={each.node.node_id: each.terms for each, _ in found_chunks if each.terms is not None},
            timings=Timings(retrieve=(time.perf_counter() - started) * 1000),
        )


def _is_word(word: str, encoder: Encoder) -> bool:
    """Whether the word is one token of the encoder's tokenizer, as words that are often written are; false without one.

    Written twice: without a tokenizer the number of tokens is an estimate, three for two words.
    """
    return encoder.count_tokens(f"{word} {word}") == 2


def _best_cosine(retrieval: Retrieval) -> float:
    return max((each.dense or 0.0 for each in retrieval.scores.values()), default=0.0)


def retrieve_with(
    retriever: BaseRetriever,
    corpus: SearchableCorpus,
    question: str,
    filters: MetadataFilters | None,
    checked: Callable[[object], Sequence[NodeWithScore]],
) -> Retrieval:
    """What the retriever offers. A plugin's own gives no scores of ours, so they are found out for what it gave.

    ``checked``: returns what it gave if these are chunks, and raises if not.
    """
    if isinstance(retriever, ScoredRetriever):
        return retriever.search(question)
    started = time.perf_counter()
    vector = corpus.encoder.embed_query(question)
    encoded = time.perf_counter()
    nodes = tuple(
        node
        for node in checked(retriever.retrieve(question))
        if filters is None or _passes(node.node.metadata, filters)
    )
    embedded = corpus.encoder.embed_chunks([("", node.node.get_content()) for node in nodes])
    words = question_stems(question)
    held = [set(stems(node.node.get_content())) for node in nodes]
    with corpus.catalog.read() as snapshot:
        threshold = threshold_of(snapshot.corpus(corpus.name), corpus.options)
    return Retrieval(
        question=question,
        nodes=nodes,
        scores={
            node.node.node_id: Scores(float((own.windows @ vector).max()), 0.0, node.score or 0.0)
            for node, own in zip(nodes, embedded, strict=True)
        },
        idf=inverse_frequencies(words, {word: sum(word in each for each in held) for word in words}, len(held)),
        vector=vector,
        threshold=threshold,
        sentence_cosines={node.node.node_id: own.sentences @ vector for node, own in zip(nodes, embedded, strict=True)},
        timings=Timings((encoded - started) * 1000, (time.perf_counter() - encoded) * 1000),
    )


def _passes(metadata: Mapping[str, Any], filters: MetadataFilters) -> bool:
    """Whether a chunk of a plugin's retriever is one that the question was narrowed to."""
    nested = [part for part in filters.filters if isinstance(part, MetadataFilters)]  # LlamaIndex takes none
    plain = [part for part in filters.filters if not isinstance(part, MetadataFilters)]
    held = [_passes(metadata, part) for part in nested]
    held += [build_metadata_filter_fn(lambda _: metadata, MetadataFilters(filters=[part]))("") for part in plain]
    if filters.condition == FilterCondition.OR:
        return any(held)
    return not any(held) if filters.condition == FilterCondition.NOT else all(held)
