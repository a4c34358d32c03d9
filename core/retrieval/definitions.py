"""Finds the chunk that defines what a question asks for, or names what it describes, where it is not among the best.

A chunk that uses a term often is found before the one that says once what the term means.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ..text.chunk_terms import headings_of
from ..text.definitions import defines, subject_of
from ..text.doers import work_asked
from ..text.entries import is_lead, presents, title_stems
from ..text.packed_terms import heading_stems, is_beside_the_text
from ..text.persons import Person, life_event_asked, person_asked
from ..text.segmentation import units
from ..text.sentence_kinds import kinds
from ..text.stemming import stem_hash, stems
from ..text.terms import names_term, sides_of
from .fusion import Scores

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from llama_index.core.schema import BaseNode

    from ..catalog import Snapshot
    from ..catalog.chunks import StoredChunk

#: Chunks with the term that are looked through, the best ones by BM25.
_SEARCHED = 200
#: Those whose title is looked at, where none defines it.
_TITLES_SEARCHED = 50
#: Least ``defines`` of a sentence for whose sake another chunk is left out.
_CERTAIN = 0.6
#: The same of one that says who a person is, for whose sake no better one is looked for.
_IDENTIFIED = 0.9
#: What follows a term in a sentence that may define it, and what precedes one: "X (…) is", "X: …", "known as X".
_FOLLOWS = re.compile(
    r"[\"”’'*_]{0,3}(?:\s\w+)?(?:\s*\([^)]*\))?(?:,\s[^,.]{2,60},)?(?:\s\w+)?"
    r"(?:,?\s(?:is|are|was|were|(?:can|may|could|might)(?:\s\w+)?\sbe|refers?|means?|denotes?|describes?|stands?)\b"
    r"|\s*[:–—|]|\s-\s)"
)
_PRECEDES = re.compile(r"\b(?:called|known as|termed|referred to as)\s+(?:an?\s+|the\s+)?\W*$")
#: "Vote of no confidence".
_BETWEEN = r"\w*[\s-]+(?:(?:of|no|the|and|in|for|to|an?)\s+){0,2}"
#: "The simplest one is X, which …", "… a numeric X, which is a …".
_IS = re.compile(r"\bis\s+(?:an?\s+|the\s+)?$")
_WHICH = re.compile(r",\s(?:which|where)")
_WHICH_IS = re.compile(r",\s(?:which|that)\s(?:is|are|means?|refers?)\b")
#: Characters in which what precedes a term is looked for.
_BEFORE = 40


class SearchableChunks(Protocol):
    """Chunks by key, as one question searches them."""

    def lexical(self, words: Sequence[str], limit: int) -> tuple[list[tuple[int, float]], Mapping[str, int]]:
        """``(key, BM25)``, best first, and the number of chunks that contain each stem."""

    def cosines(self, question: npt.NDArray[np.float32], keys: Sequence[int]) -> Mapping[int, float]:
        """Cosines of these chunks."""

    def packed_words(self, keys: Sequence[int]) -> Mapping[int, bytes]:
        """The chunks' words as ``packed_terms.pack`` packs them."""

    def texts(self, keys: Sequence[int]) -> Mapping[int, str]:
        """The chunks' texts in the given order."""

    def nodes(self, keys: Sequence[int]) -> Mapping[int, BaseNode]:
        """The chunks as nodes."""


@dataclass(frozen=True)
class Subjects:
    """What a question wants defined."""

    #: The stems of each thing, in order.
    stems: Sequence[Sequence[str]]
    #: The only one, where that is a person.
    person: Person | None = None

    @classmethod
    def of(cls, question: str, correct: Callable[[str], str] = str) -> Subjects:
        """Those of "What is X?", "Who wrote X?" and of a comparison; of "When was X born?" the person, as the sentence
        that says who that is has the dates. ``correct``: gives the stem that is meant by a misspelt one."""
        life = life_event_asked(question)
        person = Person(life.name) if life and life.asks_date else person_asked(question)
        work = work_asked(question)
        subject = work.title if work else subject_of(question)
        asked = sides_of(question) or [stems(life.name) if life and life.asks_date else subject]
        return cls([list(dict.fromkeys(map(correct, each))) for each in asked if each], person)


def with_definitions(
    scores: Mapping[int, Scores],
    subjects: Subjects,
    question: npt.NDArray[np.float32],
    search: SearchableChunks,
) -> dict[int, Scores]:
    """The scores; for a subject that none certainly defines the last other one is replaced by that of a chunk that
    defines it better, or, where none defines it at all, has it as title; or by that of its article's beginning."""
    person = subjects.person

    def texts(keys: Sequence[int]) -> Mapping[int, str]:
        """Those that are no references or exercises: a book's title there is no definition."""
        packed = search.packed_words(keys)
        return search.texts([key for key in keys if key not in packed or not is_beside_the_text(packed[key])])

    def titled(keys: Sequence[int], subject: Sequence[str]) -> Mapping[int, BaseNode]:
        """Those that have the subject in their headings."""
        wanted, packed = set(map(stem_hash, subject)), search.packed_words(keys)
        return search.nodes([key for key in keys if key in packed and wanted <= heading_stems(packed[key])])

    offered, found, needed = texts(list(scores)), dict[int, float](), set[int]()
    for subject in subjects.stems:
        known = best_definition(offered, subject, person)
        if known is not None:
            needed.add(known)
        strong = _IDENTIFIED if person else 1.0
        is_weak = known is not None and best_definition({known: offered[known]}, subject, person, strong) is None
        using = dict(search.lexical(subject, _SEARCHED)[0])
        others = [key for key in using if key not in scores and key not in found]
        lead = _lead(titled([*scores, *sorted(others)[:_TITLES_SEARCHED]], subject), subject)
        if lead is not None:
            needed.add(lead)
            found |= {} if lead in scores else {lead: using[lead]}
        elif known is None or is_weak:
            # Of several better ones the first: a text defines a thing before it uses it.
            least, in_turn = (strong, sorted(others)) if is_weak else (_CERTAIN, others)
            key = best_definition(texts(in_turn), subject, person, least)
            if known is None and key is None and _first_titled(titled(list(scores), subject), subject) is None:
                key = _first_titled(titled(others[:_TITLES_SEARCHED], subject), subject)
            if key is not None:
                found[key] = using[key]
    replaced = [key for key in scores if key not in needed][-len(found) :] if found else []
    last = min((each.final for each in scores.values()), default=0.0)
    cosines = search.cosines(question, list(found)) if found else {}
    defining = {key: Scores(cosines.get(key), found[key], last) for key in found}
    return {**{key: score for key, score in scores.items() if key not in replaced}, **defining}


def with_term(
    scores: Mapping[int, Scores],
    candidates: Sequence[int],
    idf: Mapping[str, float],
    question: npt.NDArray[np.float32],
    snapshot: Snapshot,
) -> dict[int, Scores]:
    """The scores; instead of the last one that of the candidate with the sentence that names best what the question
    describes, if it names it better than the others. A glossary's entry is a small part of its chunk.

    ``question``: its unit vector.
    """
    chunks = snapshot.chunks.stored(list(dict.fromkeys([*scores, *candidates])), len(question))
    naming = {key: _naming_score(chunk, idf, question) for key, chunk in chunks.items()}
    best = max(naming, key=naming.__getitem__, default=None)
    if best is None or best in scores or len(scores) < 2:
        return dict(scores)
    *kept, last = scores
    return {**{key: scores[key] for key in kept}, best: Scores(None, 0.0, scores[last].final)}


def _naming_score(chunk: StoredChunk, idf: Mapping[str, float], question: npt.NDArray[np.float32]) -> float:
    """The greatest sum of cosine and share of the question's words among the chunk's sentences that name a term."""
    if chunk.terms is None or chunk.sentences is None:
        return 0.0
    text, weights = chunk.node.get_content(), {stem_hash(stem): weight for stem, weight in idf.items()}
    total = sum(weights.values()) or 1.0
    scores = chunk.sentences @ question
    return max(
        (
            float(cosine) + sum(weights[stem] for stem in weights.keys() & held) / total
            for unit, kind, held, cosine in zip(
                chunk.terms.units, chunk.terms.kinds, chunk.terms.unit_stems, scores, strict=True
            )
            if kind in ("definition", "explanation") and names_term(text[unit.start : unit.end], idf)
        ),
        default=0.0,
    )


def best_definition(
    texts: Mapping[int, str], subject: Sequence[str], person: Person | None = None, least: float = _CERTAIN
) -> int | None:
    """The key of the text with the sentence that defines the subject best, or says who the person is, the first of
    several; ``None`` if none does at least so well.

    ``subject``: its stems in order.
    """
    # In lower case and with letters first, so that ``re`` looks for these letters and tries the rest only there.
    term = re.compile(_BETWEEN.join(re.escape(stem.rstrip("i")) for stem in subject) + r"\w*")
    wanted = frozenset(subject)

    def score(sentence: str) -> float:
        return person.defined_by(sentence, wanted) if person else defines(sentence, wanted)

    def best_score(text: str) -> float:
        found = tuple(units(text))
        own = [0.0 if each.kind == "code" else score(text[each.start : each.end]) for each in found]
        if max(own, default=0.0) < least:
            return 0.0
        # A line that is a title says it of nothing.
        return max(
            (each for each, kind in zip(own, kinds("", text, found), strict=True) if kind != "label"), default=0.0
        )

    scores = {
        key: best_score(text)
        for key, text in texts.items()
        if _may_define(text.lower(), term) or (person and person.is_in(text))
    }
    # A person is presented where first named: keys are in the order of the text.
    best = max(scores, key=lambda key: (scores[key], -key if person else 0), default=None)
    return best if best is not None and scores[best] >= least else None


def defining_texts(question: str, texts: Sequence[str]) -> set[int]:
    """Indices of the texts, best first, that define best what the question wants defined."""
    subjects, numbered = Subjects.of(question), dict(enumerate(texts))
    return {best for each in subjects.stems if (best := best_definition(numbered, each, subjects.person)) is not None}


def _first_titled(chunks: Mapping[int, BaseNode], subject: Sequence[str]) -> int | None:
    """The key of the first chunk below a title that is the subject; ``None`` without one."""
    wanted = frozenset(subject)
    return min((key for key, node in chunks.items() if title_stems(headings_of(node)) == wanted), default=None)


def _lead(chunks: Mapping[int, BaseNode], subject: Sequence[str]) -> int | None:
    """The key of the chunk that begins the article on the subject, and says what it is; ``None`` without one."""
    wanted = frozenset(subject)
    found = (key for key, node in chunks.items() if is_lead(headings_of(node), wanted))
    return min((key for key in found if presents(chunks[key].get_content(), wanted)), default=None)


def _may_define(text: str, term: re.Pattern[str]) -> bool:
    for found in term.finditer(text):
        start, end = found.span()
        before = text[max(0, start - _BEFORE) : start]
        if (not before[-1:].isalnum() and _FOLLOWS.match(text, end)) or _PRECEDES.search(before):
            return True
        if _WHICH_IS.match(text, end) or (_WHICH.match(text, end) and _IS.search(before)):
            return True
        if text.startswith(" (", end) or (before.endswith("(") and text.startswith(")", end)):
            return True
    return False
