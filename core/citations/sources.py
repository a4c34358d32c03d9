"""A passage as what can support a sentence: its own sentences, items and rows, read once for all that cite it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ..text.instructions import find_instructions
from ..text.segmentation import units
from .items import Item, items
from .links import addresses, gives_orders
from .polarity import denials
from .quantities import Quantity, quantities, units_named
from .words import plain, stem_of, tokens, words_in

if TYPE_CHECKING:
    from .words import Token


class AnalyzedText:
    """A text's words, stems, items, numbers and denials, each computed when first asked for."""

    def __init__(self, text: str) -> None:
        self.text = plain(text)

    @cached_property
    def tokens(self) -> list[Token]:
        """Its words with their stems."""
        return tokens(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Its distinct words in small letters, stop words included."""
        return words_in(self.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its words without stop words."""
        return frozenset(stem for word in self.words if (stem := stem_of(word)))

    @cached_property
    def items(self) -> list[Item]:
        """Its words, numbers and punctuation marks in normal form, in order."""
        return items(self.text, self.quantities)

    @cached_property
    def gives_orders(self) -> bool:
        """Whether it addresses the one who answers."""
        return gives_orders(self.text)

    @cached_property
    def quantities(self) -> list[Quantity]:
        """Its numbers with their units."""
        return quantities(self.text)

    @cached_property
    def denials(self) -> list[frozenset[str]]:
        """What it denies."""
        return denials(self.tokens)


@dataclass(frozen=True, eq=False)
class Segment:
    """A sentence, item or row of a passage, ``text[start:end]`` of it."""

    passage: int
    start: int
    end: int
    content: AnalyzedText
    #: The head of its table, for a row.
    head: AnalyzedText | None
    #: The segment before it in its passage.
    before: Segment | None


class Source:
    """A passage, numbered from 0, with the headings above it."""

    def __init__(self, number: int, text: str, headings: str = "") -> None:
        self.number = number
        self.text = text
        self._instructions = find_instructions(headings, text)
        lines = [AnalyzedText(line) for line in headings.splitlines()]
        #: The lines above the text, without those that give orders.
        self.headings = [line for line in lines if not line.gives_orders]
        self._has_orders = False

    @cached_property
    def segments(self) -> list[Segment]:
        """What can support a sentence. Questions assert nothing, and orders to the answerer are none of the text's."""
        found: list[Segment] = []
        head: AnalyzedText | None = None
        for index, unit in enumerate(units(self.text)):
            content = AnalyzedText(self.text[unit.start : unit.end])
            if unit.kind == "header":
                head = content
            elif unit.kind != "row":
                head = None
            if unit.kind != "code":
                if content.gives_orders or index in self._instructions:
                    self._has_orders = True
                    continue
                if content.text.rstrip("\"') ").endswith("?"):
                    continue
            before = found[-1] if found else None
            found.append(
                Segment(self.number, unit.start, unit.end, content, head if unit.kind == "row" else None, before)
            )
        return found

    @cached_property
    def whole(self) -> str:
        """The plain text of all of its segments, below its headings."""
        return "\n".join(each.text for each in [*self.headings, *(segment.content for segment in self.segments)])

    @cached_property
    def addresses(self) -> frozenset[str]:
        """Addresses that may be repeated: none where the passage gives orders."""
        _ = self.segments
        return frozenset() if self._has_orders else frozenset(addresses(self.whole))


def units_beside(segment: Segment) -> frozenset[str]:
    """The units that a segment and its table's head name anywhere."""
    found = units_named(segment.content.text)
    return found | units_named(segment.head.text) if segment.head is not None else found
