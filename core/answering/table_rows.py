"""Rows of tables in answers: with their header, or with all of a short table."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..retrieval.comparatives import MOST_ROWS
from ..retrieval.models import Retrieval
from ..retrieval.sentence_scores import ScoredSentence
from ..retrieval.sentences import instructing_units, sentences_of
from ..text.stemming import stem_hash, stem_hashes

#: What separates the cells of a row.
_BAR = re.compile(r"(?<!\\)\|")


def header_of(sentence: ScoredSentence, retrieval: Retrieval) -> str:
    """The header of the table whose row the sentence is, with its rule; empty for other sentences."""
    known = retrieval.terms(sentence.chunk)
    first = known.header_of(sentence.unit)
    if first is None or first in instructing_units(sentence.chunk, retrieval):
        return ""
    header = line_of(retrieval.nodes[sentence.chunk].node.get_content(), known.units[first].start).rstrip()
    cells = len(_BAR.findall(header)) - header.endswith("|")
    return f"{header}\n|{' --- |' * cells}"


def line_of(text: str, at: int) -> str:
    """The line of the text with that character."""
    return text[text.rfind("\n", 0, at) + 1 :].partition("\n")[0]


def with_whole_table(chosen: Sequence[ScoredSentence], retrieval: Retrieval) -> Sequence[ScoredSentence]:
    """The sentences; where two are rows of one table, and the question names neither, all rows of a short one."""
    table = [_table_of(each, retrieval) for each in chosen]
    if len(chosen) < 2 or table[0] is None or table[0] != table[1]:
        return chosen
    if any(is_named_row(each, retrieval) for each in chosen[:2]):
        return chosen
    rows = [each for each in sentences_of(retrieval) if _table_of(each, retrieval) == table[0]]
    if len(rows) > MOST_ROWS:
        return chosen
    others = [each for each, own in zip(chosen, table, strict=True) if own != table[0]]
    return [*sorted(rows, key=lambda each: each.start), *others]


def is_named_row(sentence: ScoredSentence, retrieval: Retrieval) -> bool:
    """Whether it is a table's row whose first cell has a word of the question."""
    named = stem_hashes(sentence.text.partition("|")[0])
    return _table_of(sentence, retrieval) is not None and any(stem_hash(word) in named for word in retrieval.idf)


def _table_of(sentence: ScoredSentence, retrieval: Retrieval) -> tuple[int, int] | None:
    """The chunk and the header of the row's table; ``None`` for what is no row of one."""
    header = retrieval.terms(sentence.chunk).header_of(sentence.unit)
    return None if header is None else (sentence.chunk, header)
