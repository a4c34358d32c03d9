"""A sentence as a sequence of items in normal form: its words, numbers, symbols and punctuation marks, in order.

Two items are equal where a reader would call them the same word: letter case, articles, plural endings, contractions
and the spelling of numbers and units do not count; everything else does, tense and function words included.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .quantities import Quantity

_PIECE = re.compile(r"[^\W_]+(?:'[^\W_]+)*|[-,;:()\[\]]|[.!?](?=\s|$|\[|:\d)|[^\w\s.\"'*_`$\\{}|•·…]")
_MARKS = frozenset(",;:()[]-.!?")
_ARTICLES = frozenset({"the", "a", "an"})
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
    #: As it is written.
    shape: str
    #: Whether a capital letter says nothing here: a sentence or quotation begins.
    opens: bool = False
    quantity: Quantity | None = None

    @property
    def optional(self) -> bool:
        """Whether it may be left out or added: articles and punctuation."""
        return self.kind == "mark" or self.key in _ARTICLES


def items(text: str, numbers: Sequence[Quantity]) -> list[Item]:
    """The items of a plain text; ``numbers``: its quantities."""
    found: list[Item] = []
    pending = list(reversed(numbers))
    done = 0
    for match in _PIECE.finditer(text):
        start, shape = match.start(), match.group()
        while pending and pending[-1].end <= start:
            pending.pop()
        if start < done:
            continue
        if pending and pending[-1].start < match.end():
            quantity = pending.pop()
            done = quantity.end
            written = text[quantity.start : quantity.end].strip()
            found.append(Item(f"#{quantity.value}", quantity.start, quantity.end, "number", written, quantity=quantity))
        elif shape in _MARKS:
            if shape == "-" and (text[start - 1 : start].isalnum() and text[match.end() : match.end() + 1].isalnum()):
                continue  # a hyphen within a word
            found.append(Item(shape, start, match.end(), "mark", shape))
        else:
            opens = not found or found[-1].key in ".!?:([" or text[start - 1 : start] in {'"', "'"}
            found.extend(Item(key, start, match.end(), "word", shape, opens) for key in keys(shape.casefold()))
    return found


@lru_cache(maxsize=8192)
def keys(word: str) -> tuple[str, ...]:
    """The normal form of a word in small letters; a contraction has two."""
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
