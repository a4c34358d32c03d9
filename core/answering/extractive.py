"""Extractive answers: the sentences of the passages that answer, word for word, each with its marker."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

from ..retrieval.sentences import sentences_of
from ..text.chunk_terms import terms_of
from ..text.instructions import instructions_of, is_asked_about
from ..text.question_kinds import asks_for_a_reason, gives_a_reason
from ..text.sentence_kinds import NO_ANSWER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..retrieval.models import Retrieval
    from ..retrieval.sentences import ScoredSentence

_MOST_SENTENCES = 3
#: A further sentence has a score at most so much below the best one's, without what that has for defining.
_CLOSE = 0.35
#: Least share of the question that a further sentence must hold, relative to the best one's.
_WORTH_ADDING = 0.5
#: Share of a sentence's stems that an earlier one has, from which it says the same.
_SAME = 0.75
#: Least share of the earlier question that a sentence must hold after "and why?".
_ABOUT_IT = 0.5
#: A sentence that begins with such a word is quoted with the one before it.
_POINTS_BACK = re.compile(
    r"(?:it|its|they|their|them|he|his|she|her|this|that|these|those|such|both|here|there|the (?:former|latter|same)"
    r"|however|therefore|thus|hence|moreover|in addition|additionally|also|instead|otherwise|as a result|for example"
    r"|for instance|consequently)\b",
    re.IGNORECASE,
)
#: Characters of a sentence with the one before it.
_LONGEST_PAIR = 600


def choose(retrieval: Retrieval, *, most: int = _MOST_SENTENCES) -> list[ScoredSentence]:
    """The passages' sentences that answer, the best one first: as many as add something, at most ``most``."""
    allowed = rank_quotes(retrieval)
    best = next(allowed, None)
    if best is None:
        return []
    chosen, stems = [best], [_stems(best, retrieval)]
    least = best.score - best.for_defining - _CLOSE
    for other in allowed:
        if len(chosen) == most or other.score < least:
            break
        own = _stems(other, retrieval)
        if other.words >= _WORTH_ADDING * best.words and not any(_says_the_same(own, known) for known in stems):
            chosen.append(other)
            stems.append(own)
    return _with_references(chosen, retrieval)


def rank_quotes(retrieval: Retrieval) -> Iterator[ScoredSentence]:
    """Every sentence that may be quoted, the best one first: each once, none that gives an order."""
    return _without_instructions(_new(retrieval), retrieval)


def header_of(sentence: ScoredSentence, retrieval: Retrieval) -> str:
    """The header of the table whose row the sentence is, with its rule; empty for other sentences."""
    node = retrieval.nodes[sentence.passage].node
    known = terms_of(node)
    first = known.header_of(sentence.unit)
    if first is None or first in instructions_of(node):
        return ""
    header = line_of(node.get_content(), known.units[first].start)
    return f"{header}\n|{' --- |' * (header.strip(' |').count('|') + 1)}"


def line_of(text: str, at: int) -> str:
    """The line of the text with that character."""
    return text[text.rfind("\n", 0, at) + 1 :].partition("\n")[0]


def _stems(sentence: ScoredSentence, retrieval: Retrieval) -> frozenset[str]:
    return terms_of(retrieval.nodes[sentence.passage].node).unit_stems[sentence.unit]


def _says_the_same(own: frozenset[str], known: frozenset[str]) -> bool:
    return len(own & known) >= _SAME * min(len(own), len(known))


def _with_references(chosen: Sequence[ScoredSentence], retrieval: Retrieval) -> list[ScoredSentence]:
    """The sentences; one that begins with a pronoun with the sentence before it, which has what it stands for."""
    found: list[ScoredSentence] = []
    for sentence in chosen:
        given = [each for each in found if each.passage == sentence.passage]
        if any(each.start <= sentence.start < each.end for each in given):
            continue
        start = _start_of_reference(sentence, retrieval)
        if not any(each.start <= start < each.end for each in given):
            text = retrieval.nodes[sentence.passage].node.get_content()[start : sentence.end]
            sentence = replace(sentence, start=start, text=text)
        found.append(sentence)
    return found


def _start_of_reference(sentence: ScoredSentence, retrieval: Retrieval) -> int:
    """Where the sentence before begins, if this one points back to it and both may be quoted; else its own start."""
    node = retrieval.nodes[sentence.passage].node
    known = terms_of(node)
    before = sentence.unit - 1
    if before < 0 or not _POINTS_BACK.match(sentence.text):
        return sentence.start
    unit = known.units[before]
    fits = (
        (unit.kind, unit.block) == ("sentence", known.units[sentence.unit].block)
        and known.kinds[before] not in NO_ANSWER
        and before not in instructions_of(node)
        and sentence.end - unit.start <= _LONGEST_PAIR
    )
    return unit.start if fits else sentence.start


def _without_instructions(quotes: Iterable[ScoredSentence], retrieval: Retrieval) -> Iterator[ScoredSentence]:
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


def _new(retrieval: Retrieval) -> Iterator[ScoredSentence]:
    """The sentences that answer "and why?" or "go on": of the same subject, not given already, reasons for a "why"."""
    follow_up = retrieval.follow_up
    if follow_up is None or follow_up.own:
        yield from sentences_of(retrieval)
        return
    given = " ".join(follow_up.answered.split())
    why = asks_for_a_reason(follow_up.asked)
    for quote in sentences_of(retrieval):
        is_new = " ".join(quote.text.split()) not in given
        if is_new and quote.words >= _ABOUT_IT and (not why or gives_a_reason(quote.text)):
            yield quote
