"""Sentences that state a table's row: each value with the heading of its own column."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .quantities import agrees
from .sources import AnalyzedText, units_beside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .items import Item
    from .sources import Segment

#: Words that put a row into a sentence.
_JOINING = frozenset({"have", "is", "of", "with", "and", "for", "its", "in"})
_CELL = re.compile(r"\s*\|\s*")


def supports(row: Segment, claim: AnalyzedText) -> bool:
    """Whether the sentence names the row by its first cell and gives its other cells whole, each under its heading."""
    if row.head is None:
        return False
    cells, heads = _cells(row.content), _cells(row.head)
    if len(cells) != len(heads) or len(cells) < 2:
        return False
    units = units_beside(row)
    said = [item for item in claim.items if not item.optional and item.key not in _JOINING]
    columns: list[tuple[int, bool]] = []
    at = 0
    while at < len(said):
        column, taken, value = _cell_at(said[at:], cells, heads, units)
        if not taken:
            return False
        columns.append((column, value))
        at += taken
    if not any(column == 0 and value for column, value in columns):
        return False
    runs: list[list[tuple[int, bool]]] = []
    for each in columns:
        if each[0] == 0:
            continue
        if runs and runs[-1][0][0] == each[0]:
            runs[-1].append(each)
        else:
            runs.append([each])
    return bool(runs) and all(any(value for _, value in run) for run in runs)


def _cells(row: AnalyzedText) -> list[list[Item]]:
    return [AnalyzedText(cell).items for cell in _CELL.split(row.text)]


def _cell_at(
    said: list[Item], cells: list[list[Item]], heads: list[list[Item]], units: frozenset[str]
) -> tuple[int, int, bool]:
    """The column whose whole cell or heading comes next, how many items it takes, and whether it is a cell."""
    for is_value, row in ((True, cells), (False, heads)):
        for column, items in enumerate(row):
            # "Mass (kg)" is also "mass"
            unit_at = next((i for i, item in enumerate(items) if item.key == "("), len(items))
            for part in (items, items[:unit_at]) if not is_value else (items,):
                wanted = [item for item in part if not item.optional]
                if _begins_with(said, wanted, units):
                    return column, len(wanted), is_value
    return 0, 0, False


def _begins_with(said: Sequence[Item], wanted: Sequence[Item], units: frozenset[str]) -> bool:
    return 0 < len(wanted) <= len(said) and all(
        agrees(mine.quantity, theirs.quantity, units) if mine.quantity and theirs.quantity else mine.key == theirs.key
        for mine, theirs in zip(said, wanted, strict=False)
    )
