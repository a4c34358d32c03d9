"""The sentences of retrieved chunks, ranked by how well they answer, without instructions to an assistant."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain, takewhile
from typing import TYPE_CHECKING

from ..text.chunk_terms import headings_of
from ..text.imperatives import as_between_people
from ..text.instructions import instructions_of, is_addressed, is_asked_about
from ..text.question_kinds import asks_for_events
from ..text.stemming import stem_hash
from .recency import latest_first
from .sections import of_its_section
from .sentence_scores import SentenceScorer

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from .models import Retrieval
    from .sentence_scores import ScoredSentence


#: A request to be answered has the words of a question, and does not answer it, unless what is wanted is asked for.
_ASKS_BACK = re.compile(r"\b(?:tell|say|explain|inform|answer|reply|know)\b", re.IGNORECASE)
_ASKS_FOR_REQUESTS = re.compile(r"\b(?:ask|want|wish|need|tell|request)", re.IGNORECASE)


def sentences_of(retrieval: Retrieval) -> list[ScoredSentence]:
    """The sentences that can answer, best first, each once, none that gives an order. Deterministic."""
    if "sentences" not in retrieval.memo:
        retrieval.memo["sentences"] = list(_without_instructions(_scored(retrieval), retrieval))
    found: list[ScoredSentence] = retrieval.memo["sentences"]
    return found


def _scored(retrieval: Retrieval) -> list[ScoredSentence]:
    scorer = SentenceScorer(retrieval)
    scored = chain.from_iterable(map(scorer.sentences, range(len(retrieval.nodes))))
    found = (of_its_section(each, retrieval) for each in scored)
    return latest_first(sorted(found, key=lambda each: (-each.score, each.chunk, each.start)), retrieval)


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
    for sentence in sentences:
        # Overlapping chunks hold the same sentence; it counts once, where it ranks best.
        key = " ".join(sentence.text.split())
        if key in given:
            continue
        pieces, instructing = retrieval.terms(sentence.chunk).units, instructing_units(sentence.chunk, retrieval)
        quoted = [at for at, unit in enumerate(pieces) if sentence.start <= unit.start < sentence.end]
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
