"""Extractive answers: the sentences of the passages that answer, word for word, each with its marker."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain, islice, takewhile
from typing import TYPE_CHECKING

from ..runtime.budget import check_budget
from ..text.chunk_terms import ChunkTerms, terms_of
from ..text.instructions import instructions_of, is_asked_about
from ..text.question_kinds import answer_type_scorer, asks_for_a_reason, gives_a_reason
from ..text.segmentation import Unit, quote_end

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ..embedding import Encoder
    from ..retrieval.follow_up import FollowUp
    from ..retrieval.models import Retrieval

# The weights were chosen on 1,500 questions of SQuAD articles: the gold answer is in the first sentence of 77 % of
# the answers, in the first two of 87 %, in the whole of 91 %. Any of them between half and double costs about a point.

#: Cosines decide between the best sentences by words: at most ``_SHORTLIST``, with a score at most ``_CLOSE`` below the
#: best one's, or ``_LESS_CLOSE`` where the best one holds less than ``_LITTLE`` of the question. Embedding them is most
#: of an answer's time; for most questions one sentence is left. Over 4,557 questions of SQuAD articles the gold answer
#: is in the first sentence, the first two and the whole of 77.4, 86.7 and 90.7 % of the answers; where the first four
#: were always compared, of 76.9, 86.7 and 90.7 %.
_SHORTLIST = 6
_CLOSE = 0.12
_LESS_CLOSE = 0.3
_LITTLE = 0.6
#: Characters of a sentence that are embedded: its subject is at its beginning.
_EMBEDDED = 240
_MOST_SENTENCES = 3
_MEANING_WEIGHT = 1.0
_PASSAGE_WEIGHT = 0.8
_KIND_WEIGHT = 0.12
#: Weight of a word of the question that is only in the headings above, in the sentence before, or in the one after.
#: The sentence before often has what "it" and "there" refer to.
_HEADING_SHARE = 0.8
_BEFORE_SHARE = 0.5
_BEHIND_SHARE = 0.2
#: Least share of the question that a further sentence must hold, relative to the best one's.
_WORTH_ADDING = 0.3
#: Least share of the earlier question that a sentence must hold after "and why?".
_ABOUT_IT = 0.5
#: Characters; a longer sentence is no sentence but a list or a table that lost its marks.
_LONGEST = 900
_SHORTEST_WORDS = 3


@dataclass(frozen=True)
class Quote:
    """A piece of a passage, ``text[start:end]``."""

    passage: int
    start: int
    end: int
    text: str
    score: float
    #: The part of the score that comes from its words.
    words: float


def choose(retrieval: Retrieval, encoder: Encoder | None, *, most: int = _MOST_SENTENCES) -> list[Quote]:
    """The passages' sentences that answer best, the best one first.

    Deterministic. Without an encoder the words decide alone.
    """
    found = sorted(_new(_by_words(retrieval), retrieval.follow_up), key=_order)
    further = _without_instructions(found, retrieval)  # looked at one by one: most are not needed
    ranked = list(islice(further, _SHORTLIST))
    if not ranked:
        return []
    behind = _LESS_CLOSE if ranked[0].words < _LITTLE else _CLOSE
    near = [quote for quote in ranked if quote.score >= ranked[0].score - behind]
    if encoder is not None and retrieval.vector is not None and len(near) > 1:
        cosines = encoder.embed_texts([quote.text[:_EMBEDDED] for quote in near]) @ retrieval.vector
        meant = {id(quote): _MEANING_WEIGHT * float(cosine) for quote, cosine in zip(near, cosines, strict=True)}
        near.sort(key=lambda quote: (-(quote.score + meant[id(quote)]), quote.passage, quote.start))
    best, *others = [*near, *ranked[len(near) :]]
    worth = (quote for quote in chain(others, further) if quote.words >= _WORTH_ADDING * best.words)
    return [best, *islice(worth, most - 1)]


def _without_instructions(quotes: Iterable[Quote], retrieval: Retrieval) -> Iterator[Quote]:
    """The quotes without instructions; instructions in a passage answer only a question about them."""
    given: set[str] = set()
    for quote in quotes:
        # Overlapping passages hold the same sentence; it counts once, where it ranks best.
        key = " ".join(quote.text.split())
        if key in given:
            continue
        node = retrieval.nodes[quote.passage].node
        pieces, instructing = terms_of(node).units, instructions_of(node)
        quoted = [at for at, unit in enumerate(pieces) if quote.start <= unit.start < quote.end]
        if instructing.isdisjoint(quoted) or is_asked_about(retrieval.question, quote.text):
            given.add(key)
            yield quote
            continue
        # The quote is cut before its first instruction.
        kept = list(takewhile(lambda at: at not in instructing, quoted))  # noqa: B023 - used up at once
        if kept:
            given.add(key)
            end = pieces[kept[-1]].end
            yield replace(quote, end=end, text=quote.text[: end - quote.start])


def _new(quotes: Iterable[Quote], follow_up: FollowUp | None) -> Iterator[Quote]:
    """The quotes that answer "and why?" or "go on": of the same subject, not given already, reasons for a "why"."""
    if follow_up is None or follow_up.own:
        yield from quotes
        return
    given = " ".join(follow_up.answered.split())
    why = asks_for_a_reason(follow_up.asked)
    for quote in quotes:
        is_new = " ".join(quote.text.split()) not in given
        if is_new and quote.words >= _ABOUT_IT and (not why or gives_a_reason(quote.text)):
            yield quote


def _order(quote: Quote) -> tuple[float, int, int]:
    return -quote.score, quote.passage, quote.start


def _by_words(retrieval: Retrieval) -> Iterator[Quote]:
    """Every quotable piece, scored by the question's words in and around it and by its passage's place."""
    idf = retrieval.idf
    kind = answer_type_scorer(retrieval.follow_up.asked if retrieval.follow_up else retrieval.question)
    top = max((passage.score or 0.0 for passage in retrieval.nodes), default=0.0)
    for number, passage in enumerate(retrieval.nodes):
        text = passage.node.get_content()
        place = (passage.score or 0.0) / top if top > 0 else 0.0
        known = terms_of(passage.node)
        for index, unit in enumerate(known.units):
            check_budget()
            if unit.kind in {"code", "header"}:
                continue
            quote = _quote(text, unit, known.units[index + 1 :])
            if quote.endswith("?"):  # a question is no answer
                continue
            if len(quote) > 2 * _LONGEST or len(quote.split()) < _SHORTEST_WORDS:
                continue
            words = _held_share(idf, known, index)
            score = words + _PASSAGE_WEIGHT * place + _KIND_WEIGHT * kind(quote)
            yield Quote(number, unit.start, unit.start + len(quote), quote, score, words)


def _held_share(idf: Mapping[str, float], known: ChunkTerms, index: int) -> float:
    """How much of the question the piece holds, 0 to 1: each word counts once, at its best place."""
    before = known.unit_stems[index - 1] if index else frozenset()
    behind = known.unit_stems[index + 1] if index + 1 < len(known.unit_stems) else frozenset()
    places = (
        (known.unit_stems[index], 1.0),
        (known.heading_stems, _HEADING_SHARE),
        (before, _BEFORE_SHARE),
        (behind, _BEHIND_SHARE),
    )
    total = sum(idf.values())
    found = sum(weight * next((share for place, share in places if word in place), 0.0) for word, weight in idf.items())
    return found / total if total > 0 else 0.0


def _quote(text: str, unit: Unit, following: Sequence[Unit]) -> str:
    return text[unit.start : quote_end(text, unit, list(following[:24]), _LONGEST)]
