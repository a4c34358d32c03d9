"""The sentences of retrieved chunks, ranked by how well they answer, without instructions to an assistant."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from dataclasses import replace
from functools import cache
from itertools import chain, takewhile
from typing import TYPE_CHECKING

import numpy as np

from ..text.chunk_terms import headings_of
from ..text.imperatives import as_between_people
from ..text.instructions import instructions_of, is_addressed, is_asked_about
from ..text.question_kinds import asks_for_events
from ..text.stemming import stem_hash, stem_hashes, stems
from .models import asked_of, computed_once
from .sentence_scores import SentenceScorer

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from ..embedding import Encoder
    from .models import Retrieval
    from .sentence_scores import ScoredSentence

#: A request to be answered has the words of a question, and does not answer it, unless what is wanted is asked for.
_ASKS_BACK = re.compile(r"\b(?:tell|say|explain|inform|answer|reply|know)\b", re.IGNORECASE)
_ASKS_FOR_REQUESTS = re.compile(r"\b(?:ask|want|wish|need|tell|request)", re.IGNORECASE)
#: A block of code, or a heading: its marks, and its words.
_HEADING = re.compile(r"^(```|~~~)[\s\S]*?^\1|^(#{1,6}) +(\S.*)$", re.MULTILINE)
#: Taken from a sentence where a word of the question is in the heading of another section alone.
_OTHER_PENALTY = 0.4
#: What is so now, which may have changed, not what happened or was so at first.
_OF_NOW = re.compile(
    r"\b(?:is|are|do|does|has|have|will|can|should|must)\b|\b(?:who|what|where|when)['’]s\b", re.IGNORECASE
)
_OF_THEN = re.compile(
    r"\b(?:did|was|were|had|first|originally|used to|before|earlier|previous(?:ly)?|former(?:ly)?|old|initially)\b",
    re.IGNORECASE,
)
#: How much less likely a later sentence may answer, and how much lower its score may be.
_LESS_LIKELY, _LOWER = 0.1, 0.35
#: Sentences of which one may be a reply to the question, and how much lower its score may be.
_RANKED, _REPLY_LOWER = 10, 0.6
#: Sentences without a stored vector that are embedded for a question, the best ones by words, and characters of each.
_EMBEDDED_SENTENCES = 12
_EMBEDDED_CHARACTERS = 240


def sentences_of(retrieval: Retrieval) -> list[ScoredSentence]:
    """The sentences that can answer, best first, each once, none that gives an order. Deterministic."""
    return computed_once(retrieval, "sentences", lambda: list(_without_instructions(_scored(retrieval), retrieval)))


def _scored(retrieval: Retrieval) -> list[ScoredSentence]:
    scorer = SentenceScorer(retrieval)
    found = chain.from_iterable(
        _by_section(scorer.sentences(number), node.node.get_content(), retrieval)
        for number, node in enumerate(retrieval.nodes)
    )
    ranked = sorted(found, key=lambda each: (-each.score, each.chunk, each.start))
    return _replies_first(_latest_first(ranked, retrieval), retrieval)


def is_event(retrieval: Retrieval, sentence: ScoredSentence) -> bool:
    """Whether the question asks what happened, and the headings above the sentence have all its other words: what is
    below a day's heading happened that day, whatever its words."""
    headings = retrieval.terms(sentence.chunk).heading_stems
    return asks_for_events(retrieval.question) and headings.issuperset(map(stem_hash, retrieval.idf))


def instructing_units(chunk: int, retrieval: Retrieval) -> frozenset[int]:
    """Indices of the units of the chunk that instruct an assistant or its reader."""
    node = retrieval.nodes[chunk].node
    return instructions_of(node, retrieval.stored_terms.get(node.node_id))


def _without_instructions(sentences: Sequence[ScoredSentence], retrieval: Retrieval) -> Iterator[ScoredSentence]:
    """The sentences without instructions; instructions in a chunk answer only a question about them."""
    given: set[str] = set()
    instructing_of = cache(lambda chunk: instructing_units(chunk, retrieval))
    for sentence in sentences:
        # Overlapping chunks hold the same sentence; it counts once, where it ranks best.
        key = " ".join(sentence.text.split())
        if key in given:
            continue
        pieces, instructing = retrieval.terms(sentence.chunk).units, instructing_of(sentence.chunk)
        quoted = [at for at, unit in enumerate(pieces) if instructing and sentence.start <= unit.start < sentence.end]
        if instructing.isdisjoint(quoted) or _is_instruction_asked_about(sentence, instructing, retrieval):
            given.add(key)
            yield sentence
            continue
        # The quote is cut before its first instruction.
        kept = list(takewhile(lambda at: at not in instructing, quoted))  # noqa: B023 - used up at once
        if kept:
            given.add(key)
            end = pieces[kept[-1]].end
            yield replace(sentence, end=end, text=sentence.text[: end - sentence.start])


def _is_instruction_asked_about(sentence: ScoredSentence, instructing: Collection[int], retrieval: Retrieval) -> bool:
    """Whether the question is about the instruction in the sentence. Behind one for an assistant others may go on with
    it; else a command may be what a mail asks for, also in the words of a person who writes to another."""
    node, known, asked = retrieval.nodes[sentence.chunk].node, retrieval.terms(sentence.chunk), sentence.text
    pieces = [node.get_content()[known.units[at].start : known.units[at].end] for at in instructing]
    takes_it = not _ASKS_BACK.search(asked) or _ASKS_FOR_REQUESTS.search(retrieval.question)
    if "metadata" in known.kinds and takes_it:  # a mail, by its header
        pieces, asked = [*map(as_between_people, pieces)], as_between_people(asked)
    headings = None if any(map(is_addressed, pieces)) else headings_of(node)
    return is_asked_about(retrieval.question, asked, headings)


def _by_section(sentences: Iterable[ScoredSentence], text: str, retrieval: Retrieval) -> Iterator[ScoredSentence]:
    """A chunk's sentences, with a lower score where words of the question are in headings of the chunk's text that are
    not above the sentence, and neither above it nor in it."""
    asked = frozenset(map(stem_hash, retrieval.idf))
    headings = [
        (found.start(), len(found[2]), asked.intersection(stem_hashes(found[3])))
        for found in _HEADING.finditer(text)
        if found[2]
    ]
    named = frozenset[int]().union(*(own for _, _, own in headings))
    places, others = [at for at, _, _ in headings], [named]  # of what is before the first heading, behind each
    above: dict[int, frozenset[int]] = {}
    for _, level, own in headings:
        above = {each: known for each, known in above.items() if each < level} | {level: own}
        others.append(named.difference(*above.values()))
    for sentence in sentences:
        lacking = others[bisect_right(places, sentence.start)]
        if len(headings) < 2 or lacking <= retrieval.terms(sentence.chunk).unit_stems[sentence.unit]:
            yield sentence
        else:
            parts = {**sentence.parts, "other section": -_OTHER_PENALTY}
            yield replace(sentence, parts=parts, score=sentence.score - _OTHER_PENALTY)


def _latest_first(found: list[ScoredSentence], retrieval: Retrieval) -> list[ScoredSentence]:
    """The sentences, best first; before the best one the latest of those that have the same words of a question for
    what is so now, and the value that it asks for if the best one has it, where their chunks have dates."""
    question = asked_of(retrieval)
    if not found or not _OF_NOW.search(question) or _OF_THEN.search(question):
        return found
    best, asked = found[0], frozenset(map(stem_hash, retrieval.idf))

    def date(sentence: ScoredSentence) -> float:
        scores = retrieval.scores.get(retrieval.nodes[sentence.chunk].node.node_id)
        return -math.inf if scores is None or scores.date is None else scores.date

    def held(sentence: ScoredSentence) -> frozenset[int]:
        return retrieval.terms(sentence.chunk).unit_stems[sentence.unit] & asked

    dated = -math.inf < date(best)
    later = {
        place: each
        for place, each in enumerate(found)
        if dated
        and each.score >= best.score - _LOWER
        and date(each) > date(best)
        and held(each) >= held(best)
        and each.parts["type"] >= best.parts["type"]
        # What an answer quotes of an earlier mail is as old as that.
        and retrieval.terms(each.chunk).kinds[each.unit] != "caption"
    }
    if not later:
        return found
    # Imported here because few searches need it, and it imports the citation check.
    from .answerability import features_of, least_likelihood, likelihood

    likely = {place: likelihood(features_of(retrieval, each)) for place, each in {0: best, **later}.items()}
    if likely[0] >= least_likelihood():
        least = max(least_likelihood(), likely[0] - _LESS_LIKELY)
        latest = max(
            (place for place in later if likely[place] >= least), key=lambda at: (date(later[at]), -at), default=0
        )
        found.insert(0, found.pop(latest))
    return found


def _replies_first(found: list[ScoredSentence], retrieval: Retrieval) -> list[ScoredSentence]:
    """The sentences, best first; before the best one the first of a reply to the very question, such as "The scouts
    do.", which has none of its words."""
    # Imported here for the same reason.
    from .answerability import is_reply

    replies = [
        each for each in found[:_RANKED] if each.score >= found[0].score - _REPLY_LOWER and is_reply(retrieval, each)
    ]
    if replies:
        best = min(replies, key=lambda each: (_is_later_turn(retrieval, each), -each.parts["type"]))
        first = min((each for each in replies if each.chunk == best.chunk), key=lambda each: each.start)
        found.remove(first)
        found.insert(0, first)
    return found


def _is_later_turn(retrieval: Retrieval, sentence: ScoredSentence) -> bool:
    """Whether it is of a turn of a chat, and another turn is between the question and this one."""
    before = str(retrieval.nodes[sentence.chunk].node.metadata.get("context") or "?")
    return not before.rstrip().endswith("?")


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
