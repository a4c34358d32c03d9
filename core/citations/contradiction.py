"""Contradictions between two texts about the same thing: a learner's answer and its source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from .polarity import opposite
from .sources import AnalyzedText

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Of what a negation reaches, so much must be told by the other text for the negation to be against it.
_MUCH = 0.5
#: "to" is not the opposite of "into": where whole texts are compared, prepositions are in both by chance.
_NO_OPPOSITES = frozenset(
    """to into on off over under above before after up down also only with without all some none may must might could
    can should need form inform side sides inside first last no""".split()  # noqa: SIM905 - as the stop words are
)


@dataclass(frozen=True)
class Contradiction:
    """``told`` stands in the text that was compared, ``held`` in the other one; "" where it has no word of its own."""

    kind: Literal["number", "denial", "opposite"]
    told: str
    held: str


def contradictions(told: str, held: str) -> list[Contradiction]:
    """What ``told`` says against ``held``: another number of the same unit, a denial too many or too few, an opposite.

    By their words alone, in English. What is merely left out or added is none: whether a text is borne by another, the
    citation check says.
    """
    claim, source = AnalyzedText(told), AnalyzedText(held)
    return [*_numbers(claim, source), *_denials(claim, source), *_opposites(claim, source)]


def _numbers(claim: AnalyzedText, source: AnalyzedText) -> Iterator[Contradiction]:
    values = {quantity.value for quantity in source.quantities}
    for quantity in claim.quantities:
        if quantity.value in values or claim.text[quantity.start : quantity.end].casefold() == "one":
            continue  # "one of them" counts nothing
        instead = next((held for held in source.quantities if held.unit == quantity.unit), None)
        if instead is not None:
            said = claim.text[quantity.start : quantity.end].strip()
            yield Contradiction("number", said, source.text[instead.start : instead.end].strip())


def _denials(claim: AnalyzedText, source: AnalyzedText) -> Iterator[Contradiction]:
    for denied in claim.denials:
        told = denied & source.stems
        if denied and len(told) >= _MUCH * len(denied) and not any(denied & held for held in source.denials):
            yield Contradiction("denial", "not", "")
            return
    for held in source.denials:
        if held and len(held & claim.stems) > _MUCH * len(held) and not any(held & denied for denied in claim.denials):
            yield Contradiction("denial", "", "not")
            return


def _opposites(claim: AnalyzedText, source: AnalyzedText) -> Iterator[Contradiction]:
    found = opposite(claim.words - _NO_OPPOSITES, source.words - _NO_OPPOSITES)
    if found is not None:
        yield Contradiction("opposite", *found)
