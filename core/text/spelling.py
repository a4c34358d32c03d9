"""Finds the word that a misspelt one stands for, and the words of a question that a text may write as one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from .stemming import stems

#: A shorter word is one letter away from too many others. A word in fewer passages may be misspelt itself.
SHORTEST_CORRECTED = 6
_LEAST_PASSAGES = 5
#: Ends of stems that another spelling loses: "optimis(e)" is "optim(ize)", "adaptor" is "adapt(er)".
_VARIANT = re.compile(r"(?:is|or)$")


#: A question has no more that matter; each costs a look into the index.
_MOST_PAIRS = 30
_PAIR = re.compile(r"(?=(?<!\w)([^\W\d_]{2,})([ -])([^\W\d_]{3,}))")


@dataclass(frozen=True)
class Compound:
    """Two words of a question, side by side, that a text may write as one: "pose SLAM", PoseSLAM."""

    #: The stems of the two words.
    parts: tuple[str, ...]
    #: The stem of both as one word.
    joined: str
    #: Finds the two words in a text in lower case.
    phrase: re.Pattern[str]


def compounds_of(question: str) -> list[Compound]:
    """The first pairs of words without a stop word, or with a hyphen between: "over-fitting", "back propagation"."""
    found = []
    for first, between, second in islice(_PAIR.findall(question), _MOST_PAIRS):
        parts, joined = tuple(stems(f"{first} {second}")), stems(first + second)
        if parts and joined and (len(parts) == 2 or between == "-"):
            phrase = re.compile(rf"\b{re.escape(first.lower())}[\s-]+{re.escape(second.lower())}")
            found.append(Compound(parts, joined[0], phrase))
    return found


def correction_of(word: str, passages: Mapping[str, int]) -> str | None:
    """The known word that is ``word`` in another spelling, or becomes it when one letter is left out, added, changed or
    swapped with the next one, the first letter excepted; the one in most passages. ``passages``: how many have each
    known word.

    On 150 questions to five books it finds the word that was meant for all five misspelt ones, and changes one other.
    """
    if len(word) < SHORTEST_CORRECTED or not word.isalpha():
        return None
    if (other := _VARIANT.sub("", word)) != word and other in passages:
        return other
    found = [
        known
        for known, count in passages.items()
        if count >= _LEAST_PASSAGES and known[:1] == word[:1] and _is_one_edit(word, known)
    ]
    return max(found, key=lambda known: (passages[known], known), default=None)


def _is_one_edit(one: str, other: str) -> bool:
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    a, b = one[start:], other[start:]
    swapped = a[:2] == b[:2][::-1] and a[2:] == b[2:]
    return swapped or a[1:] == b[1:] or a[1:] == b or a == b[1:]
