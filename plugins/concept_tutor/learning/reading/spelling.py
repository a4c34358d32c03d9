"""Texts in one form, so that what is written in two ways is found to be one."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import takewhile

from ragstone.core.text import stems

_ARTICLE = re.compile(r"^(?:a|an|the)\s+")
_NOT_WORD = re.compile(r"[^\w.%°/+-]+|(?<!\d)[.](?!\d)|(?<=\d)[.](?!\d)|(?<!\w)-(?!\d)|-(?!\w)")
_MARKS = re.compile("[\u0300-\u036f]")
_PARENTHESES = re.compile(r" ?\([^()]*\)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")

#: Letters of a word that another one ends with by no chance.
_LONG = 6
#: Letters of a word from which on one of them, and two, may be missing, too many or exchanged.
_ONE_SLIP, _TWO_SLIPS = 5, 9


def word_set(words: str) -> frozenset[str]:
    """A list of words, as it is easily read."""
    return frozenset(words.split())


@lru_cache(maxsize=32768)
def normal(text: str) -> str:
    """Small letters, no accents, no articles before, single spaces, no punctuation but that of numbers."""
    plain = _MARKS.sub("", unicodedata.normalize("NFKD", text.casefold()))
    plain = _THOUSANDS.sub("", plain.translate(str.maketrans("‐‑‒–—−", "------")))
    return _ARTICLE.sub("", " ".join(_NOT_WORD.sub(" ", plain).split()))


@lru_cache(maxsize=32768)
def stem_set(text: str) -> frozenset[str]:
    """The stems of its content words."""
    return frozenset(stems(text))


def hidden(text: str, sign: str) -> str:
    """The text with as many signs in the place of what is in parentheses, which may stand in parentheses."""
    for _ in range(2):
        text = _PARENTHESES.sub(lambda found: sign * len(found[0]), text)
    return text


def without_parentheses(text: str) -> str:
    """The text without what is in parentheses."""
    return hidden(text, "")


def same_thing(one: str, other: str) -> bool:
    """Whether two names may be one: equal, one within the other, plural, or the other's initials."""
    a, b = normal(one), normal(other)
    if not a or not b or a == b:
        return True
    short, long = sorted((a, b), key=len)
    if re.search(rf"(?<!\w){re.escape(short)}(?!\w)", long) or short in long.split():
        return True
    mine, theirs = stem_set(one), stem_set(other)
    if mine and theirs and (mine <= theirs or theirs <= mine):
        return True
    same = takewhile(lambda pair: pair[0] == pair[1], zip(short, long, strict=False))
    if len(short) > 4 and len([*same]) >= max(5, len(short) - 3):
        return True
    return _initials(long) == short.replace(".", "").replace(" ", "")


def _initials(text: str) -> str:
    words = text.split()
    return "".join(word[0] for word in words) if len(words) > 1 else ""


def topic_key(name: str) -> str:
    """The same for one and for several of a thing."""
    return " ".join(sorted(stem_set(name))) or normal(name)


def gives_away(text: str, key: str) -> bool:
    """Whether a text that asks for the key has it, or a word of its family, in it."""
    if re.search(rf"(?<!\w){re.escape(normal(key))}(?!\w)", normal(text)):
        return True
    initials = "".join(word[0] for word in re.split(r"[ -]+", normal(text)) if word)
    if key.isupper() and key.isalpha() and normal(key) in initials:
        return True  # "AMO" is an "atomic memory operation"
    asked = {word for word in normal(text).split() if len(word) > 3}
    parts = normal(key).replace("-", " ").split()  # "MRSA" is a part of "CA-MRSA"
    for word in (*normal(key).split(), *parts):
        if len(word) < 4 or word.isdigit():
            continue
        root = word[: max(4, len(word) - 3)]
        if any(other.startswith(root) or word.startswith(other[: max(4, len(other) - 2)]) for other in asked):
            return True
        if any(len(other) >= _LONG and word.endswith(other) for other in asked):
            return True  # "pseudopeptidoglycan" has "peptidoglycan" in it
    return False


def gives_all_away(text: str, key: str) -> bool:
    """Whether ``gives_away`` holds of every longer word of the key: of "random variable" the second is left to be found
    beside "each outcome of a random experiment"."""
    words = [word for word in normal(key).replace("-", " ").split() if len(word) >= 4]
    return all(gives_away(text, word) for word in words or [key])


def is_slip(word: str, written: str) -> bool:
    """Whether the second is the first with a letter missing, doubled or exchanged with its neighbour.

    No letter may be another one: nitrate is no slip of nitrite.
    """
    word, written = (each.replace("ph", "f").replace("y", "i") for each in (word, written))
    allowed = 2 if len(word) >= _TWO_SLIPS else 1 if len(word) >= _ONE_SLIP else 0
    if not allowed or word[0] != written[:1] or abs(len(word) - len(written)) > allowed or word[0].isdigit():
        return False
    return _slips(word, written) <= allowed


def _slips(one: str, other: str) -> int:
    """Letters to add, to leave out or to exchange with their neighbour; a changed letter counts as many."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        older, before, row = before, row, [i]
        for j, b in enumerate(other, start=1):
            least = min(before[j] + 1, row[j - 1] + 1)
            if a == b:
                least = min(least, before[j - 1])
            elif i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                least = min(least, older[j - 2] + 1)
            row.append(least)
    return row[-1]
