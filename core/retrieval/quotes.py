"""The pieces of a chunk that can be quoted, and what holds of each whatever is asked.

A piece is a sentence with the list that it leads in to, a whole procedure, a table's row, or code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from llama_index.core.schema import BaseNode

from ..runtime.request import check_budget
from ..text.chunk_terms import ChunkTerms, headings_of
from ..text.entries import is_fields
from ..text.imperatives import command_verb
from ..text.pointers import announces, says_nothing
from ..text.segmentation import Unit, goes_on_behind_code, quote_end
from ..text.sentence_kinds import Kind
from ..text.stemming import STOP_WORDS

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
#: Two cells of a row with words: one alone says nothing.
_FILLED = re.compile(r"\w[^|]*\|[\s|]*[^\s|]")
#: Chunks whose pieces are cached, those that the readers of a few books are mostly answered from: 4 KB for one of 700
#: characters. Longer ones, as an encyclopedia's, would be too much for a small machine.
_CACHED_CHUNKS, _LONGEST_CACHED = 2048, 2000
#: Pieces after which the budget is checked: asking for a thread's time is a system call.
PIECES_A_CHECK = 16


class QuoteOptions(NamedTuple):
    """What a question takes as an answer."""

    #: Kinds of text that do not answer it.
    left_out: frozenset[Kind] = frozenset()
    #: Whether it asks for a procedure.
    takes_steps: bool = False
    #: Whether code may answer it.
    takes_code: bool = False


@dataclass(frozen=True, slots=True)
class Quote:
    """A piece of a chunk that can be quoted: ``chunk[start:end]``."""

    #: Index of its first unit in the chunk's terms, and of all units of a procedure.
    unit: int
    steps: range
    start: int
    end: int
    text: str
    kind: Kind
    #: Whether it led in to what is elsewhere or cannot be quoted, with a colon that is left out.
    led_in: bool
    #: Whether it says nothing of its subject: it points to another place, is a name and a value, or the rest of a
    #: sentence.
    is_elsewhere: bool
    #: Whether it only says that something follows.
    announces: bool
    #: Whether it is made of names and values.
    is_fields: bool


def quotes_of(text: str, known: ChunkTerms, options: QuoteOptions) -> tuple[Quote, ...]:
    """The pieces of the chunk in order."""
    find = _quotes_cached if len(text) <= _LONGEST_CACHED else _quotes
    return find(text, known.units, known.kinds, options)


def _quotes(text: str, units: tuple[Unit, ...], kinds: tuple[Kind, ...], options: QuoteOptions) -> tuple[Quote, ...]:
    found: list[Quote] = []
    within_steps = 0
    for index, (unit, kind) in enumerate(zip(units, kinds, strict=True)):
        if index % PIECES_A_CHECK == 0:
            check_budget()
        if index < within_steps or unit.kind == "header" or kind == "code" or kind in options.left_out:
            continue
        steps = _steps_from(text, units, kinds, index) if options.takes_steps else range(0)
        within_steps = index + len(steps)
        if steps:
            # with the first number
            start = text.rfind("\n", 0, unit.start) + 1 if kind == "procedure" else unit.start
            end, longest = units[steps[-1]].end, _LONGEST_STEPS
        else:
            start, end = _span_of(text, units, index, options)
            longest = 2 * LONGEST_SENTENCE
        quote = text[start:end]
        is_cut = len(units) > 1 and _is_short(quote)
        if len(quote) > longest or is_cut or (kind == "row" and not _FILLED.search(quote)):
            continue
        led_in = quote.endswith(":")
        quote, end = quote[: len(quote) - led_in], end - led_in
        of_fields = is_fields(quote)
        found.append(
            Quote(
                unit=index,
                steps=steps,
                start=start,
                end=end,
                text=quote,
                kind=kind,
                led_in=led_in,
                is_elsewhere=of_fields or says_nothing(quote) or _is_rest(text, start),
                announces=end <= unit.end and not _goes_on(units, index) and announces(quote),
                is_fields=of_fields,
            )
        )
    return tuple(found)


_quotes_cached = lru_cache(maxsize=_CACHED_CHUNKS)(_quotes)


def _span_of(text: str, units: Sequence[Unit], index: int, options: QuoteOptions) -> tuple[int, int]:
    """Where a piece that is no procedure begins and ends."""
    start = units[index].start
    while goes_on_behind_code(text, units, index):
        index -= 2
        start = units[index].start
    if not (options.takes_code or options.takes_steps) and _says_more_than_code(text, units, index):
        end = units[index].end - 1  # without its colon
    else:
        end = quote_end(text, units, index, LONGEST_SENTENCE)
    opens = text.startswith("(", start) and ")" not in text[start:end]  # of several sentences in brackets the first one
    return start + opens, end


def paragraph_up_to(node: BaseNode, known: ChunkTerms, index: int) -> str:
    """The text of the unit's paragraph up to its end, behind the chunk's headings: which of several things it is about
    is said there."""
    unit = known.units[index]
    start = next(each.start for each in known.units if each.block == unit.block)
    return f"{headings_of(node)}\n{node.get_content()[start : unit.end]}"


def _is_short(quote: str) -> bool:
    """Whether it has too few words to say something: "No pets" says enough."""
    least = _SHORTEST_WORDS - quote.startswith("No ")
    return len(quote.split(None, least)) < least or (len(quote) < _SHORT and len(_WORD.findall(quote)) < least)


def _goes_on(units: Sequence[Unit], index: int) -> bool:
    """Whether another sentence follows in the unit's paragraph."""
    following = next(iter(units[index + 1 : index + 2]), None)
    return following is not None and (following.kind, following.block) == ("sentence", units[index].block)


def _is_rest(text: str, start: int) -> bool:
    """Whether a sentence ends there whose beginning is elsewhere: "which shows the result.", not what is below "Dear
    Anna,"."""
    first = text[start : start + 20].split(None, 1)[:1]
    return bool(first) and first[0][0].islower() and first[0] in STOP_WORDS and not text[:start].rstrip().endswith(",")


def _says_more_than_code(text: str, units: Sequence[Unit], index: int) -> bool:
    """Whether the unit says something itself, and the code that it leads in to shows it: "A winch pulls ropes:"."""
    unit, following = units[index], next(iter(units[index + 1 : index + 2]), None)
    if following is None or following.kind != "code" or not text.endswith(":", unit.start, unit.end):
        return False
    words = text[unit.start : unit.end]
    return len(words.split()) >= _LEAST_APART and not _SHOWS.search(words) and command_verb(words.lower()) is None


def _steps_from(text: str, units: Sequence[Unit], kinds: Sequence[Kind], index: int) -> range:
    """The units of the numbered steps that begin with this unit, or that it leads in to, as many as can be quoted."""
    unit, end = units[index], index + 1
    if kinds[index] != "procedure" and not (unit.kind == "sentence" and text[unit.start : unit.end].endswith(":")):
        return range(0)
    for at in range(index + 1, len(units)):
        if units[at].kind not in {"item", "code"} or units[at].end - unit.start > _LONGEST_STEPS:
            break
        line = text[text.rfind("\n", 0, units[at].start) + 1 :]
        if kinds[at] == "procedure" or (end > index + 1 and _STEP_OR_NESTED.match(line)):
            end = at + 1
    return range(index, end) if end > index + 1 else range(0)
