"""Whether an answer is a list of the source's words in no order."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ..reading.spelling import word_set

if TYPE_CHECKING:
    from .comparison import Comparison
    from .wording import Word

_ARTICLES = frozenset({"a", "an", "the"})
_PREPOSITIONS = word_set(
    "of into from with by at for during among within around on in to than between over through along across"
)
_MAY_END = frozenset({"in", "on", "by", "through", "over", "around", "along", "across"})
_PLACES = _PREPOSITIONS | word_set("inside outside above below under beneath")
_CONJUNCTIONS = frozenset({"and", "or"})
_RELATIVES = frozenset({"that", "which", "who", "whose", "where", "when"})
_AUXILIARIES = word_set("is are was were be been being can could may must will would has have")
_PRONOUNS = frozenset({"it", "they", "you", "them", "these", "he", "she", "we"})
_START, _END = "^", "."
_SMALL = _PREPOSITIONS | _CONJUNCTIONS | _ARTICLES | _RELATIVES | _AUXILIARIES | _PRONOUNS | {_END}
#: What no sentence has behind such a word.
_NOT_BEHIND = (
    (_ARTICLES, _SMALL - {"over"}),
    (_PREPOSITIONS, _PREPOSITIONS | _CONJUNCTIONS | _AUXILIARIES | {"who", _END}),
    (_CONJUNCTIONS, _CONJUNCTIONS | {"of", "than", _END}),
    (_RELATIVES, _CONJUNCTIONS | {"of", _END}),
    (_PRONOUNS, {"of"}),
    ({_START}, _CONJUNCTIONS | {"of", "than"}),
)
_PAIRS = "from within; in between; of around; to be; to have; when and; in is"
_FINE = {tuple(pair.split()) for pair in _PAIRS.split(";")} | {(word, _END) for word in _MAY_END}
#: Fewer of the source's words than this share are no copy of it.
_BORROWED = 0.75
#: Small words with which nothing is turned round.
_NEUTRAL = _ARTICLES | word_set("it they them is are was were be because as he she also")
_LEAST_WORDS, _MANY_WORDS = 3, 7


def is_shuffled(key: list[Word], answer: list[Word]) -> bool:
    """Whether the answer's words are the key's without their neighbours, and make no sentence."""
    words, others = [word.low for word in key], [word.low for word in answer]
    if len(others) < _LEAST_WORDS:
        return False
    borrowed = sum(word in words for word in others) / len(others)
    if borrowed < _BORROWED:
        return False  # own words
    known, pairs = set(pairwise(words)), list(pairwise(others))
    kept = sum(pair in known for pair in pairs) / len(pairs)
    neighbours = set(pairwise(word.stem for word in key if word.low not in _ARTICLES))
    stems = {word.stem for word in key if word.stem}
    loose = sum(
        {one.stem, other.stem} <= stems and other.before == " " and (one.stem, other.stem) not in neighbours
        for one, other in pairwise(answer)
    )
    if (loose >= 2 and loose >= 0.5 * len(others)) or (loose >= 3 and loose >= 0.3 * len(others)):
        return True  # the source's words, one behind the other, with nothing between them
    spelled = [_START, *("" if word.text.isupper() else word.low for word in answer), _END]
    broken = sum(
        _is_broken(one, other)
        for one, other, third in zip(spelled, spelled[1:], [*spelled[2:], ""], strict=False)
        if not (one in _PREPOSITIONS and other in _CONJUNCTIONS and third in _PLACES)  # "in or on"
    )
    # None of 378 right answers is taken; of 416 rows of a key's words in random order 377 are found.
    return (
        (broken >= 1 and (kept < 0.2 or (borrowed >= 0.85 and kept < 0.5) or (borrowed >= 0.95 and kept < 0.6)))
        or (broken >= 2 and kept < 0.5)
        or (len(others) >= _MANY_WORDS and borrowed >= 0.9 and kept < 0.25)
    )


def are_phrases_exchanged(key: list[Word], answer: list[Word]) -> bool:
    """Whether the answer is the key with words in one another's place: its small words stand as they did."""
    small = [[word.low for word in words if not word.stem and word.low not in _ARTICLES] for words in (key, answer)]
    mine, theirs = ([word.stem for word in words if word.stem] for words in (key, answer))
    if small[0] != small[1] or set(small[0]) <= {"of"} or mine == theirs or sorted(mine) != sorted(theirs):
        return False
    places = [at for at, word in enumerate(key) if word.stem]
    moved = [places[at] for at, (one, other) in enumerate(zip(mine, theirs, strict=True)) if one != other]
    between = key[moved[0] + 1 : moved[-1] + 1]
    return not all(word.stem or word.low in {"and", "or", *_ARTICLES} for word in between)


def are_sides_exchanged(found: Comparison) -> bool:
    """Whether what stood before a preposition or a verb of the key now stands behind it, and what stood behind before.

    The answer has no small word beyond the key's that could turn the sentence as well.
    """
    mine, theirs = ([word.low for word in words] for words in (found.key, found.answer))
    if any(not word.stem and word.low not in {*mine, *_NEUTRAL} for word in found.answer):
        return False
    places = dict(found.matches)
    for word in set(mine) - _ARTICLES:
        if mine.count(word) == theirs.count(word):
            for at, place in zip(_all(mine, word), _all(theirs, word), strict=True):
                places.setdefault(at, place)
    turns = [at for at in places if mine[at] in _PLACES - {"of"} or mine[at] == "instead" or _is_verb(found.key, at)]
    words = [at for at in places if found.key[at].stem or mine[at] in _PLACES - {"to", "of", "in"}]
    return any(
        before < at < behind and places[behind] < places[at] < places[before]
        for at in turns
        for before in words
        for behind in words
    )


def _all(words: list[str], word: str) -> list[int]:
    return [at for at, each in enumerate(words) if each == word]


def _is_verb(words: list[Word], at: int) -> bool:
    following = [word.low for word in words[at + 1 : at + 2]]
    return bool(words[at].stem) and (words[at].is_verbal or bool(_ARTICLES.intersection(following)))


def _is_broken(one: str, other: str) -> bool:
    if (one, other) in _FINE or not one or not other:
        return False
    return one == other or any(one in before and other in behind for before, behind in _NOT_BEHIND)
