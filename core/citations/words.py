"""Normalizes text for the citation check and splits it into tokens with stems."""

from __future__ import annotations

import re
import unicodedata
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
