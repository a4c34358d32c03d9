"""Scores one sentence for one question, as a sum of named parts."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..runtime.request import check_budget
from ..text.answer_types import answer_type_scorer, asks_for_value, value_finder
from ..text.chunk_terms import headings_of, idf_coverage
from ..text.definitions import compound_of, defines, derived_finder, subject_of
from ..text.doers import no_doer_finder, work_asked
from ..text.entries import is_entry, label_finder, labels, leads_on, other_answer_finder, presents, title_stems
from ..text.irregular_verbs import form_hashes
from ..text.negations import denies, negates
from ..text.persons import life_event_asked, person_asked
from ..text.quantities import asks_for_quantity
from ..text.question_kinds import asks_for_code, asks_for_steps, asks_whether, form_scorer, kinds_left_out
from ..text.spelling import synonym_hashes
from ..text.stemming import ordered_share, question_stems, stem_hash, stem_hashes, stems, wording_scorer
from ..text.terms import abbreviation_of, asks_for_term, names_term, spells_out
from ..text.times import asks_for_time
from ..text.versions import version_finder
from .models import asked_of
from .quotes import PIECES_A_CHECK, QuoteOptions, paragraph_up_to, quotes_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..text.chunk_terms import ChunkTerms
    from ..text.sentence_kinds import Kind
    from .models import Retrieval
    from .quotes import Quote

# The weights come from a listwise logistic model of 1,519 questions of SQuAD articles, rounded. On 1,998 questions on
# other articles the gold answer is in the first sentence of 85 % of the answers, in the first two of 91 %.
_PLACE_WEIGHT, _WORDING_WEIGHT = 0.5, 0.2
_TYPE_WEIGHT, _TIME_WEIGHT = 0.2, 0.4  # the latter for a time that is asked for
_COSINE_WEIGHT = 1.5
#: Added to a sentence that says what X is, where the question asks what X is.
_DEFINITION_BONUS = 0.8
#: Added to the sentences of a section whose title is what is asked for, and how well the first of a dictionary's entry,
#: one with such a label, or on a work and who made it, says what it is.
_TITLE_BONUS, _ENTRY_DEFINES = 0.3, 0.9
#: The same of one with the dates of a person's life, where one of them is asked for; and what is taken from one on
#: another person's birth or death.
_DATES_DEFINE, _ANOTHERS_PENALTY = 0.9, 0.8
#: The same of a sentence that names the term that is asked for; of one that is no definition, times its words.
_NAMING_DEFINES = 0.4
#: Added to a whole procedure, where one is asked for.
_PROCEDURE_BONUS = 0.6
#: Added to a sentence that enumerates or gives a reason, where that is asked for, times the words that it holds.
_FORM_BONUS = 0.3
#: Added to one with the question's words in their order, where it asks whether something is so, times their share.
_ORDER_BONUS = 0.3
#: Taken from a lead-in with its table, where the question asks what one thing is.
_TABLE_PENALTY = 0.3
_TAKES_TABLE = re.compile(r"\b(?:are|were|tables?|lists?)\b", re.IGNORECASE)
#: Taken from pieces that answer only where no sentence does as well. A header, which is offered only where it is asked
#: for, comes before sentences.
_PENALTIES: Mapping[Kind, float] = {"caption": 0.3, "row": 0.2, "request": 0.2, "metadata": -0.3}
#: Added to a table's row whose first cell is made of words of the question; a number alone names nothing.
_KEY_BONUS = 0.5
#: Taken from a sentence that says nothing of what is asked, or does not deny what "not" asks for, has not the very word
#: that is to be defined but another of its stem, and for a bare colon.
_ELSEWHERE_PENALTY = 0.4
_BRACKETS = re.compile(r"\([^()]{0,80}\)|(?<=[a-z] )[A-Z]{2,}\b")
#: A source that is cited within a sentence or behind it, and questions that its words may answer.
_SOURCE = re.compile(
    r"\[(?=[^\[\]]{0,200}(?:\s\d|\b[Ii]bid|\b[Oo]p\. ?[Cc]it))(?=[^\[\]]{0,200}[^\W\d_])[^\[\]]{9,250}\](?!\()"
)
_ASKS_SOURCE = re.compile(
    r"\b(?:wr(?:ites?|ote|itten)|authors?|books?|works?|articles?|papers?|publish\w*|cite[sd]?|quote[sd]?|sa(?:id|ys?)"
    r"|titles?|editors?|edited)\b",
    re.IGNORECASE,
)
#: Taken from one of a chunk without a word of what a follow-up is about.
_TOPIC_PENALTY = 1.5
#: Taken from one that is not of the version, or another number with a point, that is asked for.
_VERSION_PENALTY = 0.8


@dataclass(frozen=True)
class ScoredSentence:
    """A piece of a chunk that can be quoted, ``text[start:end]``: a sentence, or one with its list."""

    #: Index in the retrieval's nodes, and of the unit in its chunk's terms.
    chunk: int
    unit: int
    start: int
    end: int
    text: str
    kind: Kind
    #: What the score is the sum of, by name.
    parts: Mapping[str, float]
    #: Share of the question's words that it holds, 0 to 1.
    words: float
    #: Cosine with the question; ``None`` where it has no vector.
    cosine: float | None
    #: How well it says what X is, stands for or is called, where that is asked; see ``defines``.
    defining: float
    score: float

    @property
    def for_defining(self) -> float:
        """The part of the score that it has for saying what X is."""
        return self.parts["definition"]


class SentenceScorer:
    """Scores the sentences of a retrieval's chunks. What its question asks for is found out once."""

    def __init__(self, retrieval: Retrieval) -> None:
        asked, correct = asked_of(retrieval), retrieval.spelling.correct
        self._retrieval = retrieval
        self._idf = [(form_hashes(word), synonym_hashes(word), weight) for word, weight in retrieval.idf.items()]
        self._stems = frozenset(map(stem_hash, retrieval.idf))
        self._of_type, self._of_label = answer_type_scorer(asked), label_finder(asked)
        self._of_form = value_finder(asked) or form_scorer(asked)
        self._of_wording = wording_scorer(retrieval.question)
        self._type_weight = _TIME_WEIGHT if asks_for_time(asked) else _TYPE_WEIGHT
        self._options = QuoteOptions(kinds_left_out(asked), asks_for_steps(asked), asks_for_code(asked))
        self._of_version, self._derived = version_finder(retrieval.question), derived_finder(asked)
        self._is_other, self._is_other_verb = other_answer_finder(asked), no_doer_finder(asked)
        self._order = [correct(stem) for stem in question_stems(asked)] if asks_whether(asked) else []
        self._takes_term, self._takes_source = asks_for_term(asked), bool(_ASKS_SOURCE.search(asked))
        self._takes_table, self._negates = bool(_TAKES_TABLE.search(asked)), negates(asked)
        self._work, self._counts = work_asked(asked), asks_for_quantity(asked)
        self._subject = [correct(stem) for stem in (self._work.title if self._work else subject_of(asked))]
        self._abbreviation, self._compound = abbreviation_of(asked), compound_of(asked)
        self._person, self._life, self._term = person_asked(asked), life_event_asked(asked), frozenset(self._subject)
        one_word = {frozenset(retrieval.idf)} if len(retrieval.idf) == 1 and not asks_for_value(asked) else set()
        self._titles = ({self._term} | one_word) - {frozenset()}
        self._topic = retrieval.spelling.hashes(retrieval.follow_up.topic if retrieval.follow_up else ())
        self._top = max((chunk.score or 0.0 for chunk in retrieval.nodes), default=0.0)

    def sentences(self, number: int) -> Iterator[ScoredSentence]:
        """The pieces of the chunk of that number in order, each with its score."""
        chunk, known = self._retrieval.nodes[number], self._retrieval.terms(number)
        cosines = np.asarray(self._retrieval.sentence_cosines.get(chunk.node.node_id, ())).tolist()
        is_beside = bool(self._topic) and self._topic.isdisjoint(known.all_stems)
        of_chunk = {
            "rank": _PLACE_WEIGHT * (chunk.score or 0.0) / self._top if self._top > 0 else 0.0,
            "topic": -_TOPIC_PENALTY * is_beside,
        }
        opens = is_titled = bool(self._titles) and title_stems(headings_of(chunk.node)) in self._titles
        for at, piece in enumerate(quotes_of(chunk.node.get_content(), known, self._options)):
            if at % PIECES_A_CHECK == 0:
                check_budget()
            own = [cosines[unit] for unit in _units(piece) if unit < len(cosines) and not math.isnan(cosines[unit])]
            cosine, words = max(own, default=None), self._words(piece, known)
            has_form = self._of_form(piece.text) or 2 * self._of_label(piece.text)
            is_elsewhere = piece.is_elsewhere or (piece.announces and not has_form)
            defining = self._defining(piece, words, is_first=opens and not is_elsewhere)
            parts = {
                "words": words,
                "cosine": _COSINE_WEIGHT * (cosine or 0.0),
                **of_chunk,
                "definition": _DEFINITION_BONUS * defining,
                "title": _TITLE_BONUS * (is_titled and not is_elsewhere) * (1 + opens * self._opening(piece.text)),
                "form": _FORM_BONUS * words * has_form,
                "says nothing": -_ELSEWHERE_PENALTY * (piece.led_in + is_elsewhere),
                **self._of_piece(piece, defining),
            }
            if self._life and not defining:
                parts["another's"] = -_ANOTHERS_PENALTY * self._life.fault_of(piece.text, headings_of(chunk.node))
            if self._of_version and not self._of_version(paragraph_up_to(chunk.node, known, piece.unit)):
                parts["other version"] = -_VERSION_PENALTY
            opens = opens and is_elsewhere
            yield ScoredSentence(
                chunk=number,
                unit=piece.unit,
                start=piece.start,
                end=piece.end,
                text=piece.text,
                kind=piece.kind,
                parts=parts,
                words=words,
                cosine=cosine,
                defining=defining,
                score=sum(parts.values()),
            )

    def _words(self, piece: Quote, known: ChunkTerms) -> float:
        """The share of the question's words that it holds, those of a source that it cites left out."""
        words = max(known.held_share(self._idf, unit, piece.end) for unit in _units(piece))
        if self._takes_source or not _SOURCE.search(piece.text):
            return words
        return min(words, idf_coverage(self._retrieval.idf, frozenset(stem_hashes(_SOURCE.sub(" ", piece.text)))))

    def _of_piece(self, piece: Quote, defining: float) -> dict[str, float]:
        """The parts of the score that depend on the text and kind of the piece alone."""
        text, has_type = piece.text, self._of_type(piece.text)
        is_table = bool(self._subject) and not defining and "\n|" in text and not self._takes_table
        return {
            "type": self._type_weight * has_type,
            "wording": _WORDING_WEIGHT * self._of_wording(text),
            "kind": -_PENALTIES.get(piece.kind, 0.0),
            "row's name": _KEY_BONUS * (piece.kind == "row" and has_type > 0 and self._names(text.partition("|")[0])),
            "order": _ORDER_BONUS * ordered_share(self._order, stems(text)) if self._order else 0.0,
            "steps": _PROCEDURE_BONUS * bool(piece.steps),
            "of another": -_ELSEWHERE_PENALTY * (self._is_other(text) if self._is_other else 0),
            "table": -_TABLE_PENALTY * is_table,
            "other word": -_ELSEWHERE_PENALTY * self._is_derived(text),
            "denial": -_ELSEWHERE_PENALTY * (self._negates and not denies(text, self._retrieval.idf)),
        }

    def _defining(self, piece: Quote, words: float, *, is_first: bool) -> float:
        """How well the piece says what X is; ``is_first``: below a title that is what is asked for."""
        text, found = _BRACKETS.sub("", piece.text) if piece.kind == "row" else piece.text, [0.0]
        if (self._work and not self._work.made_by.search(text)) or (self._counts and self._of_type(text) < 1):
            return 0.0
        if not self._is_derived(text):
            if not piece.is_fields:
                named = spells_out(text, self._abbreviation) if self._abbreviation else defines(text, self._subject)
                found.append(self._person.defined_by(text, self._subject) if self._person else float(named))
            begins = is_first and (is_entry(text, self._term) or presents(text, self._term))
            if begins or (self._compound and labels(text, self._compound)):
                found.append(_ENTRY_DEFINES)
        if self._life and self._life.is_dated_in(text):
            found.append(_DATES_DEFINE)
        if self._takes_term and names_term(text, self._retrieval.idf):
            found.append(_NAMING_DEFINES * (1.0 if piece.kind == "definition" else words))
        return max(_ENTRY_DEFINES * (self._work is not None and any(found)), *found)

    def _opening(self, text: str) -> int:
        """How much a sentence that begins the section with the title is about it: 2 where it says what it is."""
        return (not leads_on(text)) + presents(text, self._term)

    def _is_derived(self, text: str) -> bool:
        """Whether it has not the very word that is to be defined, or another verb of the stem that is asked for."""
        is_other = self._is_other_verb is not None and self._is_other_verb(text)
        return is_other or (self._derived is not None and not self._derived.search(text))

    def _names(self, cell: str) -> bool:
        """Whether a table's first cell is made of words of the question, what it has in brackets, and the NAME behind
        a command, left out."""
        found = stem_hashes(_BRACKETS.sub(" ", cell))
        return bool(found) and any(map(str.isalpha, cell)) and self._stems.issuperset(found)


def _units(piece: Quote) -> range | tuple[int]:
    """The units of a procedure, or the one of another piece."""
    return piece.steps or (piece.unit,)
