"""Text in the citation check's normal form: one spelling, tokens, stems."""

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
#: Controls, format characters (soft hyphens, zero widths, directions, tags), private and lone halves.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ud800-\uf8ff\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)
_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_SUFFIX = re.compile(r"'(?:s|re|ll|d|ve|m)?$")
#: Closes what is said of a thing: a negation does not reach over it.
_CLAUSE = re.compile(
    r"[.;:!?,()]|\s-\s|\b(?:but|while|whereas|although|though|because|which|who|unless)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Token:
    """A word at ``text[start:end]`` with its stem; a stop word has none."""

    word: str
    stem: str
    start: int
    end: int
    #: Number of its clause within the text.
    clause: int
    #: As it stands, in capitals and small letters.
    shape: str


def plain(text: str) -> str:
    """The text in one spelling: compatible characters, one kind of quotes and dashes, nothing that cannot be seen."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_SPELLINGS)
    return _UNSEEN.sub("", text)


def tokens(text: str) -> list[Token]:
    """The words of a plain text in their order."""
    ends = [match.start() for match in _CLAUSE.finditer(text)]
    found: list[Token] = []
    clause = 0
    for match in _TOKEN.finditer(text):
        while clause < len(ends) and ends[clause] < match.start():
            clause += 1
        shape = match.group()
        word = shape.casefold()
        found.append(Token(word, stem_of(word), match.start(), match.end(), clause, shape))
    return found


def words_in(text: str) -> frozenset[str]:
    """The distinct words of a plain text, as in its tokens, without making those."""
    return frozenset(_TOKEN.findall(text.casefold()))


@lru_cache(maxsize=8192)
def stem_of(word: str) -> str:
    """The stem of one word; "" for a stop word. A possessive's is that of its owner; "doesn't" has none."""
    if word.endswith("n't"):
        return ""
    found = stems(_SUFFIX.sub("", word))
    return "".join(found)
