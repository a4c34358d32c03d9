"""Normalizes text for the citation check, that of OCR too, and splits it into tokens with stems."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from ..text.stemming import stems

_SPELLINGS = str.maketrans(
    {
        **dict.fromkeys("’‘ʼ", "'"),
        **dict.fromkeys("“”„«»", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        "µ": "μ",
    }
)
#: Control and format characters (soft hyphens, zero widths, directions, tags), private use and lone surrogates.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ud800-\uf8ff\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)
_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_SUFFIX = re.compile(r"'(?:s|re|ll|d|ve|m)?$")
#: Ends a clause; a negation has no effect beyond it.
_CLAUSE_END = re.compile(
    r"[.;:!?,()]|\s-\s|\b(?:but|while|whereas|although|though|because|which|who|unless)\b", re.IGNORECASE
)

_WORD = re.compile(r"[^\W_]+")
#: What looks alike on paper, as one sign; longer ones first.
_ALIKE = (("rn", "m"), ("ii", "u"), ("vv", "w"), ("cl", "d"), ("li", "h"))
_SIGNS = str.maketrans("01l|5386", "oiiissbb")
#: Letters of the words that are compared so: shorter ones would be taken for others.
_SHORTEST = 5


@dataclass(frozen=True)
class Token:
    """A word in lower case with its stem ("" for a stop word) and the number of its clause in the text."""

    word: str
    stem: str
    clause: int


def normalize(text: str) -> str:
    """The text in NFKC with one kind of quotation marks and dashes and without invisible characters."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_SPELLINGS)
    return _INVISIBLE.sub("", text)


def tokens(text: str) -> list[Token]:
    """The words of a normalized text in order."""
    ends = [match.start() for match in _CLAUSE_END.finditer(text)]
    found: list[Token] = []
    clause = 0
    for match in _TOKEN.finditer(text):
        while clause < len(ends) and ends[clause] < match.start():
            clause += 1
        word = match.group().casefold()
        found.append(Token(word, stem_of(word), clause))
    return found


def distinct_words(text: str) -> frozenset[str]:
    """The distinct words of a normalized text, without building its tokens."""
    return frozenset(_TOKEN.findall(text.casefold()))


@lru_cache(maxsize=8192)
def stem_of(word: str) -> str:
    """The stem of one word; "" for a stop word and for contractions in "n't". A possessive has its owner's stem."""
    return "" if word.endswith("n't") else "".join(stems(_SUFFIX.sub("", word)))


def as_recognised(sentence: str, texts: Iterable[str]) -> str:
    """The sentence with the words of the chunks that look like its own on paper, where a chunk has not its own.

    A word with a digit in the sentence stays: a number must be that of the chunk.
    """
    words: set[str] = {word for text in texts for word in _WORD.findall(text)}
    known = {word.casefold() for word in words}
    alike: dict[str, str] = {folded(word): word for word in sorted(words) if len(word) >= _SHORTEST - 1}

    def recognised(found: re.Match[str]) -> str:
        word: str = found[0]
        if len(word) < _SHORTEST or word.casefold() in known or any(sign.isdigit() for sign in word):
            return word
        return alike.get(folded(word), word)

    return _WORD.sub(recognised, sentence)


def folded(word: str) -> str:
    """The word with one sign for all that look alike: ``modern``, ``modem`` and ``rn0dem`` are the same."""
    word = word.casefold()
    for pair, sign in _ALIKE:
        word = word.replace(pair, sign)
    return word.translate(_SIGNS)
