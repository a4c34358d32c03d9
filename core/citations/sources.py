"""A passage as what can bear a sentence: its own sentences, items and rows, read once for all that cite it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ..sentences import units
from .links import addresses, gives_orders
from .names import names
from .polarity import denials
from .quantities import Quantity, quantities, units_named
from .words import plain, shapes_in, stem_of, tokens, words_in

if TYPE_CHECKING:
    from .words import Token

_NOTHING: frozenset[str] = frozenset()


class Told:
    """What one piece of text tells."""

    def __init__(self, text: str) -> None:
        self.text = plain(text)

    @cached_property
    def tokens(self) -> list[Token]:
        """Its words."""
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
    def shapes(self) -> frozenset[str]:
        """Its distinct words as they stand."""
        return shapes_in(self.text)

    @cached_property
    def names(self) -> list[Token]:
        """Its words that name something."""
        return names(self.text, self.tokens)

    @cached_property
    def gives_orders(self) -> bool:
        """Whether it speaks to the one who answers."""
        return gives_orders(self.text)

    @cached_property
    def quantities(self) -> list[Quantity]:
        """Its numbers with their units."""
        return quantities(self.text)

    @cached_property
    def denials(self) -> list[frozenset[str]]:
        """What it denies."""
        return denials(self.tokens)


@dataclass(frozen=True)
class Segment:
    """A sentence, item or row of a passage, ``text[start:end]`` of it."""

    passage: int
    start: int
    end: int
    told: Told
    #: Words and units of the head of its table.
    head: Told | None = None


class Source:
    """A passage, numbered from 0, with the headings above it."""

    def __init__(self, number: int, text: str, headings: str = "") -> None:
        self.number = number
        self.text = text
        #: Lines above the text that tell something, and give no orders.
        self.headings = Told("\n".join(line for line in headings.splitlines() if not Told(line).gives_orders))

    @cached_property
    def segments(self) -> list[Segment]:
        """What can bear a sentence. Questions assert nothing, and orders to the answerer are none of the text's."""
        found: list[Segment] = []
        head: Told | None = None
        for unit in units(self.text):
            piece = self.text[unit.start : unit.end]
            told = Told(piece)
            if unit.kind == "header":
                head = told
            elif unit.kind != "row":
                head = None
            if unit.kind != "code" and (piece.rstrip("\"'”’) ").endswith("?") or told.gives_orders):
                self._orders = True
                continue
            found.append(Segment(self.number, unit.start, unit.end, told, head if unit.kind == "row" else None))
        return found

    _orders = False

    @cached_property
    def whole(self) -> Told:
        """All of its segments together, and its headings."""
        return Told("\n".join([self.headings.text, *(segment.told.text for segment in self.segments)]))

    @cached_property
    def addresses(self) -> frozenset[str]:
        """Addresses that may be repeated: none where somebody gives orders in the passage."""
        _ = self.segments
        if self._orders:
            return _NOTHING
        return frozenset(addresses(self.whole.text))


def units_beside(segment: Segment) -> frozenset[str]:
    """The units that a segment and its table's head name anywhere."""
    found = units_named(segment.told.text)
    return found | units_named(segment.head.text) if segment.head is not None else found
