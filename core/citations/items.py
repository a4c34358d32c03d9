"""Items of a sentence in normal form: its words, numbers, symbols and punctuation marks, in order.

Items are compared without letter case, articles, plural endings, contractions and the spelling of numbers and units.
Everything else counts, tense and function words included.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from .quantities import Quantity

_PIECE = re.compile(r"[^\W_]+(?:'[^\W_]+)*|[-,;:()\[\]]|[.!?](?=\s|$|\[|:\d)|[^\w\s.\"'*_`$\\{}|•·…]")
_MARKS = frozenset(",;:()[]-.!?")
ARTICLES = frozenset({"the", "a", "an"})
_ENDINGS = {"re": "is", "ll": "will", "ve": "have", "m": "is"}
_SAME = {"are": "is", "am": "is", "were": "was", "has": "have", "does": "do", "&": "and", "those": "these",
         "that's": "that is", "can't": "can not", "cannot": "can not", "won't": "will not",
         "it's": "it is", "there's": "there is", "he's": "he is", "she's": "she is"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Item:
    """A word, number, symbol or punctuation mark at ``text[start:end]``."""

    key: str
    start: int
    end: int
    #: "word", "number" or "mark" (punctuation).
    kind: str
    #: As written in the text.
    surface: str
    #: Whether it begins a sentence or quotation, so that its capital letter does not make it a name.
    begins_sentence: bool = False
    quantity: Quantity | None = None

    @property
    def optional(self) -> bool:
        """Whether it may be left out or added: articles and punctuation."""
        return self.kind == "mark" or self.key in ARTICLES


def items(text: str, numbers: Sequence[Quantity]) -> list[Item]:
    """The items of a normalized text; ``numbers``: its quantities."""
    found: list[Item] = []
    pending = list(reversed(numbers))
    done = 0
    for match in _PIECE.finditer(text):
        start, surface = match.start(), match.group()
        while pending and pending[-1].end <= start:
            pending.pop()
        if start < done:
            continue
        if pending and pending[-1].start < match.end():
            quantity = pending.pop()
            done = quantity.end
            written = text[quantity.start : quantity.end].strip()
            found.append(Item(f"#{quantity.value}", quantity.start, quantity.end, "number", written, quantity=quantity))
        elif surface in _MARKS:
            if surface == "-" and (text[start - 1 : start].isalnum() and text[match.end() : match.end() + 1].isalnum()):
                continue  # a hyphen within a word
            found.append(Item(surface, start, match.end(), "mark", surface))
        else:
            begins = not found or found[-1].key in ".!?:([" or text[start - 1 : start] in {'"', "'"}
            found.extend(Item(key, start, match.end(), "word", surface, begins) for key in keys(surface.casefold()))
    return found


@lru_cache(maxsize=8192)
def keys(word: str) -> tuple[str, ...]:
    """The normal form of a word in lower case: one key, for a contraction two."""
    if word in _SAME:
        return tuple(_SAME[word].split())
    if word.endswith("n't"):
        return (*keys(word[:-3]), "not")
    bare, apostrophe, ending = word.rpartition("'")
    if apostrophe and ending in _ENDINGS:
        return (*keys(bare), _ENDINGS[ending])
    return (_singular(bare if apostrophe and ending == "s" else word.rstrip("'")),)


def _singular(word: str) -> str:
    if len(word) <= 3 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1]
