"""Checks whether the chunks that a sentence cites support it. Computed by rules, without a language model.

A sentence is supported when it is aligned item by item with whole sentences of those chunks (``alignment``), or
states a table's row (``rows``). Any other sentence has a fault; the closest source sentences are offered as its
replacements. ``python -m bench.citations`` measures how often the check errs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .alignment import Alignment
from .links import addresses, markup, quotations
from .rows import supports
from .sources import AnalyzedText, Segment, Source

#: The numbers of chunks that a sentence cites.
MARKER = re.compile(r"(?<!\s)\s*\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\]")
#: Characters.
LONGEST_SENTENCE = 1_500
#: Introductory words of an answer, which have no counterpart in a source.
_LEAD_IN = re.compile(
    r"\W*(?:(?:however|moreover|furthermore|additionally|finally|overall|specifically|notably|importantly|lastly|firstly"
    r"|secondly|in (?:summary|conclusion|addition|short))\s*,\s*"
    r"|according to (?:the|this) (?:book|passage|text|author|source|article|chapter|section)s?\s*,\s*"
    r"|(?:the|this) (?:book|passage|text|author|source|article|chapter|section)s? (?:says|states|explains|notes) that "
    r")+",
    re.IGNORECASE,
)
#: Share of the sentence's stems that its replacements must have together, and the first one alone.
_LEAST_BOTH, _LEAST_FIRST = 0.5, 0.3
#: Further stems that a second replacement must have.
_LEAST_ADDED = 2


def check_sentence(sentence: str, sources: Sequence[Source]) -> tuple[tuple[Segment, ...], str | None]:
    """Check a sentence without its markers against the chunks that it cites.

    Returns the source sentences that support it, and ``None``; or its replacements, in the order of the chunks, and why
    it is not supported.
    """
    if len(sentence) > LONGEST_SENTENCE:
        return (), "it is too long for a sentence"
    analyzed = AnalyzedText(sentence)
    if analyzed.is_instruction:
        return (), "it gives instructions"
    lead_in = _LEAD_IN.match(analyzed.text)
    content = AnalyzedText(analyzed.text[lead_in.end() :]) if lead_in else analyzed
    if not content.stems and not content.quantities:
        return (), "it says nothing that could be looked up"
    fault = _markup_fault(analyzed, sources)
    if fault is None:
        segments, fault = Alignment(content, sources).find()
        if fault is None:
            return segments, None
        row = next((each for source in sources for each in source.segments if supports(each, content)), None)
        if row is not None:
            return (row,), None
    return tuple(_closest(content, sources)), fault


def _markup_fault(analyzed: AnalyzedText, sources: Sequence[Source]) -> str | None:
    """The first address, markup or quotation that is not in the chunks, as a message."""
    named = addresses(analyzed.text)
    known = {address for source in sources for address in source.addresses} if named else set()
    for address in named:
        if address not in known and address.split("://")[-1].strip("/") not in known:
            return f"the address {address} is not in the passage"
    marks, quotes = markup(analyzed.text), quotations(analyzed.text)
    shown = "\n".join(source.full_text for source in sources).casefold() if marks or quotes else ""
    for piece in marks:
        if piece not in shown:
            return f"the markup {piece} is not in the passage"
    flat = " ".join(shown.split())
    for words in quotes:
        if " ".join(words.casefold().split()).strip(" .,;:!?") not in flat:
            return f'the words "{words}" are not in the passage'
    return None


def _closest(analyzed: AnalyzedText, sources: Sequence[Source]) -> list[Segment]:
    """One or two source sentences with most of the sentence's stems; none where they have too few."""
    wanted = analyzed.stems
    segments = [
        each
        for source in sources
        for each in source.segments
        # A marker in the source's text would be read as a citation.
        if each.end - each.start <= LONGEST_SENTENCE and not MARKER.search(each.content.text)
    ]
    if not wanted or not segments:
        return []
    best = max(segments, key=lambda each: (len(wanted & each.content.stems), -len(each.content.stems)))
    covered = wanted & best.content.stems
    if len(covered) < _LEAST_FIRST * len(wanted):
        return []
    chosen = [best]
    second = max(segments, key=lambda each: (len((wanted - covered) & each.content.stems), -len(each.content.stems)))
    if len((wanted - covered) & second.content.stems) >= _LEAST_ADDED:
        chosen.append(second)
        covered |= wanted & second.content.stems
    if len(covered) < _LEAST_BOTH * len(wanted):
        return []
    return sorted(chosen, key=lambda each: (each.chunk, each.start))
