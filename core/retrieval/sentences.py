"""Scores the sentences of retrieved chunks: which of them answers the question best."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np

from ..runtime.request import check_budget
from ..text.abbreviations import abbreviation_of, spells_out
from ..text.answer_types import answer_type_scorer
from ..text.chunk_terms import headings_of, idf_coverage
from ..text.definitions import compound_of, defines, derived_finder, subject_of
from ..text.entries import is_entry, labels, leads_on, title_stems
from ..text.instructions import instructions_of, is_addressed, is_asked_about
from ..text.named_persons import person_asked
from ..text.naming import asks_for_term, names_term
from ..text.question_kinds import (
    asks_for_code,
    asks_for_events,
    asks_for_steps,
    asks_whether,
    form_scorer,
    kinds_left_out,
)
from ..text.stemming import ordered_share, question_stems, stem_hash, stem_hashes, stems, wording_scorer
from ..text.versions import version_finder
from .models import asked_of
from .quotes import PIECES_A_CHECK, QuoteOptions, paragraph_up_to, quotes_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from ..text.sentence_kinds import Kind
    from .models import Retrieval

# The weights come from a listwise logistic model of 1,519 questions of SQuAD articles, rounded. On 1,998 questions on
# other articles the gold answer is in the first sentence of 85 % of the answers, in the first two of 91 %.
_PLACE_WEIGHT = 0.5
_WORDING_WEIGHT = 0.2
_TYPE_WEIGHT = 0.2
_COSINE_WEIGHT = 1.5
#: Added to a sentence that says what X is, where the question asks what X is.
_DEFINITION_BONUS = 0.8
#: Added to the sentences of a section whose title is what is asked for, and how well the first of a dictionary's entry,
#: or one with such a label, says what it is.
_TITLE_BONUS = 0.3
_ENTRY_DEFINES = 0.9
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
#: Taken from a sentence that says nothing of its subject, and for a colon without what follows.
_ELSEWHERE_PENALTY = 0.4
#: Taken from one without the very word that is to be defined, but another of its stem.
_DERIVED_PENALTY = 0.4
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
    score: float
    #: Share of the question's words that it holds, 0 to 1.
    words: float
    #: Cosine with the question; ``None`` where it has no vector.
    cosine: float | None
    #: How well it says what X is, stands for or is called, where that is asked; see ``defines``.
    defining: float

    @property
    def for_defining(self) -> float:
        """The part of the score that it has for saying what X is."""
        return _DEFINITION_BONUS * self.defining


def sentences_of(retrieval: Retrieval) -> list[ScoredSentence]:
    """The sentences that can answer, best first, each once, none that gives an order. Deterministic."""
    if "sentences" not in retrieval.memo:
        retrieval.memo["sentences"] = list(_without_instructions(_scored(retrieval), retrieval))
    found: list[ScoredSentence] = retrieval.memo["sentences"]
    return found


def _scored(retrieval: Retrieval) -> list[ScoredSentence]:
    asked = asked_of(retrieval)
    weights = [(stem_hash(word), weight) for word, weight in retrieval.idf.items()]
    asked_stems = frozenset(stem for stem, _ in weights)
    of_type, of_form, of_wording = answer_type_scorer(asked), form_scorer(asked), wording_scorer(retrieval.question)
    options = QuoteOptions(kinds_left_out(asked), asks_for_steps(asked), asks_for_code(asked))
    of_version, derived = version_finder(retrieval.question), derived_finder(asked)
    order = [retrieval.spelling.correct(stem) for stem in question_stems(asked)] if asks_whether(asked) else []
    takes_term, takes_source = asks_for_term(asked), bool(_ASKS_SOURCE.search(asked))
    subject = [retrieval.spelling.correct(stem) for stem in subject_of(asked)]
    abbreviation, compound, person = abbreviation_of(asked), compound_of(asked), person_asked(asked)
    term = frozenset(subject)
    topics = ({term} | ({frozenset(retrieval.idf)} if len(retrieval.idf) == 1 else set())) - {frozenset()}
    topic = retrieval.spelling.hashes(retrieval.follow_up.topic if retrieval.follow_up else ())
    top = max((chunk.score or 0.0 for chunk in retrieval.nodes), default=0.0)
    found = []
    for number, chunk in enumerate(retrieval.nodes):
        text, known = chunk.node.get_content(), retrieval.terms(number)
        place = (chunk.score or 0.0) / top if top > 0 else 0.0
        beside = _TOPIC_PENALTY if topic and topic.isdisjoint(known.all_stems) else 0.0
        cosines = np.asarray(retrieval.sentence_cosines.get(chunk.node.node_id, ())).tolist()
        opens = is_titled = bool(topics) and title_stems(headings_of(chunk.node)) in topics
        for at, piece in enumerate(quotes_of(text, known, options)):
            if at % PIECES_A_CHECK == 0:
                check_budget()
            index, end, quote, kind = piece.unit, piece.end, piece.text, piece.kind
            parts = piece.steps or (index,)
            own = [cosines[at] for at in parts if at < len(cosines) and not math.isnan(cosines[at])]
            cosine = max(own, default=None)
            words = max(known.held_share(weights, at, end) for at in parts)
            if not takes_source and _SOURCE.search(quote):
                words = min(words, idf_coverage(retrieval.idf, frozenset(stem_hashes(_SOURCE.sub(" ", quote)))))
            score = words + _PLACE_WEIGHT * place + _TYPE_WEIGHT * of_type(quote) - _PENALTIES.get(kind, 0.0)
            score += _WORDING_WEIGHT * of_wording(quote) - beside
            has_form = of_form(quote)
            is_elsewhere = piece.is_elsewhere or (piece.announces and not has_form)
            score -= _ELSEWHERE_PENALTY * (piece.led_in + is_elsewhere)
            if of_version and not of_version(paragraph_up_to(chunk.node, known, index)):
                score -= _VERSION_PENALTY
            if kind == "row" and _names(quote.partition("|")[0], asked_stems):
                score += _KEY_BONUS
            score += _FORM_BONUS * words * has_form
            score += _ORDER_BONUS * ordered_share(order, stems(quote)) if order else 0.0
            defining = float(spells_out(quote, abbreviation)) if abbreviation else defines(quote, subject)
            defining = max(defining, person.identified_by(quote)) if person else defining
            defining = 0.0 if piece.is_fields else defining
            if (opens and not is_elsewhere and is_entry(quote, term)) or (compound and labels(quote, compound)):
                defining = max(defining, _ENTRY_DEFINES)
            if derived and not derived.search(quote):
                score, defining = score - _DERIVED_PENALTY, 0.0
            if takes_term and names_term(quote, retrieval.idf):
                defining = max(defining, _NAMING_DEFINES * (1.0 if kind == "definition" else words))
            if is_titled and not is_elsewhere:
                score += _TITLE_BONUS * (1 + (opens and not leads_on(quote)))
            opens = opens and is_elsewhere
            if subject and not defining and "\n|" in quote and not _TAKES_TABLE.search(asked):
                score -= _TABLE_PENALTY
            score += (
                _COSINE_WEIGHT * (cosine or 0.0) + _DEFINITION_BONUS * defining + _PROCEDURE_BONUS * bool(piece.steps)
            )
            found.append(ScoredSentence(number, index, piece.start, end, quote, kind, score, words, cosine, defining))
    return sorted(found, key=lambda each: (-each.score, each.chunk, each.start))


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
    it; else a command may be what a mail asks for."""
    node, units = retrieval.nodes[sentence.chunk].node, retrieval.terms(sentence.chunk).units
    pieces = (node.get_content()[units[at].start : units[at].end] for at in instructing)
    headings = None if any(map(is_addressed, pieces)) else headings_of(node)
    return is_asked_about(retrieval.question, sentence.text, headings)


def _names(cell: str, asked_stems: frozenset[int]) -> bool:
    """Whether a table's first cell is made of words of the question."""
    stems = stem_hashes(cell)
    return bool(stems) and any(map(str.isalpha, cell)) and asked_stems.issuperset(stems)
