"""Opposites and denials: where an answer says the contrary of what its key says."""

from __future__ import annotations

from itertools import pairwise

from ..reading.spelling import word_set
from .comparison import Comparison
from .wording import Word, are_opposite, is_light, is_negation, same, turned

LACKING = frozenset({"without", "lack", "lacks", "lacked", "lacking", "absence", "missing", "absent"})
_UNABLE = frozenset({"inability", "unable", "incapable", "failure", "fails"})
_DENYING = LACKING | _UNABLE | {"few", "little", "less"}
#: What has been taken away is not there.
_REMOVED = word_set("removed removing removal minus except excluding excluded omitted deprived")
_LOSING = _REMOVED | {"lose", "loses", "losing", "lost"}
#: Words behind a denial that it may deny.
_SCOPE = 4
#: Denials that stand before what they deny; "no solution in closed form" denies neither word alone.
_OF_VERBS = frozenset({"not", "cannot"})
_DEGREES = frozenset({"less"})
_NONE, _OTHERS = frozenset({"no", "none", "nothing", "nobody"}), frozenset({"other", "others", "else"})
_ONLY = frozenset({"only", "sole", "just", "alone", "unique"})
#: "A rather than B": not B.
_RATHER = frozenset({"rather", "instead"})


def may_deny(found: Comparison, stated: str) -> bool:
    """Whether a denial in the answer says what the key says: both deny, or the key does so by a verb or an opposite."""
    if found.has_opposite or _excludes_others(found):
        return True
    if not stated:
        denies = any(is_negation(word.low) or word.low in _DENYING | _REMOVED for word in found.answer)
        return denies or _is_said_by_opposite(found)
    return any(
        is_negation(word.low)
        or word.low in _DENYING | _RATHER
        or (at in found.weights and at not in found.matches and (_is_denial(word) or same(word.low, "prevent")))
        for at, word in enumerate(found.key)
    )


def _excludes_others(found: Comparison) -> bool:
    """Whether the answer says by a denial of others what the key says of one: "no other has it", "none is higher"."""
    mine, theirs = ({word.low for word in words} for words in (found.key, found.answer))
    if not theirs & _NONE:
        return False
    denies_others = any(one.low in _NONE and then.low in _OTHERS for one, then in pairwise(found.answer))
    comparatives = {f"{low.removesuffix('est')}er" for low in mine if low.endswith("est")}
    return (denies_others and bool(mine & _ONLY)) or bool(comparatives & theirs)


def _is_said_by_opposite(found: Comparison) -> bool:
    """Whether the answer has the opposite of a word that the key denies: "independent" for "not dependent"."""
    return any(
        are_opposite(word.low, other.low) and is_denied(found.key, word.low)
        for word in found.key
        for other in found.answer
    )


def _is_denial(word: Word) -> bool:
    """Whether the word has a prefix that denies; of "in" and "im" one cannot know."""
    return bool(turned(word.low)) and (word.low.startswith(("un", "non")) or word.low.endswith(("able", "ible")))


def _is_turned(word: Word, others: list[Word]) -> bool:
    """Whether it denies by a prefix what the others say: "individuals" deny nothing."""
    bare = turned(word.low)
    return bool(bare) and (_is_denial(word) or any(same(bare, other.low) for other in others))


def is_denial_moved(found: Comparison) -> bool:
    """Whether the answer denies a word that the key asserts, and does not deny what the key denies."""
    back = {place: at for at, place in found.matches.items()}
    denied, denied_in_answer = (_denied_words(words) for words in (found.key, found.answer))
    moved = any(place in back and back[place] not in denied for place in denied_in_answer)
    return moved and bool(denied) and not any(found.matches.get(at) in denied_in_answer for at in denied)


def _denied_words(words: list[Word]) -> set[int]:
    """The places of the words right behind a denial, stop words left out."""
    places = [at for at, word in enumerate(words) if word.low in _OF_VERBS or word.low.endswith("n't")]
    behind = (next((near for near in range(at + 1, len(words)) if words[near].stem), None) for at in places)
    return {at for at in behind if at is not None}


def is_denied(words: list[Word], low: str) -> bool:
    """Whether a word stands behind a denial: "not dependent" is independent."""
    return any(
        word.low == low and any(is_negation(before.low) for before in words[max(0, at - 2) : at])
        for at, word in enumerate(words)
    )


def denies_otherwise(found: Comparison, lacks: bool) -> bool:
    """Whether one of the two denies something and the other nothing: "without being consumed", "is used up".

    An answer may deny what a question asks for that ``lacks`` something, and what the key does not name.
    """
    if is_denial_moved(found):
        return True
    if _has_denial(found):
        return denies_alone(found, lacks) and _denies_match(found)
    theirs = {word.low for word in found.answer} - _DEGREES
    own = theirs - {word.low for word in found.key}
    return _denies(found) and not theirs & (_DENYING | _LOSING) and not any(map(turned, own))


def denies_alone(found: Comparison, lacks: bool) -> bool:
    """Whether the answer denies something and the key nothing, such as "not common" where the key has no such word."""
    is_said = lacks or may_deny(found, "not") or any(_is_turned(word, found.answer) for word in found.key)
    return _has_denial(found) and not is_said


def _has_denial(found: Comparison) -> bool:
    return any(is_negation(word.low) and word.low not in _DEGREES for word in found.answer)


def _denies_match(found: Comparison) -> bool:
    """Whether what the answer denies is a word of the key."""
    matched = found.matches.values()
    return any(
        next((near for near in range(at + 1, len(found.answer)) if not is_light(found.answer[near])), at) in matched
        for at, word in enumerate(found.answer)
        if is_negation(word.low) and word.low not in _DEGREES
    )


def _denies(found: Comparison) -> bool:
    """Whether the key denies or lacks something that the answer has, in other words than the answer's."""
    words = found.key
    lacking = LACKING | _UNABLE
    if any(word.low in lacking for word in words):
        return not any(words[at].low in lacking for at in found.matches)
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
                and not is_denied(found.key, word.low)
                and not _is_lost(found.answer, place)
                and (at in found.weights or _stand_alike(found, at, place))
            ):
                return f"it says “{other.text}” where the source says “{word.text}”"
    mine, theirs = _modifiers(found.key), _modifiers(found.answer)
    alike = {(found.key[at].low, found.answer[place].low) for at, place in found.matches.items()}
    for noun, one in theirs:
        if any((noun, before) in mine for before, said in alike if said == one):
            continue  # "a superior court", where "higher" stands before "court"
        for named, before in (each for each in mine if each not in theirs):
            if noun == named and are_opposite(before, one):
                return f"it says “{one}” where the source says “{before}”"
    return None


def _is_lost(words: list[Word], place: int) -> bool:
    """Whether a word stands behind one that says that there is less of it: "loses speed" is no opposite of "slows"."""
    return any(word.low in LACKING | _LOSING | {"less"} for word in words[max(0, place - 2) : place])


def _stand_alike(found: Comparison, at: int, place: int) -> bool:
    """Whether the nearest word that both have is the same for a word of the key and one of the answer."""
    back = {each: number for number, each in found.matches.items()}
    mine, theirs = sorted(found.matches), sorted(back)
    return [number for number in mine if number > at][:1] == [back[each] for each in theirs if each > place][:1] or [
        number for number in mine if number < at
    ][-1:] == [back[each] for each in theirs if each < place][-1:]


def _modifiers(words: list[Word]) -> dict[tuple[str, str], None]:
    """Stems with the words directly before them, in their order."""
    return {(noun.stem, one.low): None for one, noun in pairwise(words) if noun.stem and noun.before == " "}
