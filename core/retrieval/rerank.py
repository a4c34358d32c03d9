"""Reranking scores: how well the sentences of packed chunks match a question, by their terms alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..text.packed_terms import HEADER, numbers_behind
from ..text.stemming import stem_hash

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt


def rerank_scores(
    chunks: Sequence[bytes], words: Sequence[str], idf: Mapping[str, float]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Two scores of each packed chunk, both float64 [chunks], 0 to 1: the share of the question's weight in ``idf``
    that its best sentence contains together with the headings; and the share of the question's adjacent word pairs that
    are adjacent in the chunk too.
    """
    asked = np.array([stem_hash(word) for word in words], np.uint32)
    weights = np.array([idf.get(word, 0.0) for word in words])
    total = weights.sum()
    sentence, pairs = np.zeros(len(chunks)), np.zeros(len(chunks))
    if not chunks or not total > 0:
        return sentence, pairs
    # All chunks as one array, of which only the few positions matter that hold a word of the question.
    numbers = np.frombuffer(b"".join(chunks), "<u4")
    lengths = np.array([len(data) // 4 for data in chunks])
    ends = np.cumsum(lengths)
    begins = ends - lengths
    versions, headings, counts, sizes = numbers[begins + np.arange(HEADER)[:, None]].astype(np.int64)
    first = begins + HEADER + headings + counts
    last = ends - numbers_behind(versions, counts)
    equal = asked[:, None] == numbers
    word, position = np.divmod(np.flatnonzero(equal), len(numbers))
    chunk = np.searchsorted(ends, position, side="right")
    headed = np.zeros((len(chunks), len(asked)), bool)
    under = (position >= begins[chunk] + HEADER) & (position < first[chunk] - counts[chunk])
    headed[chunk[under], word[under]] = True

    owners = np.repeat(np.arange(len(chunks)), counts)
    listed = np.cumsum(counts) - counts
    lengths = numbers[np.arange(len(owners)) + np.repeat(first - counts - listed, counts)].astype(np.int64)
    # A sentence of stop words alone has no stems and cannot be the best.
    owners, lengths = owners[lengths > 0], lengths[lengths > 0]
    if len(owners):
        within = np.cumsum(lengths) - lengths
        opens = np.flatnonzero(np.diff(owners, prepend=-1))
        starts = first[owners] + within - np.repeat(within[opens], np.diff(opens, append=len(owners)))
        held = headed[owners]
        number = np.maximum(np.searchsorted(starts, position, side="right") - 1, 0)
        inside = (position >= starts[number]) & (position < starts[number] + lengths[number])
        held[number[inside], word[inside]] = True
        sentence[owners[opens]] = np.maximum.reduceat(held @ weights, opens) / total
    if len(asked) > 1:
        # Only where both the question and the chunk have a next word.
        in_text = (position >= first[chunk] + sizes[chunk]) & (sizes[chunk] > 0)
        follow = in_text & (position + 1 < last[chunk]) & (word + 1 < len(asked))
        chunk, position, word = chunk[follow], position[follow], word[follow]
        adjacent = np.zeros((len(chunks), len(asked) - 1), bool)
        beside = equal[word + 1, position + 1]
        adjacent[chunk[beside], word[beside]] = True
        pairs = adjacent.mean(axis=1)
    return sentence, pairs


def link_scores(chunks: Sequence[bytes], words: Sequence[str], idf: Mapping[str, float]) -> list[float]:
    """Scores the packed chunks that the first one leads to, each 0 to 1: the share of the question's weight in
    ``idf`` that the chunk has and the first has not. 0 unless the first has the stems of the chunk's headings side
    by side, as a page names another by its title, and the question has not all of them.

    A question may name no page of its answer: "Who was the first president of the association which published …".
    """
    found = [0.0] * len(chunks)
    if not chunks:
        return found
    weights = {stem_hash(word): idf.get(word, 0.0) for word in words}
    named, text = _headings_and_text(chunks[0])
    missing = {stem: weight for stem, weight in weights.items() if weight > 0 and stem not in named.union(text)}
    for number in range(1, len(chunks)) if missing else ():
        title, own = _headings_and_text(chunks[number])
        if title and title != named and not title <= weights.keys() and _has_run(text, title):
            held = missing.keys() & title.union(own)
            found[number] = sum(missing[stem] for stem in held) / sum(weights.values())
    return found


def _headings_and_text(chunk: bytes) -> tuple[frozenset[int], list[int]]:
    """The stems of a packed chunk's headings, and of its text in order."""
    numbers = np.frombuffer(chunk, "<u4")
    headings, counts, sizes = numbers[1:HEADER].tolist()
    title = frozenset(numbers[HEADER : HEADER + headings].tolist())
    return title, numbers[HEADER + headings + counts + sizes :].tolist()


def _has_run(text: Sequence[int], title: frozenset[int]) -> bool:
    """Whether the stems of the title, in any order, are side by side in the text."""
    size = len(title)
    runs = (text[at : at + size] for at, stem in enumerate(text) if stem in title)
    return title.issubset(text) and any(title == set(run) for run in runs)
