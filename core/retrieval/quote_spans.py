"""How much of a chunk is quoted with one of its units: the list that it leads in to, a whole procedure, code or not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ..text.chunk_terms import headings_of
from ..text.imperatives import command_verb
from ..text.segmentation import goes_on_behind_code, quote_end
from ..text.stemming import STOP_WORDS

if TYPE_CHECKING:
    from llama_index.core.schema import BaseNode

    from ..text.chunk_terms import ChunkTerms

#: Characters; a longer sentence is no sentence but a list or a table that lost its marks.
LONGEST_SENTENCE = 900
#: Characters of a procedure, which is no use in part.
_LONGEST_STEPS = 3_000
#: The line of a numbered item, or of one in a list within a list.
_STEP_OR_NESTED = re.compile(r"\s*\d{1,9}[.)]\s|\s+[-*+]\s")
#: Words of a line above code that says something itself, and what only points to the code.
_LEAST_APART = 6
_SHOWS = re.compile(
    r"^\W*(?:let['’]?s|here|now|then|next|first|finally|to|for|we|you|i|if|when|once|after|in|using|with|see)\b"
    r"|\b(?:following|follows|below|examples?|like this|looks? like|code|snippets?|commands?|scripts?|output|file)\b",
    re.IGNORECASE,
)

#: Words of a sentence, unless it is all that its chunk says: a turn of a dialogue.
_SHORTEST_WORDS = 3
_WORD = re.compile(r"\w\S*")
_SHORT = 40  # characters of a quote; in a shorter one, signs alone are not counted as words


class QuoteSpan(NamedTuple):
    """What is quoted with a unit: ``text[start:end]``."""

    start: int
    end: int
    #: The units of a procedure, which is ranked as one; empty otherwise.
    steps: range
    #: Characters that it may have.
    longest: int


def span_of(text: str, known: ChunkTerms, index: int, *, takes_steps: bool, takes_code: bool) -> QuoteSpan:
    """The span of the chunk's unit with that index. ``takes_steps``: whether the question asks for a procedure;
    ``takes_code``: whether code may answer it."""
    start = known.units[index].start
    steps = _steps_from(text, known, index) if takes_steps else range(0)
    if steps:
        # with the first number
        start = text.rfind("\n", 0, start) + 1 if known.kinds[index] == "procedure" else start
        return QuoteSpan(start, known.units[steps[-1]].end, steps, _LONGEST_STEPS)
    while goes_on_behind_code(text, known.units, index):
        index -= 2
        start = known.units[index].start
    if not (takes_code or takes_steps) and _says_more_than_code(text, known, index):
        end = known.units[index].end - 1  # without its colon
    else:
        end = quote_end(text, known.units, index, LONGEST_SENTENCE)
    opens = text.startswith("(", start) and ")" not in text[start:end]  # of several sentences in brackets the first one
    return QuoteSpan(start + opens, end, steps, 2 * LONGEST_SENTENCE)


def paragraph_up_to(node: BaseNode, known: ChunkTerms, index: int) -> str:
    """The text of the unit's paragraph up to its end, behind the chunk's headings: which of several things it is about
    is said there."""
    unit = known.units[index]
    start = next(each.start for each in known.units if each.block == unit.block)
    return f"{headings_of(node)}\n{node.get_content()[start : unit.end]}"


def is_short(quote: str) -> bool:
    """Whether it has too few words to say something."""
    least = _SHORTEST_WORDS
    return len(quote.split(None, least)) < least or (len(quote) < _SHORT and len(_WORD.findall(quote)) < least)


def goes_on(known: ChunkTerms, index: int) -> bool:
    """Whether another sentence follows in the unit's paragraph."""
    following = next(iter(known.units[index + 1 : index + 2]), None)
    return following is not None and (following.kind, following.block) == ("sentence", known.units[index].block)


def is_rest(text: str, start: int) -> bool:
    """Whether a sentence ends there whose beginning is elsewhere: "which shows the result.", not what is below "Dear
    Anna,"."""
    first = text[start : start + 20].split(None, 1)[:1]
    return bool(first) and first[0][0].islower() and first[0] in STOP_WORDS and not text[:start].rstrip().endswith(",")


def _says_more_than_code(text: str, known: ChunkTerms, index: int) -> bool:
    """Whether the unit says something itself, and the code that it leads in to shows it: "A winch pulls ropes:"."""
    unit, following = known.units[index], next(iter(known.units[index + 1 : index + 2]), None)
    if following is None or following.kind != "code" or not text.endswith(":", unit.start, unit.end):
        return False
    words = text[unit.start : unit.end]
    return len(words.split()) >= _LEAST_APART and not _SHOWS.search(words) and command_verb(words.lower()) is None


def _steps_from(text: str, known: ChunkTerms, index: int) -> range:
    """The units of the numbered steps that begin with this unit, or that it leads in to, as many as can be quoted."""
    unit, end = known.units[index], index + 1
    if known.kinds[index] != "procedure" and not (
        unit.kind == "sentence" and text[unit.start : unit.end].endswith(":")
    ):
        return range(0)
    for at in range(index + 1, len(known.units)):
        if known.units[at].kind not in {"item", "code"} or known.units[at].end - unit.start > _LONGEST_STEPS:
            break
        line = text[text.rfind("\n", 0, known.units[at].start) + 1 :]
        if known.kinds[at] == "procedure" or (end > index + 1 and _STEP_OR_NESTED.match(line)):
            end = at + 1
    return range(index, end) if end > index + 1 else range(0)
