"""Source chunks, split into the segments that can support a sentence, and texts with their analysis."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..text.chunk_terms import ChunkTerms
from ..text.instructions import find_instructions
from ..text.segmentation import units
from .items import ARTICLES, Item, items, keys
from .links import addresses, is_instruction
from .polarity import negation_scopes
from .quantities import Quantity, quantities
from .units import find_units
from .words import Token, distinct_words, normalize, stem_of, tokens


class AnalyzedText:
    """A text's words, stems, items, quantities and negations, each computed on first use."""

    def __init__(self, text: str) -> None:
        self.text = normalize(text)

    @cached_property
    def tokens(self) -> list[Token]:
        return tokens(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Its distinct words in lower case, stop words included."""
        return distinct_words(self.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        """Its distinct stems, without stop words."""
        return frozenset(stem for word in self.words if (stem := stem_of(word)))

    @cached_property
    def keys(self) -> frozenset[str]:
        """The normal forms of its distinct words, without articles: known sooner than its items."""
        return frozenset(key for word in self.words for key in keys(word)) - ARTICLES

    @cached_property
    def items(self) -> list[Item]:
        return items(self.text, self.quantities)

    @cached_property
    def is_instruction(self) -> bool:
        """Whether it is an instruction to the model that answers."""
        return is_instruction(self.text)

    @cached_property
    def quantities(self) -> list[Quantity]:
        return quantities(self.text)

    @cached_property
    def negation_scopes(self) -> list[frozenset[str]]:
        """The stems in the scope of each negation."""
        return negation_scopes(self.tokens)


@dataclass(frozen=True, eq=False)
class Segment:
    """A sentence, item or row of a chunk, ``text[start:end]`` of it."""

    chunk: int
    start: int
    end: int
    content: AnalyzedText
    #: The header row of its table, for a row.
    header: AnalyzedText | None
    #: The segment before it in its chunk.
    previous: Segment | None


class Source:
    """A chunk, numbered from 0, with the headings above it."""

    def __init__(self, number: int, text: str, headings: str = "", terms: ChunkTerms | None = None) -> None:
        """``terms``: of the text, where they are known."""
        self.number = number
        self.text = text
        self._above, self._terms = headings, terms
        lines = [AnalyzedText(line) for line in headings.splitlines()]
        #: The lines above the text, without instructions.
        self.headings = [line for line in lines if not line.is_instruction]
        self._has_instructions = False

    @cached_property
    def segments(self) -> list[Segment]:
        """What can support a sentence: neither questions nor instructions, which assert nothing."""
        found: list[Segment] = []
        known = self._terms
        instructions = known.instructions if known is not None else None
        if instructions is None:
            instructions = find_instructions(self._above, self.text)
        header: AnalyzedText | None = None
        for index, unit in enumerate(units(self.text) if known is None else known.units):
            content = AnalyzedText(self.text[unit.start : unit.end])
            if unit.kind == "header":
                header = content
            elif unit.kind != "row":
                header = None
            if unit.kind != "code":
                # Both: what is stored may have been found by an older Ragstone.
                if content.is_instruction or index in instructions:
                    self._has_instructions = True
                    continue
                if content.text.rstrip("\"') ").endswith("?"):
                    continue
            previous = found[-1] if found else None
            own = header if unit.kind == "row" else None
            found.append(Segment(self.number, unit.start, unit.end, content, own, previous))
        return found

    @cached_property
    def full_text(self) -> str:
        """The normalized text of its headings and segments, one a line."""
        return "\n".join(each.text for each in [*self.headings, *(segment.content for segment in self.segments)])

    @cached_property
    def addresses(self) -> frozenset[str]:
        """Addresses that an answer may repeat: none where the chunk has instructions."""
        _ = self.segments
        return frozenset() if self._has_instructions else frozenset(addresses(self.full_text))


def units_of(segment: Segment) -> frozenset[str]:
    """The units that occur anywhere in a segment and in its table's header row."""
    found = find_units(segment.content.text)
    return found | find_units(segment.header.text) if segment.header is not None else found
