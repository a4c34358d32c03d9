"""The faults that a sentence may have against the segments that bear it, each found on its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .alignment import exchanged
from .links import addresses, markup
from .names import capitalised, opening, quoted
from .polarity import denies, opposite
from .quantities import agrees
from .sources import Segment, Source, Told, units_beside
from .words import stem_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Below this share of its words a sentence is about something else, and no other fault is looked for.
_LEAST = 0.5
#: Share of a sentence's words that must stand in the segments that bear it, and in those and what is around them.
_BORNE = 0.7
_AROUND = 0.85
_LEAST_WORDS = 2
_STANDS_FOR = frozenset(
    [
        "he",
        "she",
        "it",
        "they",
        "him",
        "her",
        "them",
        "his",
        "hers",
        "its",
        "their",
        "theirs",
        "this",
        "these",
        "that",
        "those",
        "such",
        "both",
    ]
)


def strays(claim: Told, sources: Sequence[Source]) -> str | None:
    """Addresses, markup and orders that do not stand in the passage."""
    told = addresses(claim.text)
    held = {known for source in sources for known in source.addresses} if told else set()
    for address in told:
        if address not in held and address.split("://")[-1].strip("/") not in held:
            return f"the address {address} is not in the passage"
    marks, quotes = markup(claim.text), quoted(claim.text)
    shown = "\n".join(source.whole.text for source in sources).casefold() if marks or quotes else ""
    for piece in marks:
        if piece not in shown:
            return f"the markup {piece} is not in the passage"
    flat = " ".join(shown.split())
    for words in quotes:
        if " ".join(words.casefold().split()).strip(" .,;:!?") not in flat:
            return f'the words "{words}" are not in the passage'
    if claim.gives_orders:
        return "it gives orders"
    return None


def fault_of(
    claim: Told, asserted: frozenset[str] | set[str], chosen: Sequence[Segment], sources: Sequence[Source]
) -> str | None:
    """Why the chosen segments do not bear the claim; ``asserted`` are the stems that it rests on."""
    first = opening(claim.tokens)
    named = {token.stem for token in claim.names} | ({first.stem} if first is not None else set())
    named |= {stem_of(token.word) for token in claim.tokens if denies(token.word)}
    # Names and denials are looked at one by one: they count among the words only where there are few others.
    weighed = asserted - named if len(asserted - named) >= _LEAST_WORDS else asserted
    borne: set[str] = set()
    for segment in chosen:
        borne |= segment.told.stems
        if segment.head is not None:
            borne |= segment.head.stems
    beside = beside_pronouns(claim, chosen, sources)
    around = borne.union(*(source.headings.stems for source in sources), *(told.stems for told in beside))
    if len(weighed & borne) < _LEAST * len(weighed):
        return "its words are not in the passage"
    fault = (
        _foreign_name(claim, chosen, sources)
        or _wrong_number(claim, chosen)
        or _exchanged(claim, chosen)
        or _wrong_denial(claim, chosen)
        or _turned(claim, chosen)
    )
    if fault is None and (
        len(weighed & borne) < _BORNE * len(weighed) or len(weighed & around) < _AROUND * len(weighed)
    ):
        return "its words are not in the passage"
    return fault


def _foreign_name(claim: Told, chosen: Sequence[Segment], sources: Sequence[Source]) -> str | None:
    """A name must stand in what bears the sentence, in the headings, or just before: where "he" and "it" come from."""
    near = [
        *(segment.told for segment in chosen),
        *(source.headings for source in sources),
        *beside_pronouns(claim, chosen, sources),
    ]
    near += [segment.head for segment in chosen if segment.head is not None]
    held = frozenset().union(*(told.words | told.stems for told in near))
    first = opening(claim.tokens)
    for token in [*([first] if first is not None else []), *claim.names]:
        if {token.word, token.word.removesuffix("'s"), token.stem} & held:
            continue
        if any(quantity.start <= token.start < quantity.end for quantity in claim.quantities):
            continue
        return f"{token.shape} is not in the passage"
    shapes = frozenset().union(*(told.shapes for told in near))
    for token in capitalised(claim.text, claim.tokens):
        if token.shape not in shapes:  # "Will" and "May" are names as well
            return f"{token.shape} is not in the passage"
    return None


def beside_pronouns(claim: Told, chosen: Sequence[Segment], sources: Sequence[Source]) -> Iterable[Told]:
    """The segment before each chosen one where the sentence names what that one calls "it" or "they"."""
    said = sum(token.word in _STANDS_FOR for token in claim.tokens)
    meant = sum(token.word in _STANDS_FOR for segment in chosen for token in segment.told.tokens)
    if said >= meant:
        return
    for source in sources:
        for before, segment in zip(source.segments, source.segments[1:], strict=False):
            if segment.told.words & _STANDS_FOR and any(segment is one for one in chosen):
                yield before.told


def _exchanged(claim: Told, chosen: Sequence[Segment]) -> str | None:
    for segment in chosen:
        found = exchanged(claim, segment.told)
        if found is not None:
            return f"it says {found[0]} where the passage says {found[1]}"
    return None


def _wrong_number(claim: Told, chosen: Sequence[Segment]) -> str | None:
    # A number that a segment has many times is compared once.
    held = {(each.value, each.unit, at): each for at, s in enumerate(chosen) for each in s.told.quantities}
    named = [units_beside(segment) for segment in chosen] if claim.quantities else []
    for told in {(told.value, told.unit): told for told in claim.quantities}.values():
        shown = claim.text[told.start : told.end].strip()
        same = [(each, at) for (value, _, at), each in held.items() if value == told.value]
        if not same:
            return f"the number {shown} is not in the passage"
        if not any(agrees(told, each, named[at]) for each, at in same):
            return f"{shown} has another unit in the passage"
    return None


def _wrong_denial(claim: Told, chosen: Sequence[Segment]) -> str | None:
    """Both ways: a denial of the sentence must be one of the passage, and one of the passage may not be lost."""
    held = [denial for segment in chosen for denial in segment.told.denials]
    for told in claim.denials:
        # One for one: who denies twice what is denied once says the opposite.
        match = max(held, key=lambda denial: len(denial & told), default=None)
        if match is None or (told and match and not told & match):
            return "it denies what the passage does not deny"
        held.remove(match)
    # With a word between them that is left out: "not X" becomes X only where X is told.
    if any(denial and 2 * len(denial & claim.stems) > len(denial) for denial in held):
        return "it leaves out that the passage denies it"
    return None


def _turned(claim: Told, chosen: Sequence[Segment]) -> str | None:
    held = frozenset().union(*(segment.told.words for segment in chosen))
    turned = opposite(claim.words, held)
    return f"it says {turned[0]} where the passage says {turned[1]}" if turned is not None else None
