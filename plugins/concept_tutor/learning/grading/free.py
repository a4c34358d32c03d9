"""Answers in a learner's own words, laid beside the span that they should tell.

What the key asserts (terms, names, numbers, directions, denials, who does what to whom) is looked up in the answer, and
what the answer adds is weighed against what it leaves out. Nothing in an answer can talk its way to a mark: it is
compared and never read as an instruction, and no language model decides on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ragstone.core.citations import contradictions

from ..records import Finding
from .comparison import compare
from .order import are_phrases_exchanged, is_shuffled
from .polarity import denies_otherwise, may_deny, opposite
from .roles import are_swapped
from .wording import are_opposite, stem_of, words_of

if TYPE_CHECKING:
    from ragstone.core import Encoder
    from ragstone.core.citations import Contradiction

    from ..records import Question
    from .comparison import Comparison

#: From this share of what the key tells an answer is partly right, and without an encoder right.
_PARTLY, _PARTLY_WITH_OTHERS, _RIGHT, _SURE = 0.18, 0.25, 0.7, 0.78
#: With one: what the share, the cosine, another word in a term's place (perhaps, for certain) and copied words count;
#: from which sum on an answer is right. A logistic regression on the 712 of 1,364 graded answers that come this far.
_SHARE, _COSINE, _DOUBTFUL, _CERTAIN, _COPIED, _WHOLE = 6.5, 5.2, -1.4, -2.2, -5.0, 6.5
_LONG, _TIMES = 60, 3
_MOST_PAIRS = 24
#: Words that feedback names.
_NAMED = 5
#: From here on two words say the same: in the same place of key and answer, and elsewhere.
_IN_PLACE, _ANYWHERE = 0.28, 0.5


@dataclass(frozen=True)
class FreeAnswers:
    """Grades free answers with the host's encoder; without one by their words alone."""

    encoder: Encoder | None = None

    def grade(self, question: Question, answer: str) -> Finding:
        """Right, partly right or wrong, and why."""
        if not answer.strip():
            return Finding("wrong", "no answer was given")
        found = compare(question, answer)
        if not found.matches and not found.foreign:
            return Finding("wrong", "it says no more than the question")
        if is_shuffled([*words_of(question.text), *found.key], found.answer):
            return Finding("wrong", "it has the source's words, but they make no statement")
        if found.share < (_PARTLY_WITH_OTHERS if found.foreign else _PARTLY):
            return Finding("wrong")
        against = [
            each
            for each in contradictions(answer, question.support.text)
            if stem_of(each.stated) or each.kind != "opposite"  # "like" and "unlike" are often in texts by chance
            if each.kind != "negation" or not may_deny(found, each.stated)
        ]
        turned = next((_reason(each) for each in against if each.kind != "number"), None) or opposite(found)
        if turned is not None:
            return Finding("wrong", turned)
        if are_phrases_exchanged(found.key, found.answer) or are_swapped(found):
            return Finding("wrong", "it says of one thing what the source says of another")
        if against:  # another number: the rest of the answer is graded without it
            numbers = [place for place in found.foreign if found.answer[place].is_number]
            for at, place in zip([at for at in found.missing if found.key[at].is_number], numbers, strict=False):
                found = found.with_match(at, place)
        found = self._paraphrased(question, answer, found)
        rival, certain = found.rival() or ("", False)
        is_whole = self._is_whole(question.key, answer, found, rival=bool(rival) + certain)
        if against:
            return Finding("partly" if is_whole else "wrong", _reason(against[0]), 0.5 if is_whole else 0.0)
        if not is_whole:
            return Finding("partly", rival or _missing(found), 0.5)
        if len(answer.split()) > max(_LONG, _TIMES * len(question.key.split())):
            return Finding("partly", "it says much more than what was asked for; say it in a sentence", 0.5)
        return Finding("right", credit=1.0)

    def _is_whole(self, key: str, answer: str, found: Comparison, *, rival: int) -> bool:
        """Whether nothing that matters is missing or exchanged. ``rival``: 1 for a doubtful word, 2 for a certain one.

        Who copies the source but for a word has changed that word; own words may leave one out.
        """
        if self.encoder is None:
            return rival < 2 and found.share >= (_SURE if rival else _RIGHT)
        if found.has_other_number() or denies_otherwise(found):
            return False
        one, other = self.encoder.embed_texts([key, answer])
        copied = found.copied if found.missing or found.foreign or rival else 0.0
        worth = _SHARE * found.share + _COSINE * float(np.dot(one, other)) + _COPIED * copied
        return worth + (0.0, _DOUBTFUL, _CERTAIN)[rival] >= _WHOLE

    def _paraphrased(self, question: Question, answer: str, found: Comparison) -> Comparison:
        """With the missing words that the encoder finds in other words of the answer.

        Two words say the same if they are near each other, and if the key and the answer say the same with one in place
        of the other.
        """
        if self.encoder is None:
            return found
        pairs = [
            (at, place)
            for at in found.missing
            for place in found.foreign
            if not found.key[at].is_exact
            and not found.answer[place].is_number
            and not are_opposite(found.key[at].low, found.answer[place].low)
        ][:_MOST_PAIRS]
        key, texts = question.key, [question.key, answer]
        for at, place in pairs:
            mine, theirs = found.key[at].text, found.answer[place].text
            texts += [mine, theirs, key.replace(mine, theirs, 1), answer.replace(theirs, mine, 1)]
        vectors = self.encoder.embed_texts(texts)
        scores = {}
        for number, (at, place) in enumerate(pairs):
            one, other, with_theirs, with_mine = vectors[2 + 4 * number : 6 + 4 * number]
            apart = (1 - np.dot(vectors[0], with_theirs)) + 2 * (1 - np.dot(vectors[1], with_mine))
            score = float(np.dot(one, other) - apart)
            if score >= (_IN_PLACE if found.share_a_place(at, place) else _ANYWHERE):
                scores[at, place] = score
        for at, place in sorted(scores, key=lambda pair: -scores[pair]):
            if at in found.missing and place in found.foreign:
                found = found.with_match(at, place)
        return found


def _missing(found: Comparison) -> str:
    """What of the key the answer has, and what not; of what tells little nothing is said."""
    present = [at for at, weight in found.weights.items() if at in found.matches and weight == 1]
    had, missing = (
        ", ".join(f"“{found.key[at].text}”" for at in places[:_NAMED]) for places in (present, found.missing)
    )
    if not missing:
        return "something of it is missing"
    return f"you have {had}; still missing: {missing}" if had else f"still missing: {missing}"


def _reason(found: Contradiction) -> str:
    if found.kind == "negation":
        return "it denies what the source says" if found.stated else "the source denies it"
    return f"it says “{found.stated}” where the source says “{found.source}”"
