"""Tables of a page as rows of Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragstone.core.ingestion import TableRows

from ..blocks import table_lines
from .markup import name_of, names_of

if TYPE_CHECKING:
    from .inline import Inline

_LAYOUT = frozenset({"presentation", "none", "layout", "highlighttable", "rouge-table"})
#: Columns of a row, and rows or columns that one cell may cover.
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

    def words(cell: Any) -> str:
        run.read(cell)
        return run.line()

    made = TableRows(_MOST_COLUMNS, _MOST_COVERED)
    cells = ([cell for cell in row if name_of(cell) in ("td", "th")] for row in table.iter("{*}tr"))
    rows = [made.row((cell, words(cell)) for cell in row)[:_MOST_COLUMNS] for row in cells]
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    has_title = len(rows) > 2 and max(map(len, rows)) > 1 and bool(rows[0][0]) and not any(rows[0][1:])
    title = rows.pop(0)[0] if has_title else ""
    return title, table_lines(rows)
