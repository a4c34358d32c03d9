"""The evidence gate: decides before any synthesizer runs whether the retrieved chunks are enough to answer from."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ..text.answer_types import answer_type_scorer, value_finder
from ..text.chunk_terms import headings_of, idf_coverage
from ..text.definitions import attribute_finder, subject_of
from ..text.entries import label_finder, title_stems
from ..text.persons import LifeEvent, life_event_asked
from ..text.question_kinds import action_of, asks_for_events, asks_for_steps, asks_whether
from ..text.stemming import question_stems, stem_hash, stems
from .answerability import FEATURES, features_of, is_reply, least_likelihood, likelihood, stems_near
from .models import asked_of
from .requirements import DEFINES, missing_subject, missing_value
from .sentences import sentences_of

if TYPE_CHECKING:
    from .models import Retrieval
    from .sentence_scores import ScoredSentence

#: What the gate decides. "closest": the chunks are about what was asked, but no sentence seems to answer it.
Verdict = Literal["answered", "closest", "refused"]

_SCALE = 0.6
#: Sentences of which one must have what is asked for: more are seldom quoted.
_QUOTED = 3
#: Share of the best sentence's score below which none is quoted.
_NEAR = 0.8
#: Share of the question's words, weighted by IDF, below which a sentence has only such as are in nearly every chunk:
#: "canal" in a book on a canal.
_TELLING = 0.1
#: Share of a follow-up's own words, weighted by IDF, that the chunk must contain.
_OWN_SHARE = 0.5
#: "No pets.", "Decided: no smoking in the rooms", and what of them may be asked.
_NO = re.compile(
    r"(?:\A|[.:;!,] )No ((?:\w+ )?\w+)(?= (?:in|on|at|inside|during|before|after|from|without)\b|[.;,!]|\Z)",
    re.IGNORECASE,
)
_ANY_USE = frozenset(
    stems("allowed permitted accepted welcome bring use have keep contain offer serve provide include")
)


@dataclass(frozen=True)
class Evidence:
    """How well the chunk that matches best, and its best sentence, match the question."""

    #: Cosine of the question and the chunk; ``None`` where vectors cannot be used.
    cosine: float | None
    #: Share of the question's words that are in the chunk or its headings, weighted by IDF, 0 to 1.
    coverage: float
    #: The same for the words that only the follow-up question has, without the earlier turns; 1 if there are none.
    own_coverage: float = 1.0
    #: The probability that the best sentence answers the question, 0 to 1; 0 if something is ``missing``.
    likelihood: float = 0.0

    #: Cosine of the best sentence and the question, and share of the question's words that it has in their order.
    sentence: float = 0.0
    order: float = 0.0
    #: What the question requires, and none of the best sentences or no chunk has; empty if nothing is missing.
    missing: str = ""

    @property
    def score(self) -> float:
        """How much the chunk and its best sentence are about what was asked, 0 to 2.

        1,998 SQuAD questions against 400 on other articles: AUROC 0.991, at 3 % false refusals 7 % pass; 0.986 and 12 %
        for the sum of the chunk's cosine and words alone. The factor keeps that sum's scale.
        """
        cosine = self.coverage if self.cosine is None else max(self.cosine, 0.0)
        return _SCALE * (cosine + self.coverage + max(self.sentence, 0.0) + self.order / 2)


def weigh_evidence(retrieval: Retrieval) -> Evidence:
    """The evidence of the chunk with the highest score, and of the best sentence of all chunks."""
    own = {}
    if retrieval.follow_up is not None:
        meant = set(map(retrieval.spelling.correct, retrieval.follow_up.informative))
        own = {word: weight for word, weight in retrieval.idf.items() if word in meant}
    found = [Evidence(None, 0.0)]
    for number, chunk in enumerate(retrieval.nodes):
        scores = retrieval.scores.get(chunk.node.node_id)
        cosine = None if scores is None else scores.dense
        stems = retrieval.terms(number).all_stems
        found.append(Evidence(cosine, idf_coverage(retrieval.idf, stems), idf_coverage(own, stems) if own else 1.0))
    best = max(found, key=lambda each: each.score)
    sentences = sentences_of(retrieval)
    if not sentences:
        return best
    features = features_of(retrieval, sentences[0])
    known = dict(zip(FEATURES, features, strict=True))
    first = sentences[0].score
    least = min(first, _NEAR * first)  # of a negative score that is the score itself
    quoted = [each for each in sentences[:_QUOTED] if each.score >= least]
    life = life_event_asked(asked_of(retrieval))  # "Ada Reed (1805 – 1877)" says when, without the question's words
    is_dated = life is not None and life.is_dated_in(quoted[0].text)
    replies = is_reply(retrieval, quoted[0]) or _says_no(retrieval, quoted[0])
    missing = "" if is_dated or replies else missing_subject(retrieval, quoted)
    if not missing and quoted[0].defining >= DEFINES:
        # Who asks what X is, is answered by what says it, however short it is.
        chance = max(likelihood(features), quoted[0].defining)
    else:
        missing = missing or ("" if replies else missing_value(retrieval, quoted))
        if not replies and _has_common_words_alone(retrieval, quoted[0]):
            missing = missing or "the words of the question that a sentence has are in nearly every passage"
        # What code answers is said by the sentences around it.
        around = quoted[1:] if "\n```" in quoted[0].text else []
        beside = [features_of(retrieval, each) for each in around if each.chunk == quoted[0].chunk]
        is_shown = _is_about_it(retrieval, quoted[0]) or _says_event(retrieval, quoted[0], life)
        shown = quoted[0].words if is_shown else float(_is_procedure(retrieval, quoted[0]))
        chance = 0.0 if missing else max(float(replies), shown, *map(likelihood, (features, *beside)))
    return replace(best, sentence=known["cosine"], order=known["order"], likelihood=chance, missing=missing)


def _has_common_words_alone(retrieval: Retrieval, sentence: ScoredSentence) -> bool:
    """Whether it has only such words of the question as nearly every chunk has, and no price, temperature … that is
    asked for."""
    has_value = value_finder(asked_of(retrieval))
    return 0 < sentence.words < _TELLING and not (has_value and has_value(sentence.text))


def _is_about_it(retrieval: Retrieval, sentence: ScoredSentence) -> bool:
    """Whether nothing is asked for but what happened to X, what to do about X, or what the Y of X is and the sentence
    says what "the Y is" or has the form of a Y (a price, a phone number), and all words are near the sentence; or what
    X is, and the sentence is below the title X; or it has a label of words of the question, and the others itself or
    above it.

    Of SQuAD's 2,190 unanswerable questions that changes the verdict of none.
    """
    asked = asked_of(retrieval)
    attribute = attribute_finder(asked)
    asks_what_to_do = asks_for_steps(asked) and action_of(asked) is None
    has_value = value_finder(asked)
    is_said = (attribute and attribute.search(sentence.text)) or (has_value and has_value(sentence.text))
    if is_said or asks_what_to_do or asks_for_events(retrieval.question):
        return stems_near(retrieval, sentence).issuperset(map(stem_hash, retrieval.idf))
    known = retrieval.terms(sentence.chunk)
    if (
        label_finder(asked)(sentence.text)
        and idf_coverage(retrieval.idf, known.heading_stems | known.unit_stems[sentence.unit]) == 1
    ):
        return True
    subject = frozenset(map(retrieval.spelling.correct, subject_of(asked)))
    return bool(subject) and title_stems(headings_of(retrieval.nodes[sentence.chunk].node)) == subject


def _says_event(retrieval: Retrieval, sentence: ScoredSentence, life: LifeEvent | None) -> bool:
    """Whether someone's birth or death is asked for, and the sentence says of this person, by name, when or where it
    was."""
    headings, has_type = headings_of(retrieval.nodes[sentence.chunk].node), answer_type_scorer(asked_of(retrieval))
    return life is not None and life.fault_of(sentence.text, headings) == 0 and has_type(sentence.text) == 1


def _says_no(retrieval: Retrieval, sentence: ScoredSentence) -> bool:
    """Whether the question asks whether something is there, used or allowed, and the sentence says "No pets."."""
    asked = asked_of(retrieval)
    own, near = set(question_stems(asked)) - _ANY_USE, stems_near(retrieval, sentence, behind=0)
    denied = [set(stems(found[1])) for found in _NO.finditer(sentence.text)] if asks_whether(asked) else []
    return any(each and each <= own and set(map(stem_hash, own - each)) <= near for each in denied)


def _is_procedure(retrieval: Retrieval, sentence: ScoredSentence) -> bool:
    """Whether the question asks how the reader does something, and the sentence is a whole procedure below a title with
    that verb and no other words than the question's: "Setting up" for "How do I set it up?"."""
    asked = asked_of(retrieval)
    title = title_stems(headings_of(retrieval.nodes[sentence.chunk].node))
    return bool(sentence.parts["steps"]) and action_of(asked) in title and title.issubset(question_stems(asked))


def judge(found: Evidence, retrieval: Retrieval, least: float | None = None) -> Verdict:
    """Whether a question with this evidence may be answered. ``least``: likelihood below which the best sentence comes
    closest, but does not answer; by default the model's own, which nearly 92 of 100 answerable questions reach.

    A follow-up inherits the words of earlier questions, which were answered: its own words must be found too. Without
    them "What does it cost?" is about what was asked before, "And the weather?" is not.
    """
    best = next(iter(sentences_of(retrieval)), None)
    if best is None or (found.score < retrieval.threshold and not is_reply(retrieval, best)):
        return "refused"
    if retrieval.follow_up is not None and found.own_coverage < _OWN_SHARE:
        return "closest" if retrieval.follow_up.refers else "refused"
    if found.likelihood >= (least_likelihood() if least is None else least):
        return "answered"
    # What comes closest to "and why?" is anything about what was asked before.
    is_empty = retrieval.follow_up is not None and not retrieval.follow_up.own
    return "refused" if is_empty else "closest"
