"""Finds the word that a misspelt one stands for, synonyms, and words of a question that a text may write as one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path

from .irregular_verbs import with_forms
from .stemming import stem_hash, stems

#: A shorter word is one letter away from too many others.
_SHORTEST_CORRECTED = 6
#: A word of this length is one letter away from no other by chance, so that one chunk is enough; a shorter one is
#: taken for a word of so many.
_LONG = 8
_LEAST_CHUNKS = 5
#: Letters at a misspelt stem's end that are of its ending: "stabilty" is "stabilti", "stability" is "stabil".
_LONGEST_ENDING = 2
#: A name of a question, and those of a text that it may stand for; a shorter one is close to too many others.
_NAME = re.compile(r"\b[A-Z][^\W\d_]{4,}")
_NAME_IN_TEXT = re.compile(r"\b[A-Z][^\W\d_]{3,}")
#: Letters that another spelling exchanges: "defence" and "defense", "centre" and "center".
_SPELLINGS = frozenset("cszer")
#: Ends of stems that another spelling loses: "optimis(e)" is "optim(ize)", "adaptor" is "adapt(er)".
_VARIANT = re.compile(r"(?:is|or)$")


#: The ordinal of a day: "the 17th of November" is "17 November".
_ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th)")
_WORD = re.compile(r"[^\W_]+")
#: Pairs of words, and names, that are looked up: a question has no more that matter.
_MOST_LOOKED_UP = 30
#: Not "to send mail": a verb and its object are two words. Also "ROS 2".
_PAIR = re.compile(
    r"(?=(?<!\w)(?<!\b[Tt]o )(?<!\bI )(?<!\bwe )(?<!\byou )([^\W\d_]{2,})([ -])([^\W\d_]{3,}|\d{1,2}(?!\w|\.\d)))"
)
#: "ROS2" is "ROS 2".
_WITH_NUMBER = re.compile(r"\b([^\W\d_]{2,})(\d{1,2})\b")


@cache
def _groups() -> Mapping[str, frozenset[str]]:
    """The stems of the words of ``synonyms.txt``, each with those of its groups."""
    found: dict[str, frozenset[str]] = {}
    for line in Path(__file__).with_name("synonyms.txt").read_text("utf-8").splitlines():
        group = frozenset() if line.startswith("#") else frozenset(stems(line))
        found |= {each: found.get(each, frozenset()) | group for each in group}
    return found


def synonyms_of(stem: str) -> frozenset[str]:
    """The stems of other words for the same, in all their forms."""
    alike = frozenset().union(*(_groups().get(form, ()) for form in with_forms(stem)))
    return frozenset().union(*map(with_forms, alike)) - with_forms(stem)


def of_one_meaning(found: frozenset[str]) -> frozenset[str]:
    """The stems, if each is a form or a synonym of all others: "decay" and "drop", both for "decline", are not."""
    is_one = all(found <= with_forms(stem) | synonyms_of(stem) for stem in found)
    return found if is_one else frozenset()


@lru_cache(maxsize=8192)
def synonym_hashes(stem: str) -> frozenset[int]:
    """The hashes of ``synonyms_of``."""
    return frozenset(map(stem_hash, synonyms_of(stem)))


@dataclass(frozen=True)
class Compound:
    """Two words of a question, side by side, that a text may write as one: "pose SLAM", PoseSLAM."""

    #: The stems of the two words.
    parts: tuple[str, ...]
    #: The stem of both as one word.
    joined: str
    #: The two words in lower case.
    words: tuple[str, str]

    def is_in(self, text: str) -> bool:
        """Whether a text has the two words side by side."""
        # Compiled here, as few questions have a pair that the corpus writes as one word.
        return bool(re.search(rf"\b{self.words[0]}[\s-]+{self.words[1]}", text.lower()))


def compounds_of(question: str) -> list[Compound]:
    """The first pairs of words without a stop word, or with a hyphen between: "over-fitting", "back propagation"."""
    found = []
    for first, between, second in islice(_PAIR.findall(question), _MOST_LOOKED_UP):
        parts, joined = tuple(stems(f"{first} {second}")), stems(first + second)
        if parts and joined and (len(parts) == 2 or between == "-"):
            found.append(Compound(parts, joined[0], (first.lower(), second.lower())))
    return found


def correction_of(
    word: str,
    chunks: Mapping[str, int],
    *,
    is_word: bool = False,
    is_allowed: Callable[[str], bool] = lambda _known: True,
) -> str | None:
    """The known word that is ``word`` in another spelling, or becomes it when one letter is left out, added, changed or
    swapped with the next one, the first letter excepted; the one in most chunks. Else the longest one that it goes
    on from by a few letters. Of a short word only its plural or singular, of an ordinal its number.

    ``chunks``: how many have each known word. ``is_word``: whether it is a word of its own, for which only one with
    another ending is taken: "catalogue" is "catalog", "notion" is not "nation". ``is_allowed``: whether a known word
    may be taken, asked of few.
    """

    def is_known(stem: str) -> bool:
        return stem in chunks and is_allowed(stem)

    if ordinal := _ORDINAL.fullmatch(word):
        return ordinal[1] if is_known(ordinal[1]) else None
    if len(word) < _SHORTEST_CORRECTED:
        # The stemmer leaves the plural of an abbreviation as it is: "GPUs" is no "GPU".
        return next((each for each in (f"{word}s", word.removesuffix("s")) if len(each) > 2 and is_known(each)), None)
    if not word.isalpha():
        return None
    if (other := _VARIANT.sub("", word)) != word and is_known(other):
        return other
    least = 1 if len(word) >= _LONG else _LEAST_CHUNKS
    found = [
        known
        for known, count in chunks.items()
        if count >= least
        and known[:1] == word[:1]
        and (not is_word or _has_other_ending(word, known))
        and _is_one_edit(word, known)
    ]
    begun = (word[:-cut] for cut in range(1, _LONGEST_ENDING + 1) if len(word) - cut >= _SHORTEST_CORRECTED)
    found.sort(key=lambda known: (chunks[known], known), reverse=True)
    return next(filter(is_known, (*found, *begun)), None)


def with_corrections(question: str, corrections: Mapping[str, str]) -> str:
    """The question with its misspelt words and ordinals as the corpus spells them: "shedules" → "schedules", "14th" →
    "14". ``corrections``: by stem; words in another spelling or form or with another ending, and pairs of words, stay
    as they are."""

    def corrected(word: re.Match[str]) -> str:
        own = next(iter(stems(word[0])), "")
        meant = corrections.get(own, own)
        if meant != own and _ORDINAL.fullmatch(own):
            return meant
        is_form = meant in with_forms(own) | synonyms_of(own) or own.startswith(meant)
        if is_form or not meant.isalpha() or not _is_one_edit(own, meant):  # not "Lux2 2" for "Lux 2"
            return word[0]
        # The stem of "university" is "universiti".
        spelt = meant[:-1] + "y" if word[0].endswith("y") and meant.endswith("i") else meant + word[0][len(own) :]
        return spelt[0].upper() + spelt[1:] if word[0][0].isupper() else spelt

    return _WORD.sub(corrected, question) if corrections else question


def with_names(question: str, unknown: frozenset[str], texts: Iterable[str], is_word: Callable[[str], bool]) -> str:
    """The question with its misspelt names as the texts spell them: "Jonsen" → "Jonson". A few texts have few names, so
    that one letter tells them apart where it does not in a corpus.

    ``unknown``: the stems that the corpus has not; ``is_word``: whether a word exists: "Marie" is not "Maria".
    """
    if not any(not unknown.isdisjoint(stems(name)) for name in _NAME.findall(question)):
        return question
    names = Counter(name for text in texts for name in _NAME_IN_TEXT.findall(text))

    def spelt(word: re.Match[str]) -> str:
        own = word[0]
        if unknown.isdisjoint(stems(own)) or is_word(own):
            return own
        near = (name for name in names if name[0] == own[0] and _is_one_edit(own.casefold(), name.casefold()))
        return max(near, key=lambda name: (names[name], name), default=own)

    return _NAME.sub(spelt, question, count=_MOST_LOOKED_UP)


def with_numbers_apart(question: str, unknown: frozenset[str]) -> str:
    """The question with a space before the numbers of words that the corpus has not: "ROS2" → "ROS 2"."""
    return _WITH_NUMBER.sub(
        lambda word: word[0] if word[0].casefold() not in unknown else f"{word[1]} {word[2]}", question
    )


def _has_other_ending(one: str, other: str) -> bool:
    """Whether two words one letter apart differ in their endings: "catalogu" and "catalog", "analys" and "analyz"; not
    "invent" and "invest"."""
    is_variant = len(one) != len(other) or _SPELLINGS.issuperset(a for a, b in zip(one, other, strict=True) if a != b)
    return is_variant and other.startswith(one[:-_LONGEST_ENDING])


def _is_one_edit(one: str, other: str) -> bool:
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    a, b = one[start:], other[start:]
    swapped = a[:2] == b[:2][::-1] and a[2:] == b[2:]
    return swapped or a[1:] == b[1:] or a[1:] == b or a == b[1:]
