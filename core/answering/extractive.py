"""Extractive answers: the sentences of the chunks that answer, word for word, each with its marker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile

from ..retrieval.answerability import dated_text, is_reply, stems_near
from ..retrieval.models import Retrieval, asked_of
from ..retrieval.parts import RetrievalInParts
from ..retrieval.sentence_scores import ScoredSentence
from ..retrieval.sentences import is_event, sentences_of
from ..text.answer_types import answer_type_scorer, asks_for_value, number_scorer
from ..text.chunk_terms import idf_coverage
from ..text.doers import work_asked
from ..text.formulas import has_formula
from ..text.imperatives import command_verb
from ..text.pointers import announces
from ..text.question_kinds import (
    asks_for_events,
    asks_for_manner,
    asks_for_several,
    asks_for_steps,
    form_required,
)
from ..text.stemming import stem_hash
from ..text.terms import asks_for_term, sides_of
from .comparison import choose_sides
from .quote_extent import with_references, with_what_follows
from .table_rows import is_named_row, with_whole_table

_MOST_SENTENCES, _MOST_WITH_STEPS, _OF_A_PART = 3, 4, 2
#: Words of a question for a procedure that the heading above may lack: its verb.
_BESIDE_HEADING = 1
#: The second sentence has a score at most so much below the best one's, without what that has for defining; the third a
#: quarter. On two sets of SQuAD articles the second is the first with the answer for 6 and 8 % of the questions, the
#: third for 1 %.
_CLOSE = 0.42
#: Added to the score of a further sentence, times the share of the question's words that it and the best one hold.
_ADDED = 0.6
#: Share of the best sentence's words of the question that another one has more of: of 88 second sentences without, on
#: the same articles, three are the first with the answer.
_LEAST_SHARE = 0.5
#: Share of a sentence's stems that an earlier one has, from which it says the same.
_SAME = 0.75
#: Least share of the earlier question that a sentence must hold after "and why?".
_ABOUT_IT = 0.5


def _of_parts(retrieval: RetrievalInParts) -> list[ScoredSentence]:
    """The sentences for each part, those in chunks that the whole has."""
    places = {chunk.node.node_id: at for at, chunk in enumerate(retrieval.nodes)}
    found: dict[tuple[int, int], ScoredSentence] = {}
    for part in retrieval.parts:
        for quote in choose(part)[:_OF_A_PART]:
            if (chunk := places.get(part.nodes[quote.chunk].node.node_id)) is not None:
                found.setdefault((chunk, quote.unit), replace(quote, chunk=chunk))
    return [*found.values()]


def choose(retrieval: Retrieval) -> list[ScoredSentence]:
    """The chunks' sentences that answer, the best one first: those whose scores are close, at most three; of a question
    that asks for several things two for each."""
    if isinstance(retrieval, RetrievalInParts):
        return _of_parts(retrieval)
    sides = sides_of(asked_of(retrieval))
    if sides and (compared := choose_sides(rank_quotes(retrieval), sides, retrieval)):
        return with_references(compared, retrieval)
    allowed = rank_quotes(retrieval)
    best = next(allowed, None)
    if best is None:
        return []
    known = retrieval.terms(best.chunk)
    replies = is_reply(retrieval, best)
    above = known.heading_stems if best.defining else frozenset()  # what it defines
    above |= stems_near(retrieval, best) if replies else frozenset()  # what it replies to
    chosen, given = [best], [_stems(best, retrieval) | known.header_stems(best.unit) | above]
    has_list = best.end > known.units[best.unit].end
    score, asked = best.score - best.for_defining, frozenset(map(stem_hash, retrieval.idf))
    is_named = best.defining > 0 and (asks_for_term(retrieval.question) or work_asked(retrieval.question) is not None)
    has_value = number_scorer(asked_of(retrieval))
    takes_one = not asks_for_several(retrieval.question) and not asks_for_manner(retrieval.question)
    has_row, of_events = takes_one and is_named_row(best, retrieval), is_event(retrieval, best)
    # A further sentence on nothing but the earlier questions is beside a follow-up.
    asked_again, hashes = retrieval.follow_up, retrieval.spelling.hashes
    brought = (hashes(asked_again.new) & given[0] or hashes(asked_again.own) & given[0]) if asked_again else set()
    near = takewhile(lambda each: of_events or each.score >= score - _CLOSE, allowed)
    held = partial(idf_coverage, retrieval.idf)
    for other in sorted(near, key=lambda each: -each.score - _ADDED * held(given[0] | _stems(each, retrieval))):
        is_far = other.chunk != best.chunk if of_events else other.score < score - _CLOSE / len(chosen) ** 2
        if is_far or len(chosen) == _MOST_SENTENCES:
            continue
        own = _stems(other, retrieval)
        # A definition is enough, a whole list, one item of a list, the row of what is asked for, and a reply, but for
        # what the question asks besides.
        is_enough = bool(best.for_defining) or has_list or has_row or _are_items(best, other, retrieval)
        is_enough |= replies and other.chunk != best.chunk
        is_beside = is_enough and asked.isdisjoint(own - given[0])
        is_beside |= other.words <= _LEAST_SHARE * best.words
        is_beside |= other.words < best.words and has_formula(other.text)
        is_beside |= bool(brought) and brought.isdisjoint(own)
        is_beside |= has_value(best.text) > has_value(other.text)
        # One term or maker is asked for.
        is_beside |= is_named or (bool(best.for_defining) and other.parts.get("another's", 0.0) < 0)
        is_beside |= takes_one and announces(other.text)  # "… defines three categories.", with its table
        if not is_beside and not any(_says_the_same(own, each) for each in given):
            chosen.append(other)
            given.append(own)
    asks_steps = asks_for_steps(asked_of(retrieval))
    if asks_steps and len(asked - known.heading_stems) <= _BESIDE_HEADING:
        commands = (each for each in sentences_of(retrieval) if _is_step(each, best, retrieval))
        chosen += [each for each in sorted(commands, key=lambda each: each.start) if each not in chosen]
        del chosen[_MOST_WITH_STEPS:]
    quotes: list[ScoredSentence] = []
    for quote in with_references(with_whole_table(chosen, retrieval), retrieval):
        if not any(each.chunk == quote.chunk and each.start < quote.end and quote.start < each.end for each in quotes):
            quoted = {each.start for each in quotes if each.chunk == quote.chunk}
            quotes.append(with_what_follows(quote, retrieval, quoted))
    first = 0 if asks_steps or asks_for_events(retrieval.question) else 1
    return quotes[:first] + _in_text_order(quotes[first:])


def _is_step(quote: ScoredSentence, best: ScoredSentence, retrieval: Retrieval) -> bool:
    """Whether the best sentence's paragraph, or the next one, tells its reader to do this."""
    units = retrieval.terms(best.chunk).units
    is_near = quote.chunk == best.chunk and units[quote.unit].block - units[best.unit].block in (0, 1)
    return is_near and command_verb(quote.text.casefold()) is not None


def _in_text_order(quotes: Sequence[ScoredSentence]) -> list[ScoredSentence]:
    """The quotes of each chunk in the order of its text, rows last, in the places that they have among the others."""
    waiting = sorted(quotes, key=lambda quote: (quote.kind == "row", quote.start))
    return [waiting.pop(next(at for at, each in enumerate(waiting) if each.chunk == quote.chunk)) for quote in quotes]


def rank_quotes(retrieval: Retrieval) -> Iterator[ScoredSentence]:
    """Every sentence that may be quoted, the best one first. "And why?" and "go on" are answered by those of the same
    subject that were not given already, a "why" by reasons, an "example?" by examples, a "when?" by dates."""
    follow_up = retrieval.follow_up
    if follow_up is None or follow_up.own:
        yield from sentences_of(retrieval)
        return
    given = " ".join(follow_up.answered.split())
    has_type, has_form = answer_type_scorer(follow_up.asked), form_required(follow_up.asked)
    asks_value = asks_for_value(follow_up.asked)  # "When was that?" may ask for what was quoted for another word of it
    last = retrieval.spelling.hashes(follow_up.latest)
    found = [
        quote
        for quote in sentences_of(retrieval)
        if max(quote.words, len(last & _stems(quote, retrieval)) / max(1, len(last))) >= _ABOUT_IT
        and has_form(quote.text)
        and (not asks_value or has_type(dated_text(retrieval, quote)) == 1)
    ]
    new = [quote for quote in found if asks_value or " ".join(quote.text.split()) not in given]
    # "Why?" may ask for the reason in what was quoted, unless that was asked why before.
    is_first = not has_form("") and all(form_required(turn.question)("") for turn in follow_up.earlier)
    yield from new or (found if is_first else ())


def _stems(sentence: ScoredSentence, retrieval: Retrieval) -> frozenset[int]:
    return retrieval.terms(sentence.chunk).unit_stems[sentence.unit]


def _are_items(one: ScoredSentence, other: ScoredSentence, retrieval: Retrieval) -> bool:
    """Whether both are items of one chunk's lists, of which the question does not ask for several."""
    units = retrieval.terms(one.chunk).units
    return (
        one.chunk == other.chunk
        and units[one.unit].kind == units[other.unit].kind == "item"
        and not asks_for_several(retrieval.question)
    )


def _says_the_same(own: frozenset[int], known: frozenset[int]) -> bool:
    return len(own & known) >= _SAME * min(len(own), len(known))
