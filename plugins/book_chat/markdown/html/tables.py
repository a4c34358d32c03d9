"""Tables of a page as rows of Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..blocks import table_lines
from .markup import name_of, names_of

if TYPE_CHECKING:
    from .inline import Inline

_LAYOUT = frozenset({"presentation", "none", "layout", "highlighttable", "rouge-table"})
#: Columns of a row, and cells that one cell may cover.
_MOST_COLUMNS, _MOST_COVERED = 200, 50


def is_data_table(table: Any) -> bool:
    """Whether a table's cells belong together: it has rows of several cells and no blocks that need room."""
    if _LAYOUT.intersection(names_of(table).split()):
        return False
    if any(name_of(each) in ("table", "pre", "h1", "h2", "h3", "h4") for each in table.iterdescendants()):
        return False
    return any(sum(name_of(cell) in ("td", "th") for cell in row) > 1 for row in table.iter("{*}tr"))


def titled_rows(table: Any, run: Inline) -> tuple[str, list[str]]:
    """The words of a first row of one cell, which are a title, and the rows, the first as the header.

    A cell over several rows is repeated, one over several columns leaves the others empty.
    """
    rows: list[list[str]] = []
    covered: dict[int, tuple[int, str]] = {}
    for row in table.iter("{*}tr"):
        cells: list[str] = []
        for cell in row:
            if name_of(cell) not in ("td", "th"):
                continue
            _fill(cells, covered)
            run.read(cell)
            words = run.line()
            if (down := _span(cell, "rowspan")) > 1:
                covered[len(cells)] = (down - 1, words)
            cells.append(words)
            cells += [""] * (_span(cell, "colspan") - 1)
            del cells[_MOST_COLUMNS:]
        _fill(cells, covered)
        if any(cell.strip() for cell in cells):
            rows.append(cells)
    has_title = len(rows) > 2 and max(map(len, rows)) > 1 and bool(rows[0][0]) and not any(rows[0][1:])
    title = rows.pop(0)[0] if has_title else ""
    return title, table_lines(rows)


def _fill(cells: list[str], covered: dict[int, tuple[int, str]]) -> None:
    """Add the cells that reach down from rows above to this place."""
    while len(cells) in covered and len(cells) < _MOST_COLUMNS:
        left, words = covered.pop(len(cells))
        if left > 1:
            covered[len(cells)] = (left - 1, words)
        cells.append(words)


def _span(cell: Any, name: str) -> int:
    stated = cell.get(name) or ""
    return min(int(stated), _MOST_COVERED) if stated.isdecimal() and len(stated) < 5 and stated != "0" else 1
