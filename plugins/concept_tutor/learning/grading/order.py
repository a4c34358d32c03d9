"""Whether an answer has the source's words in no order, or in one another's place."""

from __future__ import annotations

from itertools import combinations, pairwise, starmap

from ..reading.spelling import word_set
from .comparison import Comparison
from .turns import RELATIVES
from .wording import ARTICLES, Word, are_opposite

_PREPOSITIONS = word_set(
    "of into from with by at for during among within around on in to than between over through along across"
)
_PLACES = _PREPOSITIONS | word_set("inside outside above below under beneath")
_OF = frozenset({"of", "for", "in", "on"})
_CONJUNCTIONS = frozenset({"and", "or"})
_AUXILIARIES = word_set("is are was were be been being can could may must will would has have")
_PRONOUNS = frozenset({"it", "they", "you", "them", "these", "he", "she", "we"})
_PARTICLES = frozenset({"in", "out", "up", "down"})
_START, _END = "^", "."
_SMALL = {_END} | _PREPOSITIONS | _CONJUNCTIONS | ARTICLES | RELATIVES | _AUXILIARIES | _PRONOUNS
#: What no sentence has behind such a word.
_NOT_BEHIND = (
    (ARTICLES, _SMALL - {"over"}),
    (_PREPOSITIONS, _PREPOSITIONS | _CONJUNCTIONS | _AUXILIARIES | {"who", _END}),
    (_CONJUNCTIONS, _CONJUNCTIONS | {"than", _END}),  # "cells of xylem and of phloem"
    (RELATIVES, _CONJUNCTIONS | {"of", _END}),
    (_PRONOUNS, {"of"}),
    ({_START}, _CONJUNCTIONS | {"of", "than"}),
)
#: Fewer of the source's words than this share are no copy of it, and from this one on they are nothing else.
_BORROWED, _COPIED, _MANY_WORDS = 0.75, 0.9, 7
#: Shares of the answer's words that stand beside one another alone, and of its pairs that are the source's.
_LOOSE, _KEPT, _FEW_KEPT = 0.3, 0.5, 0.25
#: Small words with which nothing is turned round.
_NEUTRAL = ARTICLES | word_set("it they them is are was were be because as he she also")
_ADVERBS = word_set("still already also often only")
_LEAST_WORDS = 3


def is_shuffled(key: list[Word], answer: list[Word]) -> bool:
    """Whether the answer's words are the key's without their neighbours, and make no sentence."""
    words, others = [word.low for word in key], [word.low for word in answer]
    if len(others) < _LEAST_WORDS:
        return False
    borrowed = sum(word in words for word in others) / len(others)
    if borrowed < _BORROWED:
        return False  # own words
    neighbours = set(pairwise(word.stem for word in key if word.low not in ARTICLES))
    plain = [word for word in key if word.low not in ARTICLES]
    neighbours |= {  # "museum buildings" for "buildings of the museum"
        (plain[at + 1].stem, plain[at - 1].stem) for at in range(1, len(plain) - 1) if plain[at].low in _OF
    }
    stems = {word.stem for word in key if word.stem}
    loose = sum(
        {one.stem, other.stem} <= stems and other.before == " " and (one.stem, other.stem) not in neighbours
        for one, other in pairwise(answer)
    )
    if loose > 1 and loose >= _LOOSE * len(others):
        return True  # the source's words, one behind the other, with nothing between them
    known, pairs = set(pairwise(words)), list(pairwise(others))
    kept = sum(pair in known for pair in pairs) / len(pairs)
    if len(others) >= _MANY_WORDS and borrowed >= _COPIED and kept < _FEW_KEPT:
        return True
    return kept < _KEPT and any(starmap(_is_broken, pairwise([_START, *others, _END])))


def are_phrases_exchanged(key: list[Word], answer: list[Word]) -> bool:
    """Whether the answer is the key with words in one another's place: its small words stand as they did."""
    small = [[word.low for word in words if not word.stem and word.low not in ARTICLES] for words in (key, answer)]
    mine, theirs = ([word.stem for word in words if word.stem] for words in (key, answer))
    if small[0] != small[1] or mine == theirs or sorted(mine) != sorted(theirs):
        return False
    places = [at for at, word in enumerate(key) if word.stem]
    moved = [places[at] for at, (one, other) in enumerate(zip(mine, theirs, strict=True)) if one != other]
    between = key[moved[0] + 1 : moved[-1] + 1]
    return not all(word.stem or word.low in {"and", "or", *ARTICLES} for word in between)


def are_sides_exchanged(found: Comparison) -> bool:
    """Whether what stood before a preposition or a verb of the key now stands behind it, and what stood behind before.

    The answer has no small word beyond the key's that could turn the sentence as well.
    """
    mine, theirs = ([word.low for word in words] for words in (found.key, found.answer))
    if any(not word.stem and word.low not in {*mine, *_NEUTRAL} for word in found.answer):
        return False
    places = dict(found.matches)
    for word in set(mine) - ARTICLES:
        if mine.count(word) == theirs.count(word):
            for at, place in zip(_all(mine, word), _all(theirs, word), strict=True):
                places.setdefault(at, place)
    turns = [at for at in places if mine[at] in _PLACES - {"of"} or mine[at] == "instead" or found.key[at].is_verbal]
    sides = _PLACES - {"to", "of", "in"}
    words = [at for at in places if (found.key[at].stem and mine[at] not in _ADVERBS) or mine[at] in sides]
    return any(
        before < at < behind and places[behind] < places[at] < places[before]
        for at in turns
        for before in words
        for behind in words
    )


def are_opposites_exchanged(key: list[Word], answer: list[Word]) -> bool:
    """Whether two opposites of the key have each other's neighbours: "first in, last out" for "last in, first out"."""
    known = {word.stem or word.low for word in key if word.stem or word.low in _PARTICLES}
    for one, other in combinations([word for word in key if word.stem], 2):
        if one.stem == other.stem or not are_opposite(one.low, other.low):
            continue
        mine, others = _neighbours(key, one.stem, known), _neighbours(key, other.stem, known)
        near, far = _neighbours(answer, one.stem, known), _neighbours(answer, other.stem, known)
        if near & others - mine and far & mine - others and not (near & mine - others or far & others - mine):
            return True
    return False


def _neighbours(words: list[Word], stem: str, known: set[str]) -> set[str]:
    """The nearest known words on both sides of a stem, no farther than its part of the sentence."""
    found = set[str]()
    for at, word in enumerate(words):
        if word.stem != stem:
            continue
        for step in (-1, 1):
            near = at
            while 0 <= near + step < len(words):
                if words[max(near, near + step)].before.strip():
                    break
                near += step
                if (each := words[near].stem or words[near].low) in known:
                    found.add(each)
                    break
    return found - {stem}


def _all(words: list[str], word: str) -> list[int]:
    return [at for at, each in enumerate(words) if each == word]


def _is_broken(one: str, other: str) -> bool:
    return one == other or any(one in before and other in behind for before, behind in _NOT_BEHIND)
