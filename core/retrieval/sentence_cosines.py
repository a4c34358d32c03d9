"""Cosines of sentences that have no stored vector, with the question."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..text.chunk_terms import headings_of
from ..text.stemming import stems
from .sentences import sentences_of

if TYPE_CHECKING:
    from ..embedding import Encoder
    from .models import Retrieval
    from .sentence_scores import ScoredSentence

#: Sentences without a stored vector that are embedded for a question, the best ones by words, and characters of each.
_EMBEDDED_SENTENCES = 12
_EMBEDDED_CHARACTERS = 240


def with_sentence_cosines(retrieval: Retrieval, encoder: Encoder) -> Retrieval:
    """The retrieval with cosines of the sentences of chunks that have no stored vectors of them: those of an older
    Ragstone, which cut their text differently, of a plugin's retriever, of a reader's selection. Raises
    ``EncoderError``."""
    known = retrieval.sentence_cosines
    found_of = [len(known.get(each.node.node_id, ())) for each in retrieval.nodes]
    without = {number for number, found in enumerate(found_of) if found != len(retrieval.terms(number).units)}
    if retrieval.vector is None or not without:
        return retrieval
    best = [each for each in sentences_of(retrieval) if each.chunk in without][:_EMBEDDED_SENTENCES]
    cosines = {
        retrieval.nodes[number].node.node_id: np.full(len(retrieval.terms(number).units), np.nan) for number in without
    }
    if best:
        found = encoder.embed_texts([_with_title(each, retrieval) for each in best]) @ retrieval.vector
        for each, cosine in zip(best, found.tolist(), strict=True):
            cosines[retrieval.nodes[each.chunk].node.node_id][each.unit] = cosine
    return replace(retrieval, sentence_cosines={**known, **cosines})


def _with_title(sentence: ScoredSentence, retrieval: Retrieval) -> str:
    """The beginning of the sentence; behind its document's title where it has no word of that: "It is a bird."."""
    title = next(iter(headings_of(retrieval.nodes[sentence.chunk].node).splitlines()), "")
    text = sentence.text[:_EMBEDDED_CHARACTERS]
    return text if set(stems(title)).intersection(stems(text)) else f"{title[:_EMBEDDED_CHARACTERS]}: {text}"
