"""Opposites and denials: where an answer says the contrary of what its key says."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from .wording import are_opposite, is_negation, same, turned

if TYPE_CHECKING:
    from .comparison import Comparison
    from .wording import Word

LACKING = frozenset({"without", "lack", "lacks", "lacked", "lacking", "absence", "missing", "absent"})
_DENYING = LACKING | {"few", "little", "less", "fails"}
_LOSING = frozenset({"lose", "loses", "lost"})
#: Words behind a denial that it may deny.
_SCOPE = 4
_DEGREES = frozenset({"too", "less"})


def may_deny(found: Comparison, stated: str) -> bool:
    """Whether a denial in the answer says what the key says: both deny, or the key does so by a verb or an opposite."""
    if any(are_opposite(found.key[at].low, found.answer[place].low) for at, place in found.matches.items()):
        return True  # "not as deep as" for "shallower than"
    if not stated:
        return any(is_negation(word.low) or word.low in _DENYING for word in found.answer)
    return any(
        is_negation(word.low)
        or word.low in _DENYING
        or (at in found.weights and at not in found.matches and (_is_denial(word) or same(word.low, "prevent")))
        for at, word in enumerate(found.key)
    )


def _is_denial(word: Word) -> bool:
    """Whether the word has a prefix that denies; of "in" and "im" one cannot know."""
    return bool(turned(word.low)) and word.low.startswith(("un", "non"))


def denies_otherwise(found: Comparison, lacks: bool) -> bool:
    """Whether one of the two denies something and the other nothing: "without being consumed", "is used up".

    An answer may deny what a question asks for that ``lacks`` something.
    """
    theirs = {word.low for word in found.answer} - _DEGREES
    if any(map(is_negation, theirs)):
        return not lacks and not may_deny(found, "not") and not any(turned(word.low) for word in found.key)
    return _denies(found) and not theirs & (_DENYING | _LOSING) and not any(map(turned, theirs))


def _denies(found: Comparison) -> bool:
    """Whether the key denies or lacks something that the answer has, in other words than the answer's."""
    words = found.key
    if any(word.low in LACKING for word in words):
        return not any(words[at].low in LACKING for at in found.matches)
    return any(
        is_negation(word.low)
        and word.low not in _DEGREES
        and any(near in found.matches or near not in found.weights for near in _behind(words, at))
        for at, word in enumerate(words)
    )


def _behind(words: list[Word], at: int) -> list[int]:
    return [near for near in range(at + 1, min(len(words), at + 1 + _SCOPE)) if words[near].stem] or [at]


def opposite(found: Comparison) -> str | None:
    """A word of the answer that says the opposite of what the source says, in words for the learner."""
    matched = set(found.matches.values())
    stems = {word.stem for word in found.key if word.stem}
    lows = {word.low for word in found.answer}
    for at, word in enumerate(found.key):
        if at in found.matches or (at not in found.weights and word.stem) or word.low in lows:
            continue
        for place, other in enumerate(found.answer):
            if (
                place not in matched
                and other.stem not in stems
                and are_opposite(word.low, other.low)
                and (at in found.weights or _stand_alike(found, at, place))
            ):
                return f"it says “{other.text}” where the source says “{word.text}”"
    mine, theirs = _modifiers(found.key), _modifiers(found.answer)
    for noun, one in theirs - mine:
        for named, before in mine - theirs:
            if noun == named and are_opposite(before, one):
                return f"it says “{one}” where the source says “{before}”"
    return None


def _stand_alike(found: Comparison, at: int, place: int) -> bool:
    """Whether the nearest word that both have is the same for a word of the key and one of the answer."""
    back = {each: number for number, each in found.matches.items()}
    mine, theirs = sorted(found.matches), sorted(back)
    return [number for number in mine if number > at][:1] == [back[each] for each in theirs if each > place][:1] or [
        number for number in mine if number < at
    ][-1:] == [back[each] for each in theirs if each < place][-1:]


def _modifiers(words: list[Word]) -> set[tuple[str, str]]:
    """Stems with the words directly before them."""
    return {(noun.stem, one.low) for one, noun in pairwise(words) if noun.stem and noun.before == " "}
