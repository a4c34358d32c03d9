"""Answers a question about a selected text from that text alone."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from llama_index.core.schema import BaseNode, NodeWithScore, TextNode

from ..embedding import Encoder
from ..retrieval.fusion import Scores
from ..retrieval.models import Retrieval, Timings
from ..retrieval.sentences import with_sentence_cosines
from ..runtime.request import check_budget
from ..text.chunk_terms import idf_coverage, terms_of
from ..text.stemming import question_stems, stem_hashes, stems
from ..text.stemming import words as plain_words

#: Words of questions about a selection that ask for it as a whole, as stems.
_ABOUT_IT_ALL = frozenset(
    stems("explain mean meaning say summarise summarize summary describe passage text selection paragraph sentence")
)
#: Evidence below which a question is not one about the selection.
_SELECTION_THRESHOLD = 0.55
#: Windows of the encoder that are embedded, at some 40 ms each: the longest selection of English prose has about 20,
#: one of nothing but brackets has 80.
_MOST_WINDOWS = 24


def from_selection(encoder: Encoder, question: str, selection: TextNode) -> tuple[Retrieval, bool]:
    """The selection as the only chunk, and whether the question is one about it. Raises ``EncoderError``."""
    started = time.perf_counter()
    text = selection.text
    vector = encoder.embed_query(question)
    windows = encoder.embed_texts(_spread(encoder.windows("", text)))
    cosine = float((windows @ vector).max())
    encoded = time.perf_counter()
    words = [word for word in question_stems(question) if word not in _ABOUT_IT_ALL]
    idf = dict.fromkeys(words, 1.0)
    coverage = idf_coverage(idf, set(stem_hashes(text)))
    asks_for_it_all = not set(stems(question)) - _ABOUT_IT_ALL
    retrieval = Retrieval(
        question=question,
        nodes=(NodeWithScore(node=selection, score=1.0),),
        scores={selection.node_id: Scores(cosine, coverage, 1.0)},
        idf=idf,
        vector=vector,
        timings=Timings((encoded - started) * 1000, (time.perf_counter() - encoded) * 1000),
    )
    retrieval = with_sentence_cosines(retrieval, encoder)
    return retrieval, asks_for_it_all or max(cosine, 0.0) + coverage >= _SELECTION_THRESHOLD


def _with_whole_sentences(selection: str, chunk: BaseNode) -> str:
    """The selection with the rest of its first and last sentence, if it is in the chunk letter by letter."""
    text, selected = chunk.get_content(), selection.strip()
    start = text.find(selected)
    if start < 0:
        return selection
    end = start + len(selected)
    cut = [unit for unit in terms_of(chunk).units if unit.start < end and start < unit.end]
    return text[min(start, cut[0].start) : max(end, cut[-1].end)] if cut else selection


def _spread(windows: list[str]) -> list[str]:
    """At most ``_MOST_WINDOWS`` of them, spread evenly."""
    count = len(windows)
    return (
        [windows[number * count // _MOST_WINDOWS] for number in range(_MOST_WINDOWS)]
        if count > _MOST_WINDOWS
        else windows
    )


def placed(selection: str, chunks: Sequence[BaseNode], metadata: Mapping[str, str]) -> TextNode:
    """The selection as a chunk, with the id and the place of the first of the chunks that it was taken from."""
    # Compared by words: a page shows no list marks and no code marks.
    wanted = " ".join(plain_words(selection))
    for chunk in chunks:
        check_budget()
        held = " ".join(plain_words(chunk.get_content()))
        if wanted in held or held in wanted:
            whole = _with_whole_sentences(selection, chunk)
            return TextNode(id_=chunk.node_id, text=whole, metadata=dict(chunk.metadata))
    return TextNode(id_="selection", text=selection, metadata=dict(metadata))
