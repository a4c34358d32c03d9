"""Checks sentences against a table's row: each value must have the heading of its own column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

from .items import Item
from .quantities import matches
from .sources import AnalyzedText, Segment, units_of

#: Words that join the cells of a row in a sentence.
_CONNECTORS = frozenset({"have", "is", "of", "with", "and", "for", "its", "in"})
_CELL = re.compile(r"\s*\|\s*")


def supports(row: Segment, sentence: AnalyzedText) -> bool:
    """Whether the sentence has the row's first cell and other whole cells of it, each under its own heading."""
    if row.header is None:
        return False
    cells, headings = _cells(row.content), _cells(row.header)
    if len(cells) != len(headings) or len(cells) < 2:
        return False
    units = units_of(row)
    rest = [item for item in sentence.items if not item.optional and item.key not in _CONNECTORS]
    columns: list[tuple[int, bool]] = []
    while rest:
        column, length, is_cell = _next_cell(rest, cells, headings, units)
        if not length:
            return False
        columns.append((column, is_cell))
        rest = rest[length:]
    if (0, True) not in columns:
        return False
    runs = [any(is_cell for _, is_cell in run) for _, run in groupby(filter(itemgetter(0), columns), itemgetter(0))]
    return bool(runs) and all(runs)


def _cells(row: AnalyzedText) -> list[list[Item]]:
    return [AnalyzedText(cell).items for cell in _CELL.split(row.text)]


def _next_cell(
    items: Sequence[Item], cells: list[list[Item]], headings: list[list[Item]], units: frozenset[str]
) -> tuple[int, int, bool]:
    """The column whose whole cell or heading begins the items, its number of items, and whether it is a cell."""
    for is_cell, row in ((True, cells), (False, headings)):
        for column, content in enumerate(row):
            # "Mass (kg)" is also "mass"
            unit_at = next((i for i, item in enumerate(content) if item.key == "("), len(content))
            for part in (content,) if is_cell else (content, content[:unit_at]):
                wanted = [item for item in part if not item.optional]
                if _begin_with(items, wanted, units):
                    return column, len(wanted), is_cell
    return 0, 0, False


def _begin_with(items: Sequence[Item], wanted: Sequence[Item], units: frozenset[str]) -> bool:
    return 0 < len(wanted) <= len(items) and all(
        matches(mine.quantity, theirs.quantity, units) if mine.quantity and theirs.quantity else mine.key == theirs.key
        for mine, theirs in zip(items, wanted, strict=False)
    )
