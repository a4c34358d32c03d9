"""Reads follow-up questions: adds the earlier turns that they need."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..text.answer_types import asks_for_value
from ..text.antecedents import parallel_question, resolve_ordinal, with_person
from ..text.definitions import subject_of
from ..text.doers import NAME
from ..text.question_kinds import asks_for_manner, form_required
from ..text.rewording import reworded, topic_of
from ..text.spelling import correction_of
from ..text.stemming import LIGHT_STEMS, MEASURE_STEMS, question_stems, stems
from ..text.stemming import words as plain_words

#: Earlier turns that are looked at.
LONGEST_HISTORY = 20
#: Turns that a follow-up is read together with: the one that it goes back to and the latest.
_LOOKED_BACK = 5
_SHORT = 3  # words of a question that may have no verb; a longer one without any names what is looked for
_MIN_OWN_WORDS = 2  # that make a question understandable without the earlier ones
_CONNECTIVE = re.compile(r"^\W*(?:(?:and|but|so|or|then|also|ok(?:ay)?)\b\W*)+", re.IGNORECASE)
_ELLIPSIS = re.compile(
    r"(?:what about|how about|what else|what if|why not|really|go on|more)\b"
    r"|(?:name|list|give|show)(?: me)? (?:some|(?:a )?few|two|three|four|five|\d)"
    r"(?: more| examples?| of (?:them|those))?\W*$",
    re.IGNORECASE,
)
_LEAD = re.compile(rf"(?:{_CONNECTIVE.pattern})?(?:\W*(?:what|how) about\b\W*)?", re.IGNORECASE)
#: How a question with a verb begins.
QUESTION = re.compile(
    r"(?:(?:in|on|at|by|for|from|of|to|with) )?(?:what|which|whose|whom|who|when|where|why|how|is|are|was|were|do|does"
    r"|did|can|could|should|would|will|has|have|had|explain|describe|define|list|name|show|tell|compare|summari[sz]e"
    r"|give)(?:['’]?s)?\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:it|its|itself|they|them|their|theirs|this|that|these|those|he|him|his|she|her|hers|there|such|ones?"
    r"|the (?:same|first|second|former|latter|others?)|instead(?! of)"
    r"|which (?:is|are|was|were) (?:the )?(?:(?:more|most) \w+|\w{2,}(?:er|est)))\b",
    re.IGNORECASE,
)
#: "This gripper", which may be any; not "this is", nor "that of".
_DETERMINER = re.compile(
    r"\b(?:this|that|these|those) (?!(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might"
    r"|must|mean|happen|work|of|in|on|at|to|for|from|with|and|or|one|too|so|then|when)\b)\w+",
    re.IGNORECASE,
)
#: Behind which a pronoun may mean what the clause before names.
_CLAUSE = re.compile(r",|\b(?:and|when|if|after|before|because|while|since|so)\b", re.IGNORECASE)
#: "that", "this" and "one" that point at nothing before.
_POINTS_NOWHERE = re.compile(
    r"\b(?:is|was) it that\b|\b(?:so|such) that\b|\b(?:is|are|was|were) there\b|\b\w{4,} that(?= \w)"
    r"|\b(?:no|any|some|every) one\b|\b(?:should|can|could|does|must|would|may) one\b|\bone (?:of|or)\b"
    r"|\bthe (?:same|first|second|former|latter|others?) (?!ones?\b)\w",
    re.IGNORECASE,
)
#: "What is the default?", of what was asked about before.
_OF_SOMETHING = re.compile(r"\b(?:is|are|was|were) the\b|['’]s the\b", re.IGNORECASE)
_NUMBER = re.compile(r"\b\d[\d.]*\b")
_INHERITED = 0.4  # weight of an earlier question's words, relative to the follow-up's own
#: Words of a follow-up that say nothing of their own: "tell me more", "go on", "explain".
_EMPTY = dict.fromkeys(
    stems(
        "tell give more go on explain describe continue say else one example instance detail please elaborate mean"
        " reason okay yes simple simply simpler easier word term thank bit happen another matter work"
    ),
    1_000,
)


@dataclass(frozen=True)
class Turn:
    """A question that was asked before, and what was answered; nothing where it was not."""

    question: str
    answer: str = ""


@dataclass(frozen=True)
class FollowUp:
    """A question that needs earlier ones to be understood."""

    #: The question; the item of an answer's list instead of "the second one", a person's name instead of "he".
    asked: str
    #: The turns back to the last question that can be understood alone, oldest first; none behind a person's name.
    earlier: tuple[Turn, ...]
    #: Stems that it brings itself; none for "and why?".
    own: tuple[str, ...]

    @property
    def refers(self) -> bool:
        """Whether it points at what was asked before: "What does it cost?", not "And the weather?"."""
        is_any = _DETERMINER.search(self.asked) or _names_before_pronoun(self.asked)
        return not self.earlier or (_has_pronoun(self.asked) and not is_any)

    @property
    def alone(self) -> str:
        """What it may ask without the earlier ones: "winches?" for "And what about winches?"; empty if nothing else."""
        names_one = not _has_pronoun(self.asked) and (_is_elliptic(self.asked) or bool(subject_of(self.asked)))
        is_enough = len(self.own) >= _MIN_OWN_WORDS or (bool(self.own) and names_one)
        return _LEAD.sub("", self.asked, count=1) if is_enough and self.earlier else ""

    @property
    def parallel(self) -> str:
        """The question before with what this one names instead, "What is a hub?" for "And a hub?"; empty if it has a
        verb or names nothing of the kind."""
        is_part = bool(self.own) and _is_elliptic(self.asked) and not _has_pronoun(self.asked)
        return parallel_question(self.asked, [turn.question for turn in self.earlier]) if is_part else ""

    @property
    def informative(self) -> tuple[str, ...]:
        """Its own stems, without those that say nothing ("used") or ask for an age or a price ("How old is it?")."""
        left_out = LIGHT_STEMS | MEASURE_STEMS if asks_for_value(self.asked) else LIGHT_STEMS
        return tuple(stem for stem in self.own if stem not in left_out)

    @property
    def latest(self) -> tuple[str, ...]:
        """Stems that the question just before brought itself."""
        return tuple(_own(self.earlier[-1].question)) if self.earlier else ()

    @property
    def topic(self) -> frozenset[str]:
        """Stems of what was asked about before: of the names where the earlier questions have any."""
        needed = [*self._needed()] or [self.asked]
        names = {stem for question in needed for name in NAME.findall(question) for stem in stems(name)}
        return frozenset(names or {stem for question in needed for stem in stems(reworded(question))}) - set(self.own)

    @property
    def asks_for_more(self) -> bool:
        """Whether it asks to go on and nothing else: neither "Why?" nor "When was that?"."""
        asks_other = asks_for_value(self.asked) or asks_for_manner(self.asked)
        return not (self.own or asks_other) and form_required(self.asked)("")

    @property
    def new(self) -> tuple[str, ...]:
        """Its own stems that the earlier questions do not have."""
        known = {stem for turn in self.earlier for stem in stems(turn.question)}
        return tuple(stem for stem in self.own if stem not in known)

    @property
    def in_context(self) -> str:
        """The question behind those that it needs, without the words around these.

        Of several only the latest one's number counts: "Is there a 2.1? And a 2.2?" is about 2.2.
        """
        questions = [
            *map(reworded, self._needed()),
            *([self.asked] if self.own or not (self.earlier and stems(self.asked)) else []),
        ]
        numbered = [at for at, question in enumerate(questions) if _NUMBER.search(question)]
        for at in numbered[:-1]:
            questions[at] = _NUMBER.sub("", questions[at])
        return " ".join(filter(None, questions))

    @property
    def in_full(self) -> str:
        """The earlier questions and this one as they were written."""
        return " ".join([*(turn.question for turn in self.earlier), self.asked])

    def _needed(self) -> Iterator[str]:
        """The earlier questions. One with a pronoun asks for another thing of the same subject, which only a question
        without a verb goes on with: "When was it made? And sold?"."""
        goes_on = _is_elliptic(self.asked)
        for at, turn in enumerate(self.earlier):
            is_other = _has_pronoun(turn.question) and not (goes_on and turn is self.earlier[-1])
            if at == 0 or (_own(turn.question) and not is_other):
                yield turn.question

    def weighed(self, idf: Mapping[str, float], correct: Callable[[str], str]) -> dict[str, float]:
        """The weights of the words; those of an earlier question weigh less, and the less the earlier it is.
        ``correct``: gives the stem that is meant by a misspelt one."""
        if not self.own:
            return dict(idf)
        own = [stem for stem in self.own if stem not in LIGHT_STEMS]
        brought = [own, *(stems(reworded(question)) for question in reversed([*self._needed()]))]
        shares: dict[str, float] = {}
        for distance, words in enumerate(filter(None, brought)):
            for stem in map(correct, words):
                shares.setdefault(stem, _INHERITED**distance)
        return {stem: weight * shares.get(stem, _INHERITED) for stem, weight in idf.items()}

    @property
    def answered(self) -> str:
        """Everything that was answered already."""
        return " ".join(turn.answer for turn in self.earlier)


def follow_up(question: str, history: Sequence[Turn]) -> FollowUp | None:
    """What the question needs of the history; ``None`` for a complete one."""
    if not history:
        return None
    history, own = history[-LONGEST_HISTORY:], tuple(_own(question))
    for turn in reversed(history):
        if (resolved := resolve_ordinal(question, turn.question, turn.answer)) is not None:
            return FollowUp(resolved, (turn,), tuple(_own(resolved)))
    if not _needs_earlier(question):
        return None
    if (named := with_person(question, [(turn.question, turn.answer) for turn in history])) != question:
        return FollowUp(named, (), own)
    earlier: list[Turn] = []
    are_answered = any(turn.answer for turn in history)
    for turn in reversed(history):
        # Without an answer there is nothing to go on with, but "why?" is of the last question, whatever came of it.
        if are_answered and not turn.answer and (own or turn is not history[-1]):
            continue
        is_complete = not _needs_earlier(turn.question)
        if is_complete or len(earlier) < _LOOKED_BACK - 1:
            earlier.insert(0, turn)
        if is_complete:
            break
    return FollowUp(question, tuple(earlier), own)


def _own(question: str) -> list[str]:
    said = frozenset(stems(question))
    own = [stem for stem in question_stems(reworded(question)) if stem in said]
    return [stem for stem in own if stem not in _EMPTY and correction_of(stem, _EMPTY) is None]


def _has_pronoun(question: str) -> bool:
    return bool(_PRONOUN.search(_POINTS_NOWHERE.sub(" ", question)))


def _names_before_pronoun(question: str) -> bool:
    """Whether a clause before its first pronoun has words of its own: "What is a winch and what does it cost?"."""
    pronoun = _PRONOUN.search(_POINTS_NOWHERE.sub(lambda found: "_" * len(found[0]), question))
    clauses = list(_CLAUSE.finditer(question, 0, pronoun.start())) if pronoun else []
    return bool(clauses) and bool(_own(question[: clauses[-1].start()]))


def _is_elliptic(question: str) -> bool:
    """Whether it has no verb, or no word of its own: "And for boats?", "What about nylon?", "Why?"."""
    rest = _CONNECTIVE.sub("", question)
    is_part = rest != question or len(plain_words(question)) <= _SHORT
    return not _own(question) or bool(_ELLIPSIS.match(rest)) or (is_part and not QUESTION.match(rest))


def _needs_earlier(question: str) -> bool:
    """Whether the question needs the ones before it; what a term is, or what happened to it, does not."""
    own, rest = _own(question), _CONNECTIVE.sub("", question)
    if _has_pronoun(question) or _is_elliptic(question):
        return True
    names_one = topic_of(rest) or "happened to " in rest or (subject_of(rest) and not _OF_SOMETHING.search(rest))
    return not (own and names_one) and (rest != question or len(own) < _MIN_OWN_WORDS)
