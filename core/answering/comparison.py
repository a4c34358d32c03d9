"""A sentence for each side of a comparison."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from llama_index.core.schema import BaseNode

from ..retrieval.models import Retrieval
from ..retrieval.sentence_scores import ScoredSentence
from ..text.chunk_terms import headings_of
from ..text.definitions import defines
from ..text.entries import is_entry, is_fields, title_stems
from ..text.stemming import stem_hash, stem_hashes

_CONTRASTS = re.compile(r"\b(?:whereas|while|unlike|in contrast)\b", re.IGNORECASE)
#: Characters among which a sentence names what it is about.
_HEAD = 20
#: Added to a sentence that says what its side is, and to one that begins with it.
_DEFINITION, _SUBJECT = 0.6, 0.2
#: Least ``defines`` of a sentence that is about its side wherever it names the other one, and of one that comes before
#: all others where nothing else is asked.
_DEFINES, _SURELY_DEFINES = 0.6, 0.9
#: Least share of the best sentence's score that one for a side has: less is of something else with its name.
_LEAST_SIDE = 0.5
#: Pieces of a text among which its opening is, behind a line of fields.
_OPENING = 2
#: Characters in which something can be said of the first term.
_APART = 20


def choose_sides(
    quotes: Iterable[ScoredSentence], sides: tuple[list[str], list[str]], retrieval: Retrieval
) -> list[ScoredSentence]:
    """The sentence that sets one side against the other, else the best one for each side; none if a side has none.

    ``quotes``: the best one first.
    """
    whole_stems = [frozenset(side) for side in sides]
    whole = [frozenset(map(stem_hash, side)) for side in sides]
    one, other = whole[0] - whole[1], whole[1] - whole[0]
    shared = sides[1][len(sides[0]) :]  # "forward and inverse kinematics": the nouns behind are of both
    other = other - set(map(stem_hash, shared)) or other
    asks_no_more = set(retrieval.idf) <= {*sides[0], *sides[1], "differ"}
    found: dict[int, tuple[tuple[float, float], ScoredSentence]] = {}
    quotes = [quote for quote in quotes if not is_fields(quote.text)]
    for quote in quotes:
        columns = frozenset(
            stem_hashes(next((line for line in quote.text.split("\n")[1:] if line.startswith("|")), ""))
        )
        if one <= columns and other <= columns:
            return [quote]
        if shared and (_says_of_both(quote.text, [*sides[0], *shared], sides[1]) or _contrasts(quote.text, one, other)):
            return [quote]
    titles = [_title_hashes(chunk.node) for chunk in retrieval.nodes]
    for quote in quotes:
        known = frozenset(stem_hashes(quote.text))
        if one <= known and other <= known:
            if not found and _contrasts(quote.text, one, other):
                return [quote]
            # What it speaks of comes first: "A, which is quicker than B, …" is about A.
            known = frozenset(stem_hashes(quote.text[:_HEAD]))
        near = known | retrieval.terms(quote.chunk).heading_stems
        if quote.kind == "row":  # it is about what its first cell names
            known = frozenset(stem_hashes(quote.text.partition("|")[0]))
        titled = titles[quote.chunk]
        for number, (own, against) in enumerate(((one, other), (other, one))):
            # Below the title of the other one of two like sections it is about that side.
            if whole[1 - number] <= titled and (titled - whole[1 - number]) | whole[number] in titles:
                continue
            defining = defines(quote.text, whole_stems[number]) or _is_entry_of(quote, whole_stems[number], retrieval)
            begins = own <= frozenset(stem_hashes(quote.text[:_HEAD]))
            says_what = defining if asks_no_more and defining >= _SURELY_DEFINES else 0.0
            score = (says_what, quote.score + _DEFINITION * defining + _SUBJECT * begins)
            is_of_side = defining >= _DEFINES or (whole[number] <= near and own & known and not against & known)
            if is_of_side and (number not in found or score > found[number][0]):
                found[number] = score, quote
    chosen = [found[number][1] for number in sorted(found)]
    if len(chosen) < len(sides) or min(quote.score for quote in chosen) < _LEAST_SIDE * quotes[0].score:
        return []
    return chosen


def _title_hashes(node: BaseNode) -> frozenset[int]:
    """Hashes of the stems of the title that the chunk stands below."""
    return frozenset(map(stem_hash, title_stems(headings_of(node))))


def _is_entry_of(quote: ScoredSentence, side: frozenset[str], retrieval: Retrieval) -> bool:
    """Whether it is what a dictionary says of the side that its heading names."""
    headings = headings_of(retrieval.nodes[quote.chunk].node)
    return quote.unit < _OPENING and title_stems(headings) == side and is_entry(quote.text, side)


def _contrasts(text: str, one: frozenset[int], other: frozenset[int]) -> bool:
    """Whether the text has the words of both sides and sets one against the other: "unlike A, B …"."""
    return bool(_CONTRASTS.search(text)) and (one | other).issubset(stem_hashes(text))


def _says_of_both(text: str, one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether the text says something of the first term and then of the second: "A wheels are … and B wheels are …",
    "A wheels are quicker than B wheels."."""
    terms = [r"\w*[\s-]+".join(map(re.escape, term)) for term in (one, other)]
    forms = (
        rf"\b{a}\w*\b(?:.{{{_APART},}}?[,;]? (?:and|but|while|whereas)|[^,;]{{{_APART},}}? than) (?:the |an? )?{b}"
        for a, b in (terms, terms[::-1])
    )
    return any(re.search(form, text, re.IGNORECASE) for form in forms)
