"""Contradictions between two texts about the same thing: a learner's answer and its source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from .polarity import find_opposite
from .sources import AnalyzedText

#: Share of the stems in a negation's scope that the other text must have, for the negation to be about it.
_LEAST_SHARED = 0.5
#: "to" is not the opposite of "into": where whole texts are compared, prepositions are in both by chance.
_NO_OPPOSITES = frozenset(
    """to into on off over under above before after up down also only with without all some none may must might could
    can should need form inform side sides inside first last no""".split()  # noqa: SIM905 - as the stop words are
)


@dataclass(frozen=True)
class Contradiction:
    """``stated``: the words of the compared text; ``source``: those of its source; "" where one has no such word."""

    kind: Literal["number", "negation", "opposite"]
    stated: str
    source: str


def contradictions(text: str, source: str) -> list[Contradiction]:
    """Where a text contradicts its source: another number of the same unit, a missing or added negation, an opposite.

    By their words alone, in English. Words that are only left out or added are no contradiction: the citation check
    decides whether a text is supported.
    """
    stated, known = AnalyzedText(text), AnalyzedText(source)
    opposite = find_opposite(stated.words - _NO_OPPOSITES, known.words - _NO_OPPOSITES)
    opposites = [Contradiction("opposite", *opposite)] if opposite is not None else []
    return [*_numbers(stated, known), *_negations(stated, known), *opposites]


def _numbers(stated: AnalyzedText, source: AnalyzedText) -> Iterator[Contradiction]:
    values = {quantity.value for quantity in source.quantities}
    for quantity in stated.quantities:
        number = stated.text[quantity.start : quantity.end].strip()
        if quantity.value in values or number.casefold() == "one":
            continue  # "one of them" is no count
        other = next((each for each in source.quantities if each.unit == quantity.unit), None)
        if other is not None:
            yield Contradiction("number", number, source.text[other.start : other.end].strip())


def _negations(stated: AnalyzedText, source: AnalyzedText) -> Iterator[Contradiction]:
    for scope in stated.negation_scopes:
        shared = len(scope & source.stems)
        if scope and shared >= _LEAST_SHARED * len(scope) and not any(scope & each for each in source.negation_scopes):
            yield Contradiction("negation", "not", "")
            return
    for scope in source.negation_scopes:
        shared = len(scope & stated.stems)
        if scope and shared > _LEAST_SHARED * len(scope) and not any(scope & each for each in stated.negation_scopes):
            yield Contradiction("negation", "", "not")
            return
