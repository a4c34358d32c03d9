"""What a key asserts, looked up word by word in an answer: what it has, what is missing, what it adds."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from ..records import Question
from .word_forms import is_form
from .wording import ARTICLES, DEGREES, Word, are_opposite, is_light, is_negation, same, turned, words_of

#: An abbreviation that a source introduces itself, "polymerase chain reaction (PCR)".
_SHORT = re.compile(r"\s\(([A-Z][A-Za-z]{1,7})\)")
#: One that only the answer has: its letters begin the words of the key, "anti-diuretic hormone" for "ADH".
_CAPITALS = re.compile(r"\b[A-Z]{3,7}\b")
#: Characters of its long form at most.
_LONGEST = 120
#: Of what the key tells.
_MOST = 0.6
#: What a word that tells little counts beside one that tells something.
_LIGHT = 0.1
#: What examples in parentheses begin with, "(like calcium)", "(e.g. calcium)": an answer may have others or none.
_EXAMPLES = frozenset({"like", "such", "including", "eg"})


@dataclass(frozen=True)
class Comparison:
    """The words of a key and of an answer, stop words included, by their places."""

    key: list[Word]
    answer: list[Word]
    #: Places of the key's words that tell something beyond the question, one for each stem, with what they count.
    weights: dict[int, float]
    #: For each of them that the answer has, where.
    matches: dict[int, int]
    #: Places of the answer's words that tell something which neither the source nor the question says.
    foreign: list[int]

    @property
    def share(self) -> float:
        """How much of what the key tells the answer has, 0 to 1."""
        cut = next((at for at, word in enumerate(self.key) if word.low == "ie"), len(self.key))
        return max(self._share(range(cut)), self._share(range(cut, len(self.key))))

    def _share(self, places: range) -> float:
        whole = sum(weight for at, weight in self.weights.items() if at in places)
        return sum(self.weights[at] for at in self.matches if at in places) / whole if whole else 0.0

    @property
    def exchanged(self) -> tuple[float, list[tuple[list[int], list[int]]]]:
        """How much of the answer stands in the key's order, 0 to 1, and places where the two have other words between.

        Of those the key's places and the answer's, without words that the other has anywhere.
        """
        mine, theirs = (
            [at for at, word in enumerate(words) if word.low not in ARTICLES] for words in (self.key, self.answer)
        )
        wanted, given = (
            [words[at].stem or words[at].low for at in places]
            for words, places in ((self.key, mine), (self.answer, theirs))
        )
        steps = SequenceMatcher(None, wanted, given, autojunk=False).get_opcodes()
        between = [
            (_only(self.key, mine[a:b], self.answer), _only(self.answer, theirs[c:d], self.key))
            for step, a, b, c, d in steps
            if step == "replace"
        ]
        kept = sum(b - a for step, a, b, _c, _d in steps if step == "equal")
        return kept / max(1, len(theirs)), [pair for pair in between if all(pair)]

    @property
    def has_opposite(self) -> bool:
        """Whether it says something by an opposite: "not as deep as" or "the other is deeper" for "shallower"."""
        return any(are_opposite(self.key[at].low, self.answer[place].low) for at, place in self.matches.items())

    @property
    def missing(self) -> list[int]:
        """Places of the key's words that tell something and that the answer has not."""
        return [at for at, weight in self.weights.items() if at not in self.matches and weight > _LIGHT]

    @property
    def is_cut_short(self) -> bool:
        """Whether the answer is the beginning of the key, word for word, and tells less than most of it."""
        is_copied = all(self.key[at].stem == self.answer[place].stem for at, place in self.matches.items())
        own = [word for place, word in enumerate(self.answer) if word.stem and place not in self.matches.values()]
        is_begun = is_copied and not own and max(self.matches, default=0) < min(self.missing, default=0)
        return is_begun and self.share < _MOST

    def has_other_number(self) -> bool:
        """Whether the answer has a number that the source has not, or another letter than the key's.

        "One" and "two" may stand for "the" and "both".
        """
        missing = [self.key[at] for at in self.missing]
        foreign = [self.answer[place] for place in self.foreign]
        has_missing = any(word.is_number for word in missing)
        return any(
            word.is_number and (has_missing or word.text.casefold() not in {"one", "two"}) for word in foreign
        ) or (any(word.is_letter for word in missing) and any(word.is_letter for word in foreign))

    def has_match(self, word: str) -> bool:
        """Whether a word of the answer, as it is written, says what one of the key's says."""
        return any(self.answer[place].text.casefold() == word.casefold() for place in self.matches.values())

    def with_match(self, at: int, place: int) -> Comparison:
        """With a word of the answer that says what the key's says."""
        return replace(
            self, matches={**self.matches, at: place}, foreign=[each for each in self.foreign if each != place]
        )


def as_in_key(answer: str, key: str, source: str) -> str:
    """The answer with the form that the key has of each abbreviation of the source, the long or the short one."""
    for found in _SHORT.finditer(source):
        short = found[1]
        long_form = re.compile(rf"{_initials(short.removesuffix('s'))}$", re.IGNORECASE)
        long = long_form.search(source, max(0, found.start() - _LONGEST), found.start())
        if long is None:
            continue
        written, wanted = (re.compile(rf"\b{re.escape(form)}\b", re.IGNORECASE) for form in (short, long[0]))
        if wanted.search(key):
            whole = f"{long[0]} ({short})" if written.search(key) else long[0]
            answer = answer if wanted.search(answer) else written.sub(whole, answer)
        elif written.search(key):
            answer = wanted.sub(short, answer)
    for short in dict.fromkeys(_CAPITALS.findall(answer)):
        known = re.search(rf"\b{short}\b", f"{key} {source}")
        if known is None and (long := re.search(_initials(short), key, re.IGNORECASE)):
            answer = re.sub(rf"\b{short}\b", long[0], answer)
    return answer


def _initials(short: str) -> str:
    """A pattern of words that begin with these letters."""
    return r"(?<![\w'-])" + r"[\w']*,?[\s-]+".join(short) + r"[\w']*"


def compare(question: Question, answer: str) -> Comparison:
    """Lay an answer beside a question's key, by their words alone."""
    key, answered = words_of(question.key), words_of(answer)
    given = [word for word in words_of_question(question) if word.stem]
    weights = _weights(key, {word.stem for word in given})
    matches = _matches(key, answered, weights.keys())
    matched = set(matches.values())
    known = [*key, *words_of(question.support.text), *given]
    foreign = [
        place
        for place, word in enumerate(answered)
        if place not in matched and word.stem and not is_light(word) and not is_negation(word.low)
        and not any(same(each.low, word.low) for each in known)
    ]  # fmt: skip
    return Comparison(key, answered, weights, matches, foreign)


def words_of_question(question: Question) -> list[Word]:
    """What is asked about: "in your own words" is of no word."""
    return words_of(question.text.removeprefix("In your own words: "))


def _weights(key: list[Word], given: set[str]) -> dict[int, float]:
    """What the key's words count by their places; one for each stem. ``given``: the stems of the question."""
    weights: dict[int, float] = {}
    stems: set[tuple[str, bool]] = set()
    is_example = False
    for at, word in enumerate(key):
        if "(" in word.before or ")" in word.before:
            is_example = word.before.endswith("(") and word.low in _EXAMPLES
        if word.stem and word.low != "ie" and (word.stem, word.is_name) not in stems:
            stems.add((word.stem, word.is_name))
            weights[at] = _LIGHT if is_example or is_light(word) or word.stem in given else 1.0
    return weights


def _matches(key: list[Word], answered: list[Word], weights: AbstractSet[int]) -> dict[int, int]:
    """For the key's words of these places where the answer has them, each place once but for two in one word."""
    matches: dict[int, int] = {}
    # Names first: the "states" of the United States are no state.
    for at in sorted(weights, key=lambda one: not key[one].is_name):
        place = _place(key[at], answered, set(matches.values()))
        if place is not None:
            matches[at] = place
    for at in sorted(weights - matches.keys()):  # "antimatter" for "anti-matter"
        if at + 1 in weights and key[at + 1].before == "-":
            joined = key[at].low + key[at + 1].low
            place = next((place for place, word in enumerate(answered) if is_form(joined, word.low)), None)
            if place is not None and place not in matches.values():
                matches |= {at: place, at + 1: place}
    compares = any(word.low == "than" for word in answered)
    for at in sorted(weights - matches.keys()):
        for place, word in enumerate(answered):
            # "more", "fewer" and the like compare only where there is a "than"
            is_free = place not in matches.values() and at not in matches and (compares or word.low not in DEGREES)
            if is_free and are_opposite(key[at].low, word.low) and _is_converse(matches, at, place):
                matches[at] = place
    return matches


def _is_converse(matches: dict[int, int], at: int, place: int) -> bool:
    """Whether the words on both sides are exchanged: "A is larger than B", "B is smaller than A"."""
    sides = [(number - at, each - place) for number, each in matches.items() if number != at and each != place]
    return any(mine < 0 < theirs for mine, theirs in sides) and all(mine * theirs < 0 for mine, theirs in sides)


def _only(words: list[Word], places: list[int], others: list[Word]) -> list[int]:
    """The places of the words that tell something and that the others have not."""
    return [at for at in places if words[at].stem and not any(same(words[at].low, other.low) for other in others)]


def _before(words: list[Word], place: int) -> str:
    """The word before one, without articles: "under the ground" is "underground"."""
    return next((word.low for word in reversed(words[:place]) if word.low not in ARTICLES), "")


def _place(word: Word, answered: list[Word], taken: set[int]) -> int | None:
    """Where the answer has the word: the same, then a form or synonym of it, in one or two parts, or its denial."""
    free = [(place, other) for place, other in enumerate(answered) if place not in taken and other.stem]
    for place, other in free:
        if other.text == word.text:
            return place
    for alike in (str.__eq__, is_form, same):
        for place, other in free:
            if alike(word.low, other.low) or alike(word.low, _before(answered, place) + other.low):
                return place
    for place, other in free:  # "not as deep as" and "less deep than" are shallower
        before = answered[max(0, place - 2) : place]
        if are_opposite(word.low, other.low) and any(is_negation(each.low) for each in before):
            return place
    bare = turned(word.low)
    if bare and any(is_negation(other.low) for other in answered):
        return next((place for place, other in enumerate(answered) if same(bare, other.low)), None)
    return None
