"""The check of one sentence: whether the passages that it cites support it. Computed, not asked of a model.

A sentence is supported when it is aligned, item by item, with whole sentences of those passages (``alignment``), or
says what a table's row says (``rows``). Anything else may be true, but nobody can tell: the source sentences that are
closest to it are offered to take its place. ``python -m bench.citations`` measures how often it errs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .alignment import Alignment
from .links import addresses, markup, quoted
from .rows import supports
from .sources import AnalyzedText, Segment, Source

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The numbers of passages that a sentence cites.
MARKER = re.compile(r"(?<!\s)\s*\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\]")
#: Characters; what is longer is no sentence.
LONGEST_SENTENCE = 1_500
#: Words of the sentence's own that take it to its source, and say nothing about the matter.
_LEAD_IN = re.compile(
    r"\W*(?:(?:however|moreover|furthermore|additionally|finally|overall|specifically|notably|importantly|lastly|firstly"
    r"|secondly|in (?:summary|conclusion|addition|short))\s*,\s*"
    r"|according to (?:the|this) (?:book|passage|text|author|source|article|chapter|section)s?\s*,\s*"
    r"|(?:the|this) (?:book|passage|text|author|source|article|chapter|section)s? (?:says|states|explains|notes) that "
    r")+",
    re.IGNORECASE,
)
#: Share of the sentence's stems that its closest source sentences hold together, and the first one alone; a second one
#: brings so many more.
_CLOSE, _CLOSEST, _BRINGS = 0.5, 0.3, 2


@dataclass(frozen=True)
class Finding:
    """What the check found of one sentence."""

    #: What supports it; with a fault, what may take its place: the closest source sentences, in their order.
    segments: tuple[Segment, ...]
    #: Why it may not stand; ``None`` when it may.
    fault: str | None


def find_fault(sentence: str, sources: Sequence[Source]) -> Finding:
    """Check a sentence without its markers against the passages that it cites."""
    if len(sentence) > LONGEST_SENTENCE:
        return Finding((), "it is too long for a sentence")
    claim = AnalyzedText(sentence)
    if claim.gives_orders:
        return Finding((), "it gives orders")
    lead_in = _LEAD_IN.match(claim.text)
    bare = AnalyzedText(claim.text[lead_in.end() :]) if lead_in else claim
    if not bare.stems and not bare.quantities:
        return Finding((), "it says nothing that could be looked up")
    fault = _foreign_markup(claim, sources)
    if fault is None:
        aligned = Alignment(bare.items, sources).find()
        if aligned.fault is None:
            return Finding(aligned.segments, None)
        row = next((each for source in sources for each in source.segments if each.head and supports(each, bare)), None)
        if row is not None:
            return Finding((row,), None)
        fault = aligned.fault
    return Finding(tuple(_closest(bare, sources)), fault)


def _foreign_markup(claim: AnalyzedText, sources: Sequence[Source]) -> str | None:
    """Addresses, markup and quotations that do not stand in the passage."""
    named = addresses(claim.text)
    held = {known for source in sources for known in source.addresses} if named else set()
    for address in named:
        if address not in held and address.split("://")[-1].strip("/") not in held:
            return f"the address {address} is not in the passage"
    marks, quotes = markup(claim.text), quoted(claim.text)
    shown = "\n".join(source.whole for source in sources).casefold() if marks or quotes else ""
    for piece in marks:
        if piece not in shown:
            return f"the markup {piece} is not in the passage"
    flat = " ".join(shown.split())
    for words in quotes:
        if " ".join(words.casefold().split()).strip(" .,;:!?") not in flat:
            return f'the words "{words}" are not in the passage'
    return None


def _closest(claim: AnalyzedText, sources: Sequence[Source]) -> list[Segment]:
    """One or two source sentences that hold most of the sentence's words; none where they hold too few."""
    wanted = claim.stems
    segments = [
        each
        for source in sources
        for each in source.segments
        # A marker in the source's own words would be taken for a citation.
        if each.end - each.start <= LONGEST_SENTENCE and not MARKER.search(each.content.text)
    ]
    if not wanted or not segments:
        return []
    best = max(segments, key=lambda each: (len(wanted & each.content.stems), -len(each.content.stems)))
    held = wanted & best.content.stems
    if len(held) < _CLOSEST * len(wanted):
        return []
    chosen = [best]
    second = max(segments, key=lambda each: (len((wanted - held) & each.content.stems), -len(each.content.stems)))
    if len((wanted - held) & second.content.stems) >= _BRINGS:
        chosen.append(second)
        held |= wanted & second.content.stems
    if len(held) < _CLOSE * len(wanted):
        return []
    return sorted(chosen, key=lambda each: (each.passage, each.start))
